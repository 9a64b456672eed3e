/* See compare.h. It reads results only, which hold a cost for each process, so a thousand take no time, unless their headlines differ in kind. */
#include "workflow/runs/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/occasions.h"
#include "base/text.h"
#include "grown.h"
#include "result/json/comparison.h"
#include "result/json/json.h"
#include "suite/select.h"
#include "workflow/records.h"
#include "workflow/runs/alike.h"

/* Results that are compared. */
struct pair {
	struct kb_compared_item *a, *b;
	bool mixed;                     /* their headlines are of two kinds */
	bool made;                      /* both observed costs were made again from the records */
	char unlike[KB_ALIKE_ROOM];     /* why they are no measures of one thing; "": they are */
	struct kb_occasion_line line;
};

struct job {
	struct kb_store *store;
	const struct kb_compare_request *request;
	struct kb_compared *to;
	struct kb_failure *failure;
	bool *matched;                  /* by pattern */
	struct pair *pairs;
	size_t count;
};

/* ---- reading --------------------------------------------------------------------------------------------- */

/* Every pattern is tried, also after a match: each must have matched something in the end. */
static bool wanted(const struct job *job, const struct kb_stored_result *row)
{
	bool any = job->request->pattern_count == 0;

	for (size_t i = 0; i < job->request->pattern_count; i++) {
		if (kb_result_matches(job->request->patterns[i], row->benchmark, row->row))
			any = job->matched[i] = true;
	}
	return any;
}

static int take_row(const struct job *job, struct kb_compared_side *side, const struct kb_stored_result *row)
{
	struct kb_result *result;
	int error;

	if (!KB_GROW(side->items, side->count))
		return kb_refuse_memory(job->failure);
	error = kb_saved_read_result(job->store, row, &side->saved, &result, NULL);
	if (error)
		return kb_refuse_store(job->failure, job->store, error);
	side->items[side->count++] = (struct kb_compared_item){ *row, result, false };
	/* Results of versions without costs of processes can be made again from their records. Those of an emulator never have costs. */
	if (result->processes == 0 || result->process_cost_count > 0 || kb_verdict_has(&result->verdict, KB_CODE_emulated_clock))
		return 0;
	return kb_refuse(job->failure, KB_EXIT_USAGE, "the result of '%s' is of an older version; 'kbench maintain %s' makes it again from "
			 "its records", row->row, side->saved.id);
}

static int take_side(const struct job *job, struct kb_compared_side *side, const char *id)
{
	struct kb_stored_result row;
	struct kb_query *query;
	int found = kb_saved_read(job->store, id, &side->saved) ?: kb_store_results(job->store, id, &query), code = 0;

	if (found)
		return kb_refuse_store(job->failure, job->store, found);
	while (!code && (found = kb_store_next(query, &row)) > 0) {
		if (wanted(job, &row))
			code = take_row(job, side, &row);
	}
	kb_store_done(query);
	return code ?: kb_refuse_store(job->failure, job->store, found);
}

/* The newer one first, for it may say which is the older. */
static int take_sides(const struct job *job)
{
	const char *const *names = job->request->runs;
	char base[37], new[37];
	int error = kb_store_find_run(job->store, names[1], new);

	if (error)
		return kb_refuse_store(job->failure, job->store, error);
	error = names[0] ? kb_store_find_run(job->store, names[0], base) : kb_compare_find_base(job->store, new, base);
	if (!names[0] && error == -ENOENT)
		return kb_refuse(job->failure, KB_EXIT_USAGE, "run %s is the first one of its environment and CPU: there is none before it to compare "
				 "with", new);
	if (error)
		return kb_refuse_store(job->failure, job->store, error);
	if (take_side(job, &job->to->side[0], base) || take_side(job, &job->to->side[1], new))
		return job->failure->code;
	for (size_t i = 0; i < job->request->pattern_count; i++) {
		if (!job->matched[i])
			return kb_refuse(job->failure, KB_EXIT_USAGE, "'%.64s' is neither a result of run %s or %s nor a run",
					 job->request->patterns[i], base, new);
	}
	job->to->paired = kb_alike_batch(&job->to->side[0].saved, &job->to->side[1].saved);
	return 0;
}

