/* See layers_find.h. */
#include "cli/model/layers_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/store/saved.h"
#include "result/json/environment.h"
#include "result/json/json.h"
#include "run/backend/sel4.h"
#include "suite/select.h"

/* A layer's best result so far. */
struct best {
	struct kb_stored_result row;
	struct kb_environment here;     /* that a result of this machine has; its ID "": not known */
	int rank;                       /* 0: none */
	char elsewhere[64];             /* the benchmark, where there are results of another target or architecture; "": none */
};

/* ---- what it would be measured on here ------------------------------------------------------------------- */

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

/* Of a layer's row on this machine, as it is now. A seL4 that is named and has no image has an ID that no result has. */
static void find_environment(const struct kb_layers_search *about, const struct kb_layer *layer, struct kb_environment *environment)
{
	const struct kb_bench *bench = named(layer->row);
	const struct kb_backend *backend = bench ? kb_backend_of_bench(bench) : NULL;
	struct kb_result result = { .benchmark = "" };
	bool sel4 = backend && !strcmp(backend->name, KB_SEL4);
	struct kb_sel4_prefix prefix;
	char why[KB_SEL4_WHY];

	if (!bench || (sel4 && !kb_sel4_prefix(&prefix, why)))
		return;
	snprintf(result.benchmark, sizeof result.benchmark, "%s", bench->name);
	if (backend->emulator)
		snprintf(result.arch, sizeof result.arch, "%s", backend->name);
	if (sel4 && !kb_sel4_fact(kb_sel4_device(), "arch", result.arch, sizeof result.arch))
		result.environment = (struct kb_environment){ .id = "none", .target = "sel4" };
	kb_environment_settle(&result, about->env);
	*environment = result.environment;
}

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

/* A number is worth more than none, and one of this machine more than another's. 0: it was not measured: its turn never came, or the
   budget ended before its first process did. */
static int rank_of(const struct best *best, const struct kb_stored_result *row)
{
	bool number = kb_stored_has_number(row);
	bool failed = !strcmp(row->status, kb_status_name(KB_UNVERIFIED)) || !strcmp(row->status, kb_status_name(KB_INVALID));

	return row->damaged || !(number || failed) ? 0 : 1 + 2 * number + !strcmp(row->environment, best->here.id);
}

static bool is_newer(const struct kb_stored_result *row, const struct kb_stored_result *other)
{
	int order = strcmp(row->started, other->started);

	order = order ? order : strcmp(row->run_id, other->run_id);
	return order ? order > 0 : row->position > other->position;
}

/* Another machine's number may stand for this one's; that of another architecture, or of another seL4 than the one that is named, may not. */
static bool is_comparable(const struct kb_layers_search *about, struct kb_store *store, const struct best *best, const struct kb_stored_result *row)
{
	if (!best->here.id[0] || !strcmp(row->environment, best->here.id))
		return true;
	if (!strcmp(best->here.target, "sel4"))
		return false;

	struct kb_result *result = kb_saved_result(about->command, store, row, NULL);
	const char *arch = result->environment.arch;
	bool same = !arch[0] || !strcmp(arch, best->here.arch);

	free(result);
	return same;
}

/* The newest comes first: the first number of this machine is the best there is. */
static void look_through(const struct kb_layers_search *about, struct kb_store *store, const struct kb_stored_result *series, struct best *best)
{
	struct kb_stored_result row;
	struct kb_query *query;

	kb_saved_check(about->command, store, kb_store_history(store, series->benchmark, series->parameters, NULL, KB_NEWEST_FIRST, &query));
	while (kb_saved_next(about->command, store, query, &row)) {
		int rank = rank_of(best, &row);
		bool better = rank > best->rank || (rank && rank == best->rank && is_newer(&row, &best->row));

		if (better && !is_comparable(about, store, best, &row)) {
			snprintf(best->elsewhere, sizeof best->elsewhere, "%s", row.benchmark);
		} else if (better) {
			best->row = row;
			best->rank = rank;
		}
		if (rank == 4) {
			kb_store_done(query);
			return;
		}
	}
}

static int take_machine(void *machine, const struct kb_stored_run *run)
{
	name_machine(run->env, machine);
	return 0;
}

static void take_best(const struct kb_layers_search *about, struct kb_store *store, const struct best *best, struct kb_layer_answer *answer)
{
	struct kb_result *result = kb_saved_result(about->command, store, &best->row, NULL);

	answer->result = *result;
	free(result);
	answer->found = true;
	answer->here = !strcmp(best->row.environment, best->here.id);
	snprintf(answer->run, sizeof answer->run, "%s", best->row.run_id);
	snprintf(answer->started, sizeof answer->started, "%.20s", best->row.started);
	kb_saved_check(about->command, store, kb_store_get_run(store, best->row.run_id, take_machine, answer->machine));
	if (!strcmp(answer->result.environment.target, "sel4"))
		snprintf(answer->machine, sizeof answer->machine, "%.110s, environment ID %s",
			 kb_environment_words((char[KB_ENVIRONMENT_WORDS]){ "" }, &answer->result.environment), answer->result.environment.id);
}

