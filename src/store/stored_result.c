/* See store.h: what a result states, for the columns by which the store answers. */
#include "store/store.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "evidence/evidence.h"
#include "result/comparison.h"
#include "result/json/environment.h"
#include "result/json/json.h"

static struct kb_stored_estimate stored(const struct kb_estimate *e)
{
	bool bounded = e->known && e->bounded;

	return (struct kb_stored_estimate){ e->known ? e->value : NAN, bounded ? e->low : NAN, bounded ? e->high : NAN };
}

struct kb_estimate kb_estimate_of_stored(const struct kb_stored_estimate *e)
{
	bool known = !isnan(e->value), bounded = known && !isnan(e->low) && !isnan(e->high);

	return (struct kb_estimate){ known ? e->value : 0, bounded ? e->low : 0, bounded ? e->high : 0, known, bounded };
}

bool kb_stored_has_number(const struct kb_stored_result *result)
{
	return !isnan(result->estimate.value) || !isnan(result->quiet);
}

static double share_disturbed(const struct kb_result *result)
{
	double all = (double)(result->observations + result->disturbed);

	return all > 0 ? (double)result->disturbed / all : NAN;
}

void kb_stored_result_of(struct kb_stored_result *to, const struct kb_result *result)
{
	to->estimate = stored(&result->estimate);
	to->cycles = stored(&result->estimate_cycles);
	to->ratio = stored(&result->ratio);
	to->quiet = stored(&result->quiet).value;
	to->sample_ns = kb_sample_ns(result);
	to->mean = stored(result->mean.known ? &result->mean : &result->observed).value;
	to->clean = result->clean_share;
	to->disturbed = share_disturbed(result);
	to->waited = result->waited_share;
	to->mhz = stored(&result->core_mhz).value;
	to->n_max = (int64_t)result->n_max;
	to->processes = result->processes;
	snprintf(to->unit, sizeof to->unit, "%s", kb_time_unit(result));
	snprintf(to->per, sizeof to->per, "%s", result->per);
	snprintf(to->clock, sizeof to->clock, "%s", result->clock);
	snprintf(to->method, sizeof to->method, "%s", kb_methods[result->method].name);
	snprintf(to->bound, sizeof to->bound, "%s", kb_bound_name(result->bound));
	snprintf(to->headline, sizeof to->headline, "%s", kb_headline_name(result->headline));
	snprintf(to->status, sizeof to->status, "%s", kb_status_name(result->verdict.status));
}

int kb_stored_result_read(struct kb_stored_result *to, const char *text, const json_t *env)
{
	json_t *json = json_loads(text, 0, NULL);
	struct kb_result result;
	int error = kb_result_from_json(&result, json);

	to->environment[0] = '\0';
	if (!error) {
		kb_stored_result_of(to, &result);
		kb_environment_settle(&result, env);
		snprintf(to->environment, sizeof to->environment, "%s", result.environment.id);
	}
	json_decref(json);
	return error;
}