/* ---- pairs ----------------------------------------------------------------------------------------------- */

/* Two plug-ins of one comparison have two names. */
static bool same_row(const struct kb_compared *to, const char *a, const char *b)
{
	static const char prefix[] = "plugin.";
	bool plugins = to->paired && strncmp(a, prefix, sizeof prefix - 1) == 0 && strncmp(b, prefix, sizeof prefix - 1) == 0;

	return strcmp(a, b) == 0 || (plugins && strcmp(a + strcspn(a, " "), b + strcspn(b, " ")) == 0);
}

/* Rows of both runs stand in about the same order, so the search starts where the last one ended. */
static struct kb_compared_item *partner(const struct kb_compared *to, const struct kb_compared_item *a, size_t *next)
{
	const struct kb_compared_side *b = &to->side[1];

	for (size_t k = 0; k < b->count; k++) {
		size_t at = (*next + k) % b->count;

		if (!b->items[at].taken && same_row(to, a->row.row, b->items[at].row.row)) {
			*next = at + 1;
			return &b->items[at];
		}
	}
	return NULL;
}

static int find_pairs(struct job *job)
{
	struct kb_compared_side *side = &job->to->side[0];
	size_t next = 0;

	job->pairs = calloc(side->count + 1, sizeof *job->pairs);
	if (!job->pairs)
		return kb_refuse_memory(job->failure);
	for (size_t i = 0; i < side->count; i++) {
		struct kb_compared_item *a = &side->items[i], *b = partner(job->to, a, &next);

		if (!b)
			continue;
		a->taken = b->taken = true;
		/* Results without a cost are compared as they are. */
		job->pairs[job->count++] = (struct pair){
			.a = a, .b = b, .mixed = a->result->process_cost_count > 0 && b->result->process_cost_count > 0 &&
						 a->result->headline != b->result->headline,
		};
	}
	return 0;
}

/* ---- whether they measured one thing ---------------------------------------------------------------------- */

/* Kernels are compared to learn what a change of their code costs; a change of their options is another question. */
static int check_kernels(const struct job *job, const struct pair *pair)
{
	const struct kb_environment *a = &pair->a->result->environment, *b = &pair->b->result->environment;
	char (*kernels)[72] = job->to->kernels;

	if (pair->unlike[0])
		return 0;
	if (!job->request->any_config && a->config[0] && b->config[0] && strcmp(a->config, b->config) != 0)
		return kb_refuse(job->failure, KB_EXIT_USAGE, "the kernels are configured differently (%.16s and %.16s, see 'kbench show --json'); "
				 "--any-config compares what that costs", a->config, b->config);
	if (!kernels[0][0] && a->kernel[0] && b->kernel[0] && strcmp(a->kernel, b->kernel) != 0) {
		snprintf(kernels[0], sizeof *kernels, "%s", a->kernel);
		snprintf(kernels[1], sizeof *kernels, "%s", b->kernel);
	}
	return 0;
}

/* Result by result: those of one run may be of several machines, emulated ones among them. What never ran may not say on what it would have. */
static int check_environments(struct job *job)
{
	struct kb_compared *to = job->to;

	kb_visible_copy(to->environment, sizeof to->environment,
			job->count > 0 ? job->pairs[0].b->row.environment : kb_alike_env(&to->side[1].saved));
	for (size_t i = 0; i < job->count; i++) {
		struct pair *pair = &job->pairs[i];
		const struct kb_environment *a = &pair->a->result->environment, *b = &pair->b->result->environment;

		if (a->id[0] && b->id[0])
			kb_alike_differ(&to->side[0].saved, a, &to->side[1].saved, b, pair->unlike);
		if (pair->unlike[0] && !job->request->any_env)
			return kb_refuse(job->failure, KB_EXIT_USAGE, "%.64s: %s differ, so the numbers measure different things; --any-env prints "
					 "them side by side", pair->b->row.row, pair->unlike);
		if (check_kernels(job, pair))
			return job->failure->code;
		to->several |= strcmp(b->id, job->pairs[0].b->result->environment.id) != 0;
	}
	return 0;
}

