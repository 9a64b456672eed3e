/* See occasions.h. */
#include "analysis/occasions.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence.h"
#include "grown.h"
#include "result/json/environment.h"
#include "stats/stats.h"

#define RUNS_MAX 20             /* that are looked back on */
#define USUAL .0025             /* of times of the kernel and of memory: between 0.1 and 1 % were seen on shared hosts (doc/noise.md) */
#define USUAL_CYCLES .0002      /* of what the core alone bounds */
#define USUAL_RATIO .0005       /* of ratios to a twin: eight runs of 15 s differed by 0.04 to 0.05 % */
#define SE_IN_CI 1.96           /* standard errors in the half-width of a 95 % CI */

static bool in_cycles(const struct kb_stored_result *result)
{
	return kb_core_bound(kb_bound_find(result->bound)) && !isnan(result->cycles.value);
}

static bool is_like(const struct kb_stored_result *a, const struct kb_stored_result *b)
{
	return !strcmp(a->unit, b->unit) && !strcmp(a->per, b->per) && !strcmp(a->method, b->method) &&
	       !strcmp(a->headline, b->headline) && in_cycles(a) == in_cycles(b) &&
	       !kb_unlike_samples(a->n_max, a->sample_ns, b->n_max, b->sample_ns);
}

int kb_occasion_add(struct kb_occasion_line *line, const struct kb_stored_result *result)
{
	const struct kb_stored_estimate *e = line->ratios ? &result->ratio : in_cycles(result) ? &result->cycles : &result->estimate;
	double width = e->high - e->low;

	if (isnan(width) || !(e->value > 0) || !strcmp(result->status, kb_status_name(KB_INVALID)) || !is_like(result, line->like))
		return 0;

	if (!KB_GROW(line->ln, line->count) || !KB_GROW(line->se, line->count))
		return -ENOMEM;
	line->ln[line->count] = log(e->value);
	line->se[line->count++] = width / 2 / e->value / SE_IN_CI;
	return 0;
}

/* An emulator counts the same on every occasion. */
struct kb_occasion kb_occasion_of(const struct kb_occasion_line *line)
{
	if (!strcmp(line->like->unit, "insn"))
		return (struct kb_occasion){ .sd = 0, .df = 1 };
	return kb_occasion_find(line->ln, line->se, line->count, line->ratios ? USUAL_RATIO : in_cycles(line->like) ? USUAL_CYCLES : USUAL);
}

void kb_occasion_free(struct kb_occasion_line *line)
{
	free(line->ln);
	free(line->se);
}

double kb_occasion_middle(const struct kb_comparison *rows, size_t count)
{
	double *sd = malloc((count + 1) * sizeof *sd), middle = NAN;
	size_t n = 0;

	for (size_t i = 0; i < count && sd; i++) {
		if (!rows[i].paired)
			sd[n++] = expm1(rows[i].occasion.sd);
	}
	if (n > 0) {
		kb_sort(sd, n);
		middle = kb_quantile_sorted(sd, n, 0.5);
	}
	free(sd);
	return middle;
}

/* ---- from the store -------------------------------------------------------------------------------------- */

/* Runs have their results in about one order, so the search starts where the last one ended. */
static struct kb_occasion_line *line_of(struct kb_occasion_line *lines, size_t count, size_t *next, const char *row)
{
	for (size_t k = 0; k < count; k++) {
		size_t at = (*next + k) % count;

		if (!strcmp(lines[at].like->row, row)) {
			*next = at + 1;
			return &lines[at];
		}
	}
	return NULL;
}

/* A damaged result says nothing of occasions; the command that shows it prints the message. */
static int add_run(struct kb_store *store, const char *id, struct kb_occasion_line *lines, size_t count)
{
	struct kb_stored_result row;
	struct kb_query *query;
	size_t next = 0;
	int found, error = kb_store_results(store, id, &query);

	if (error)
		return error;
	while ((found = kb_store_next(query, &row)) > 0) {
		struct kb_occasion_line *line = row.damaged ? NULL : line_of(lines, count, &next, row.row);

		if (line && kb_environment_same(row.environment, line->like->environment, KB_SAME_CONFIG) && (found = kb_occasion_add(line, &row)))
			break;
	}
	kb_store_done(query);
	return found;
}

int kb_occasions_load(struct kb_store *store, const char *environment, int64_t cpu, struct kb_occasion_line *lines, size_t count)
{
	char ids[RUNS_MAX][37];
	unsigned runs = 0;
	int error = kb_store_recent_runs(store, environment, cpu, ids, RUNS_MAX, &runs);

	while (!error && runs-- > 0)
		error = add_run(store, ids[runs], lines, count);
	return error;
}
