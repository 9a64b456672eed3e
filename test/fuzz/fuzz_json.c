/*
 * Any bytes as JSON of a store: a result, the settings of a run, its environment. What is accepted is a result whose texts can be shown and
 * whose numbers are finite or not known; it is written, read and written again as the same text.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <math.h>

#include "result/json/environment.h"
#include "result/json/json.h"
#include "run/place.h"
#include "store/document.h"

static void require_estimate(const struct kb_estimate *e)
{
	require(!e->known || isfinite(e->value));
	require(!e->known || !e->bounded || (isfinite(e->low) && isfinite(e->high)));
}

static void require_result(const struct kb_result *result)
{
	char name[KB_ROW_NAME], words[KB_ENVIRONMENT_WORDS];

	require_line(kb_row_name(name, result));
	require(kb_is_visible(result->benchmark) && kb_is_visible(result->per) && kb_is_visible(result->clock) && kb_is_visible(result->environment.id));
	require(kb_is_visible(kb_environment_words(words, &result->environment)));
	require_estimate(&result->estimate);
	require_estimate(&result->quiet);
	require_estimate(&result->observed);
	require_estimate(&result->core_mhz);
	require(result->verdict.status < KB_STATUSES);
	require(result->verdict.count <= sizeof result->verdict.reasons / sizeof result->verdict.reasons[0]);
	for (unsigned i = 0; i < result->verdict.count; i++)
		require(kb_is_visible(result->verdict.reasons[i].detail));
}

/* The text of the result, and what is read of it. */
static char *write_and_read(const struct kb_result *result, struct kb_result *again)
{
	char *text = kb_json_take_text(kb_result_to_json(result));
	json_t *json = text ? json_loads(text, 0, NULL) : NULL;

	require(json != NULL && kb_result_from_json(again, json) == 0);
	json_decref(json);
	return text;
}

/* From the second time on: a result of version 1 has names of then, which are those of today behind that. */
static void same_again(const struct kb_result *result)
{
	static struct kb_result again, third;
	char *first = write_and_read(result, &again), *second = write_and_read(&again, &third), *last = write_and_read(&third, &again);

	require(!strcmp(second, last));
	free(first);
	free(second);
	free(last);
}

static void read_result(const json_t *json)
{
	static struct kb_result result;

	if (kb_result_from_json(&result, json))
		return;
	require_result(&result);
	same_again(&result);
	kb_environment_settle(&result, json_object_get(json, "env"));
	require_result(&result);
}

static void read_columns(const char *text, const json_t *env)
{
	struct kb_stored_result columns;
	const struct kb_stored_estimate *const all[] = { &columns.estimate, &columns.cycles, &columns.ratio };

	if (kb_stored_result_read(&columns, text, env))
		return;
	for (unsigned i = 0; i < 3; i++)
		require(!isinf(all[i]->value) && !isinf(all[i]->low) && !isinf(all[i]->high));
	require(!isinf(columns.quiet) && !isinf(columns.sample_ns) && !isinf(columns.mean) && !isinf(columns.mhz) && columns.n_max >= 0);
	require(kb_is_visible(columns.unit) && kb_is_visible(columns.per) && kb_is_visible(columns.clock) && kb_is_visible(columns.environment));
}

static void read_run(json_t *json)
{
	char line[KB_PLACE_LINE];
	const char *id = kb_json_env_id(json);
	json_t *visible = kb_json_visible(json);

	require(visible != NULL);
	require(kb_is_visible(kb_place_line(json, false, line)));
	require(kb_is_visible(kb_place_line(visible, true, line)));
	require(!id || kb_json_env_id(json) == id);
	json_decref(visible);
}

static void read_document(const char *text, json_t *json)
{
	const struct kb_stored_run run = { .id = "0", .started = "", .finished = "", .label = "", .command = text, .env_class = "", .env = text, .settings = text };
	json_t *stored = kb_stored_run_to_json(&run), *results = json_array(), *document;
	char *printed = NULL, *again;
	size_t length = 0;
	FILE *out;

	json_array_append(results, json);
	document = kb_result_document(stored ? stored : json_object(), json_incref(json), results);
	require(document != NULL && (out = open_memstream(&printed, &length)) != NULL);
	require(kb_json_print(out, document) == 0 && fclose(out) == 0);
	json_decref(document);
	/* What is not visible is an escape, and reads back. */
	for (again = printed; (again = strchrnul(again, '\n'))[0]; *again++ = ' ')
		;
	require(kb_is_visible(printed) && (document = json_loads(printed, 0, NULL)) != NULL);
	json_decref(document);
	free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	json_t *json = json_loads(text, 0, NULL);

	read_columns(text, json);
	read_result(json);
	if (json) {
		read_run(json);
		read_document(text, json);
	}
	json_decref(json);
	free(text);
	return 0;
}