/* ---- what they come to ------------------------------------------------------------------------------------- */

static int make_observed(const struct job *job, struct pair *pair)
{
	pair->made = true;
	for (unsigned side = 0; side < 2; side++) {
		struct kb_compared_item *item = side == 0 ? pair->a : pair->b;
		int error = kb_records_observed(job->store, job->to->side[side].saved.id, item->result);

		if (error && error != -ENOENT)
			return kb_refuse_store(job->failure, job->store, error);
		kb_stored_result_of(&item->row, item->result);
		pair->made = pair->made && error == 0;
	}
	return 0;
}

/* Whatever was measured on one occasion has none between its sides. */
static int meet_occasions(struct job *job)
{
	const struct kb_saved *new = &job->to->side[1].saved;
	struct kb_occasion_line *lines = calloc(job->count + 1, sizeof *lines);
	int error = lines ? 0 : -ENOMEM;

	for (size_t i = 0; i < job->count && !error; i++)
		lines[i] = (struct kb_occasion_line){
			.like = &job->pairs[i].b->row, .ratios = kb_compared_by_ratio(job->pairs[i].a->result, job->pairs[i].b->result),
		};
	if (!job->to->paired && !error)
		error = kb_occasions_load(job->store, kb_alike_env(new), kb_alike_cpu(json_object_get(new->run, "settings")), lines, job->count);
	for (size_t i = 0; i < job->count && lines; i++)
		job->pairs[i].line = lines[i];
	free(lines);
	return kb_refuse_store(job->failure, job->store, error);
}

static void compare_pair(const struct job *job, const struct pair *pair, struct kb_comparison *row)
{
	struct kb_compare_rules rules = {
		.margin = kb_margin_ln(job->request->margin), .exact_margin = job->request->exact_margin,
		.unlike = pair->unlike[0] ? pair->unlike : NULL, .paired = job->to->paired,
	};

	/* Without records there is nothing that both can be asked for. */
	if (pair->mixed && !pair->made && !rules.unlike)
		rules.unlike = "headlines of two kinds, and no records";
	if (!job->to->paired)
		rules.occasion = kb_occasion_of(&pair->line);
	kb_compare_results(pair->a->result, pair->b->result, &rules, row);
	if (pair->made)
		row->compared = "observed";
}

static int compare_pairs(struct job *job)
{
	struct kb_compared *to = job->to;

	for (size_t i = 0; i < job->count; i++) {
		if (job->pairs[i].mixed && make_observed(job, &job->pairs[i]))
			return job->failure->code;
	}
	if (meet_occasions(job))
		return job->failure->code;
	to->rows = calloc(job->count + 1, sizeof *to->rows);
	if (!to->rows)
		return kb_refuse_memory(job->failure);
	for (; to->count < job->count; to->count++)
		compare_pair(job, &job->pairs[to->count], &to->rows[to->count]);
	return kb_compare_family(to->rows, to->count) ? kb_refuse_memory(job->failure) : 0;
}

int kb_compare_runs(struct kb_store *store, const struct kb_compare_request *request, struct kb_compared *to, struct kb_failure *failure)
{
	struct job job = { store, request, to, failure, .matched = calloc(request->pattern_count + 1, sizeof *job.matched) };
	int code;

	*to = (struct kb_compared){ .margin = request->margin };
	code = job.matched ? take_sides(&job) ?: find_pairs(&job) ?: check_environments(&job) ?: compare_pairs(&job) : kb_refuse_memory(failure);
	for (size_t i = 0; i < job.count; i++)
		kb_occasion_free(&job.pairs[i].line);
	free(job.pairs);
	free(job.matched);
	return code;
}

