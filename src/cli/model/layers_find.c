/* See layers_find.h. */
#include "cli/model/layers_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/store/saved.h"
#include "result/json/json.h"
#include "suite/select.h"

struct search {
	const struct kb_layers_search *about;
	const struct kb_layers *layers;
	struct kb_layer_answer *answers;
	struct kb_store *store;
	const struct kb_stored_run *run;        /* the one that is being looked at */
	bool here;
	char machine[160];
	const char *label;                      /* of the run that is looked for */
	struct kb_layers_run *labelled;
};

/* ---- in the store ---------------------------------------------------------------------------------------- */

static void name_machine(const char *env, char machine[160])
{
	json_t *json = json_loads(env, 0, NULL);
	const json_t *facts = json_object_get(json, "facts");
	const char *given = json_string_value(json_object_get(facts, "machine"));
	const char *cpu = json_string_value(json_object_get(facts, "cpu_model"));
	const char *id = kb_json_env_id(json);

	/* One that was imported may have been given a name. */
	snprintf(machine, 160, "%.100s, environment ID %.20s", given ? given : cpu ? cpu : "unknown", id ? id : "unknown");
	json_decref(json);
}

static bool has_number(const struct kb_layer_answer *answer)
{
	return answer->result.estimate.known || answer->result.quiet.known;
}

/* A row whose turn never came was not, nor one that the budget ended before its first launch did. */
static bool was_measured(const struct kb_layer_answer *answer)
{
	enum kb_status status = answer->result.verdict.status;

	return has_number(answer) || status == KB_UNVERIFIED || status == KB_INVALID;
}

/* Runs come in order of start, so what is found later is newer. But a number is worth more than none, and one of this
   machine more than another's. */
static bool better(const struct kb_layer_answer *fresh, const struct kb_layer_answer *old)
{
	if (!old->found || has_number(fresh) != has_number(old))
		return !old->found || has_number(fresh);
	return fresh->here || !old->here;
}

/* What only trying tells: the right to a priority, a module. */
static void keep_lack(struct kb_layer_answer *answer, const struct kb_verdict *verdict)
{
	for (unsigned i = 0; i < verdict->count && i < KB_REASONS_MAX; i++) {
		if (verdict->reasons[i].code == KB_CODE_need_unmet)
			snprintf(answer->why, sizeof answer->why, "skipped on this machine: %s", verdict->reasons[i].detail);
	}
}

static void take_result(const struct search *search, struct kb_layer_answer *fresh, struct kb_layer_answer *answer)
{
	if (!was_measured(fresh)) {
		if (fresh->here && !answer->found)
			keep_lack(answer, &fresh->result.verdict);
		return;
	}
	snprintf(fresh->run, sizeof fresh->run, "%s", search->run->id);
	snprintf(fresh->started, sizeof fresh->started, "%.20s", search->run->started);
	snprintf(fresh->machine, sizeof fresh->machine, "%s", search->machine);
	if (better(fresh, answer))
		*answer = *fresh;
}

static int take_row(void *context, const char *key, const char *text)
{
	struct search *search = context;

	for (unsigned i = 0; i < search->layers->count; i++) {
		struct kb_layer_answer *answer = &search->answers[i];
		struct kb_layer_answer fresh = { .layer = answer->layer, .found = true, .here = search->here };
		json_t *json;

		if (!answer->layer->row.length || !kb_layers_match(answer->layer->row, key))
			continue;
		json = json_loads(text, 0, NULL);
		if (json && !kb_result_from_json(&fresh.result, json))
			take_result(search, &fresh, answer);
		json_decref(json);
	}
	return 0;
}

/* Side B of a comparison is another program or another environment, and A is measured again beside it. */
static bool is_of_ab(const struct kb_stored_run *run)
{
	json_t *settings = json_loads(run->settings, 0, NULL);
	bool is_side = json_object_get(settings, "ab") != NULL;

	json_decref(settings);
	return is_side;
}

