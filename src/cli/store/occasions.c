/* See occasions.h. */
#include "cli/store/occasions.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/store/alike.h"
#include "result/comparison.h"
#include "result/json/json.h"

#define RUNS_MAX 20             /* that are looked back on */
#define USUAL .0025             /* of times of the kernel and of memory: between 0.1 and 1 % were seen on shared hosts (doc/noise.md) */
#define USUAL_CYCLES .0002      /* of what the core alone bounds */
#define USUAL_RATIO .0005       /* of ratios to a twin: eight runs of 15 s differed by 0.04 to 0.05 % */
#define SE_IN_CI 1.96           /* standard errors in the half-width of an interval */

static bool in_cycles(const struct kb_result *result)
{
	return kb_core_bound(result->bound) && result->estimate_cycles.known;
}

static bool is_like(const struct kb_result *a, const struct kb_result *b)
{
	return !strcmp(kb_time_unit(a), kb_time_unit(b)) && !strcmp(a->per, b->per) && a->method == b->method &&
	       a->headline == b->headline && in_cycles(a) == in_cycles(b) && !kb_unlike_grids(a, b);
}

int kb_occasion_add(struct kb_occasion_line *line, const struct kb_result *result)
{
	const struct kb_estimate *e = line->ratios ? &result->ratio : in_cycles(result) ? &result->estimate_cycles : &result->estimate;

	if (!e->known || !e->bounded || !(e->value > 0) || result->verdict.status == KB_INVALID || !is_like(result, line->like))
		return 0;
	if (line->count == line->room) {
		size_t room = line->room ? 2 * line->room : 32;
		double *ln = realloc(line->ln, room * sizeof *ln), *se;

		line->ln = ln ? ln : line->ln;
		se = realloc(line->se, room * sizeof *se);
		line->se = se ? se : line->se;
		if (!ln || !se)
			return -ENOMEM;
		line->room = room;
	}
	line->ln[line->count] = log(e->value);
	line->se[line->count++] = (e->high - e->low) / 2 / e->value / SE_IN_CI;
	return 0;
}

/* An emulator counts the same on every occasion. */
struct kb_occasion kb_occasion_of(const struct kb_occasion_line *line)
{
	if (!strcmp(kb_time_unit(line->like), "insn"))
		return (struct kb_occasion){ .sd = 0, .df = 1 };
	return kb_occasion_find(line->ln, line->se, line->count, line->ratios ? USUAL_RATIO : in_cycles(line->like) ? USUAL_CYCLES : USUAL);
}

void kb_occasion_free(struct kb_occasion_line *line)
{
	free(line->ln);
	free(line->se);
}

/* ---- from the store -------------------------------------------------------------------------------------- */

struct search {
	const struct kb_command *command;
	const char *env;
	json_int_t cpu;
	char ids[RUNS_MAX][37];
	size_t runs;                    /* found so far, also those that newer ones replaced */
	struct kb_occasion_line *lines;
	size_t count, next;             /* next: where the last search ended, for runs have their results in about one order */
};

/* The store hands out the oldest first: a ring keeps the newest. */
static int take_run(void *context, const struct kb_stored_run *run)
{
	struct search *search = context;

	json_t *settings = strcmp(run->env_class, search->env) ? NULL : json_loads(run->settings, 0, NULL);

	if (settings && !json_object_get(settings, "ab") && kb_alike_cpu(settings) == search->cpu)
		snprintf(search->ids[search->runs++ % RUNS_MAX], sizeof search->ids[0], "%s", run->id);
	json_decref(settings);
	return 0;
}

static struct kb_occasion_line *line_of(struct search *search, const char *key)
{
	for (size_t k = 0; k < search->count; k++) {
		size_t at = (search->next + k) % search->count;

		if (!strcmp(search->lines[at].key, key)) {
			search->next = at + 1;
			return &search->lines[at];
		}
	}
	return NULL;
}

/* A result that cannot be read tells nothing of occasions; who shows it gets the message. */
static int take_row(void *context, const char *key, const char *text)
{
	struct search *search = context;
	struct kb_occasion_line *line = line_of(search, key);
	struct kb_result *result = line ? malloc(sizeof *result) : NULL;
	json_t *json = result ? json_loads(text, 0, NULL) : NULL;

	if (line && (!result || (kb_result_from_json(result, json) == 0 && kb_occasion_add(line, result))))
		kb_no_memory(search->command);
	json_decref(json);
	free(result);
	return 0;
}

void kb_occasions_load(const struct kb_command *command, struct kb_store *store, const struct kb_saved *saved,
                       struct kb_occasion_line *lines, size_t count)
{
	struct search search = {
		.command = command, .env = kb_alike_env(saved), .cpu = kb_alike_cpu(json_object_get(saved->run, "settings")),
		.lines = lines, .count = count,
	};

	kb_saved_check(command, store, kb_store_each_run(store, take_run, &search));
	size_t oldest = search.runs > RUNS_MAX ? search.runs % RUNS_MAX : 0, most = search.runs < RUNS_MAX ? search.runs : RUNS_MAX;

	for (size_t i = 0; i < most; i++)
		kb_saved_check(command, store, kb_store_each_summary(store, search.ids[(oldest + i) % RUNS_MAX], take_row, &search));
}