void kb_compared_release(struct kb_compared *compared)
{
	for (unsigned side = 0; side < 2; side++) {
		struct kb_compared_side *s = &compared->side[side];

		for (size_t i = 0; i < s->count; i++)
			free(s->items[i].result);
		free(s->items);
		kb_saved_release(&s->saved);
	}
	free(compared->rows);
}

/* ---- the run to be held against ---------------------------------------------------------------------------- */

/* Names of all results of a run, as members of an object. */
static int take_names(struct kb_store *store, const char *id, json_t *names)
{
	struct kb_stored_result row;
	struct kb_query *query;
	int found = kb_store_results(store, id, &query);

	if (found)
		return found;
	while ((found = kb_store_next(query, &row)) > 0)
		json_object_set_new(names, row.row, json_true());
	kb_store_done(query);
	return found;
}

/* 1: it shares a result with those of the names, 0: none, or an error. */
static int shares(struct kb_store *store, const char *id, const json_t *names)
{
	json_t *others = json_object();
	int found = take_names(store, id, others);
	const char *name;
	json_t *value;

	json_object_foreach(others, name, value)
		found = found == 0 && json_object_get(names, name) ? 1 : found;
	json_decref(others);
	return found;
}

/* The other side of the same `kbench ab`, which is named by its base. */
static bool find_other_side(struct kb_store *store, const struct kb_saved *saved, char base[37])
{
	const char *batch = kb_json_string_of(json_object_get(json_object_get(saved->run, "settings"), "ab"), "batch");

	return batch[0] && strcmp(batch, saved->id) != 0 && kb_store_find_run(store, batch, base) == 0 && strcmp(batch, base) == 0;
}

/* The newest earlier run that shares a result, else the newest; "": there is none. */
static int find_earlier(struct kb_store *store, const struct kb_saved *saved, char base[37])
{
	enum { LOOK_BACK = 100 };
	char ids[LOOK_BACK][37];
	json_t *names = json_object();
	unsigned count = 0;
	int found = take_names(store, saved->id, names);

	base[0] = '\0';
	if (!found)
		found = kb_store_recent_runs(store, kb_alike_env(saved), kb_alike_cpu(json_object_get(saved->run, "settings")), ids, LOOK_BACK,
					     &count);
	for (unsigned i = 0; i < count && found == 0; i++) {
		/* Ids sort by time. */
		if (strcmp(ids[i], saved->id) >= 0)
			continue;
		found = shares(store, ids[i], names);
		if (found == 1 || !base[0])
			memcpy(base, ids[i], sizeof ids[i]);
	}
	json_decref(names);
	return found < 0 ? found : 0;
}

int kb_compare_find_base(struct kb_store *store, const char *id, char base[37])
{
	struct kb_saved saved;
	int error = kb_saved_read(store, id, &saved);

	if (!error && !find_other_side(store, &saved, base))
		error = find_earlier(store, &saved, base);
	kb_saved_release(&saved);
	return error ? error : base[0] ? 0 : -ENOENT;
}

/* ---- JSON -------------------------------------------------------------------------------------------------- */

static json_t *alone(const struct kb_compared_side *side)
{
	json_t *array = json_array();

	for (size_t i = 0; i < side->count; i++) {
		if (!side->items[i].taken)
			json_array_append_new(array, kb_json_string(side->items[i].row.row));
	}
	return array;
}

json_t *kb_compared_to_json(const struct kb_compared *compared, int code)
{
	return kb_comparisons_to_json(json_incref(compared->side[0].saved.run), json_incref(compared->side[1].saved.run), compared->rows,
				      compared->count, alone(&compared->side[0]), alone(&compared->side[1]), code);
}