static int take_run(void *context, const struct kb_stored_run *run)
{
	struct search *search = context;

	if (is_of_ab(run))
		return 0;
	search->run = run;
	search->here = strcmp(run->env_class, search->about->here) == 0;
	name_machine(run->env, search->machine);
	return kb_store_each_summary(search->store, run->id, take_row, search);
}

static void each_run(struct search *search, int (*visit)(void *, const struct kb_stored_run *))
{
	const struct kb_command *command = search->about->command;
	int result = kb_store_open(&search->store, search->about->store, KB_STORE_READ);

	if (result != -ENOENT) {
		kb_saved_check(command, search->store, result);
		kb_saved_check(command, search->store, kb_store_each_run(search->store, visit, search));
	}
	kb_store_close(search->store);
}

/* As for rows: what is found later is newer, and one of this machine is worth more. */
static int take_labelled(void *context, const struct kb_stored_run *run)
{
	struct search *search = context;
	struct kb_layers_run *found = search->labelled;
	bool here = strcmp(run->env_class, search->about->here) == 0;

	if (strcmp(run->label, search->label) != 0 || (found->here && !here))
		return 0;
	found->here = here;
	snprintf(found->id, sizeof found->id, "%s", run->id);
	name_machine(run->env, found->machine);
	return 0;
}

void kb_layers_find_run(const struct kb_layers_search *about, const char *label, struct kb_layers_run *found)
{
	struct search search = { .about = about, .label = label, .labelled = found };

	*found = (struct kb_layers_run){ .here = false };
	each_run(&search, take_labelled);
}

/* ---- why nothing is there -------------------------------------------------------------------------------- */

static const struct kb_bench *named(struct kb_span row)
{
	struct kb_span name = kb_span_word(&row);

	for (unsigned i = 0; i < kb_bench_count; i++) {
		if (kb_span_is(name, kb_benches[i]->name))
			return kb_benches[i];
	}
	for (const struct kb_cross_bench *cross = kb_cross_benches(); cross->bench; cross++) {
		if (kb_span_is(name, cross->bench->name))
			return cross->bench;
	}
	return NULL;
}

bool kb_layers_runs_here(const struct kb_layers_search *search, const struct kb_layer *layer, char why[320])
{
	const struct kb_bench *bench = layer->row.length ? named(layer->row) : NULL;

	why[0] = '\0';
	if (!layer->row.length)
		snprintf(why, 320, "%.*s", (int)layer->why.length, layer->why.at);
	else if (!bench)
		snprintf(why, 320, "this build has no such benchmark: see 'kbench list'");
	else if (!kb_collector_measures(kb_collectors_of(search->collectors, bench), false, why))
		return false;
	return !why[0];
}

/* The command that would measure it. */
static void name_command(struct kb_layer_answer *answer)
{
	struct kb_span rest = answer->layer->row, word;
	struct kb_text text = kb_text_in(answer->why, sizeof answer->why);

	kb_text_str(&text, "not measured on this machine, and no other result is stored: kbench run");
	for (const char *before = " "; (word = kb_span_word(&rest)).length > 0; before = " -p ") {
		kb_text_str(&text, before);
		kb_text_bytes(&text, word.at, word.length);
	}
}

static void explain(const struct kb_layers_search *about, struct kb_layer_answer *answer)
{
	char why[sizeof answer->why];

	if (!kb_layers_runs_here(about, answer->layer, why))
		snprintf(answer->why, sizeof answer->why, "%s", why);
	else if (!answer->why[0])       /* else it was tried */
		name_command(answer);
}

void kb_layers_find(const struct kb_layers_search *about, const struct kb_layers *layers, struct kb_layer_answer *answers)
{
	struct search search = { .about = about, .layers = layers, .answers = answers };

	for (unsigned i = 0; i < layers->count; i++)
		answers[i] = (struct kb_layer_answer){ .layer = &layers->layers[i] };
	each_run(&search, take_run);
	for (unsigned i = 0; i < layers->count; i++) {
		if (!answers[i].found)
			explain(about, &answers[i]);
	}
}