/* What only trying tells: the right to a priority, a module. */
static void take_lack(const struct kb_layers_search *about, struct kb_store *store, const struct kb_stored_result *series,
		      struct kb_layer_answer *answer)
{
	struct kb_stored_result row;
	struct kb_query *query;

	kb_saved_check(about->command, store, kb_store_history(store, series->benchmark, series->parameters, about->here, KB_OLDEST_FIRST, &query));
	while (kb_saved_next(about->command, store, query, &row)) {
		struct kb_result *result = row.damaged ? NULL : kb_saved_result(about->command, store, &row, NULL);
		const struct kb_verdict *verdict = result ? &result->verdict : NULL;

		for (unsigned i = 0; verdict && i < verdict->count && i < KB_REASONS_MAX; i++) {
			if (verdict->reasons[i].code == KB_CODE_need_unmet)
				snprintf(answer->why, sizeof answer->why, "skipped on this machine: %s", verdict->reasons[i].detail);
		}
		free(result);
	}
}

/* False: there is none yet. */
static bool open_store(const struct kb_layers_search *about, struct kb_store **store)
{
	int result = kb_store_open(store, about->store, KB_STORE_READ);

	if (result != -ENOENT)
		kb_saved_check(about->command, *store, result);
	return result == 0;
}

static void search(const struct kb_layers_search *about, struct kb_store *store, const struct kb_layers *layers, struct kb_layer_answer *answers)
{
	static struct best best[KB_LAYERS_MAX];
	struct kb_stored_result row;
	struct kb_query *series;

	memset(best, 0, sizeof best);
	for (unsigned i = 0; i < layers->count; i++)
		find_environment(about, &layers->layers[i], &best[i].here);
	for (int lacking = 0; lacking < 2; lacking++) {
		kb_saved_check(about->command, store, kb_store_series(store, &series));
		while (kb_saved_next(about->command, store, series, &row)) {
			for (unsigned i = 0; i < layers->count; i++) {
				if (!layers->layers[i].row.length || !kb_layers_match(layers->layers[i].row, row.row))
					continue;
				if (!lacking)
					look_through(about, store, &row, &best[i]);
				else if (!best[i].rank)
					take_lack(about, store, &row, &answers[i]);
			}
		}
	}
	for (unsigned i = 0; i < layers->count; i++) {
		if (best[i].rank)
			take_best(about, store, &best[i], &answers[i]);
		else if (best[i].elsewhere[0] && !answers[i].why[0])
			snprintf(answers[i].why, sizeof answers[i].why, "not measured on %.160s, but in other environments: kbench history %.64s --env '*'",
				 kb_environment_words((char[KB_ENVIRONMENT_WORDS]){ "" }, &best[i].here), best[i].elsewhere);
	}
}

struct labelled {
	const struct kb_layers_search *about;
	const char *label;
	struct kb_layers_run *found;
};

/* As for rows: what is found later is newer, and one of this machine is worth more. */
static int take_labelled(void *context, const struct kb_stored_run *run)
{
	struct labelled *labelled = context;
	struct kb_layers_run *found = labelled->found;
	bool here = strcmp(run->env_class, labelled->about->here) == 0;

	if (strcmp(run->label, labelled->label) != 0 || (found->here && !here))
		return 0;
	found->here = here;
	snprintf(found->id, sizeof found->id, "%s", run->id);
	name_machine(run->env, found->machine);
	return 0;
}

void kb_layers_find_run(const struct kb_layers_search *about, const char *label, struct kb_layers_run *found)
{
	struct kb_store *store;

	*found = (struct kb_layers_run){ .here = false };
	if (open_store(about, &store))
		kb_saved_check(about->command, store, kb_store_each_run(store, take_labelled, &(struct labelled){ about, label, found }));
	kb_store_close(store);
}

/* ---- why nothing is there -------------------------------------------------------------------------------- */

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
	struct kb_store *store;

	for (unsigned i = 0; i < layers->count; i++)
		answers[i] = (struct kb_layer_answer){ .layer = &layers->layers[i] };
	if (open_store(about, &store))
		search(about, store, layers, answers);
	kb_store_close(store);
	for (unsigned i = 0; i < layers->count; i++) {
		if (!answers[i].found)
			explain(about, &answers[i]);
	}
}
