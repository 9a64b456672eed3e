/*
 * Everything is a logarithm of a ratio, so that swapping the sides only changes the sign. What cannot be compared (other clocks,
 * units, methods, environments) keeps its numbers for the reader and gets no decision; and no decision comes from fewer launches
 * than an interval needs, however narrow the blocks of a single one look.
 */
#define _GNU_SOURCE
#include "run/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA 0.05      /* of the family */

/* ---- what is compared ---------------------------------------------------------------------------- */

static bool all_cycles(const struct kb_result *result)
{
	for (unsigned i = 0; i < result->process_cost_count; i++) {
		if (!(result->process_costs[i].cycles > 0))
			return false;
	}
	return result->process_cost_count > 0;
}

static bool in_cycles(const struct kb_result *a, const struct kb_result *b)
{
	return kb_core_bound(a->bound) && kb_core_bound(b->bound) && all_cycles(a) && all_cycles(b);
}

static bool in_two_units(const struct kb_result *a, const struct kb_result *b)
{
	return a->processes > 0 && b->processes > 0 && strcmp(kb_time_unit(a), kb_time_unit(b)) != 0;
}

/* Nothing to compare is there; a row that the run had no time for is one of which nothing is known. */
static bool is_absent(const struct kb_result *result)
{
	return result->verdict.status == KB_SKIPPED && !kb_verdict_has(&result->verdict, KB_CODE_not_reached);
}

static void begin(const struct kb_result *a, const struct kb_result *b, bool cycles, struct kb_comparison *c)
{
	*c = (struct kb_comparison){
		.unit = cycles ? "cycles" : kb_time_unit(a->processes > 0 ? a : b),
		.unit_b = !cycles && in_two_units(a, b) ? kb_time_unit(b) : NULL, .a = cycles ? a->estimate_cycles : a->estimate,
		.b = cycles ? b->estimate_cycles : b->estimate, .p_holm = 1, .q = 1, .p_rank = 1,
		.difference = { .ln = { .why = KB_CODE_too_few_effective }, .p_slower = 1, .p_faster = 1 },
		.decision = KB_INCONCLUSIVE, .status = { a->verdict.status, b->verdict.status },
	};
	kb_row_name(c->key, a);
	kb_row_name(c->key_b, b);
	c->invalid = a->verdict.status == KB_INVALID || b->verdict.status == KB_INVALID;
	c->counts = a->bound != KB_NOTHING && !(is_absent(a) && is_absent(b));
}

/* What makes the two numbers no measures of one thing. */
static void judge_sides(const struct kb_result *a, const struct kb_result *b, const char *foreign, struct kb_comparison *c)
{
	if (foreign)
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "%s", foreign);
	if (in_two_units(a, b))
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "units %s and %s, clocks %s and %s", kb_time_unit(a), kb_time_unit(b),
		               a->clock, b->clock);
	else if (strcmp(a->clock, b->clock) && a->clock[0] && b->clock[0])
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "clocks %s and %s", a->clock, b->clock);
	if (strcmp(a->per, b->per) && a->per[0] && b->per[0])
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "operations %s and %s", a->per, b->per);
	if (strcmp(a->method, b->method) && a->method[0] && b->method[0])
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "methods %s and %s", a->method, b->method);
	if (!strcmp(a->method, "kanata") && !strcmp(b->method, "kanata") && (a->n_min != b->n_min || a->n_max != b->n_max))
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "n from %llu to %llu and from %llu to %llu",
		               (unsigned long long)a->n_min, (unsigned long long)a->n_max, (unsigned long long)b->n_min,
		               (unsigned long long)b->n_max);
}

/* After numbers and margin: the decision, and what it is worth. What lies between the user's margin and the noise floor
   is not slower, for this machine cannot tell; for the same reason it is not equivalent. */
static void decide(struct kb_comparison *c, double user)
{
	const struct kb_interval *ln = &c->difference.ln;

	if (c->unit_b)
		;       /* said */
	else if (c->launches == 0 && !c->invalid)
		kb_verdict_add(&c->verdict, KB_CODE_too_few_effective, "no usable process on both sides");
	else if (c->launches < KB_LAUNCHES_MIN && !c->invalid)
		kb_verdict_add(&c->verdict, KB_CODE_single_launch, "%u of %u that a decision needs", c->launches, KB_LAUNCHES_MIN);
	if (c->launches < KB_LAUNCHES_MIN || c->invalid || kb_verdict_has(&c->verdict, KB_CODE_env_mismatch)) {
		c->difference.p_slower = c->difference.p_faster = 1;
		return;
	}
	enum kb_decision wished = kb_decide(ln, user);

	c->decision = kb_decide(ln, c->margin);
	if (wished == c->decision)
		return;
	c->decision = KB_INCONCLUSIVE;
	kb_verdict_add(&c->verdict, KB_CODE_below_noise_floor, "%+.2f %% seen, the floor is %.2f %%", 100 * expm1(ln->value),
	               100 * expm1(c->floor));
}

/* ---- results of two runs ------------------------------------------------------------------------- */

struct values { double ln[KB_PROCESS_COSTS_MAX]; unsigned count; };

/* ln of the launches' costs. A cost at or below zero has none: then the row has no ratio. */
static bool take(const struct kb_result *result, bool cycles, struct values *values)
{
	values->count = 0;
	for (unsigned i = 0; i < result->process_cost_count; i++) {
		const struct kb_process_cost *cost = &result->process_costs[i];
		double value = cycles ? cost->cycles : cost->cost;

		if (!(value > 0))
			return false;
		values->ln[values->count++] = log(value);
	}
	return true;
}

/* Launches that speak on both sides; a and b shrink to these. */
static void match(const struct kb_result *a, const struct kb_result *b, struct values *ln_a, struct values *ln_b)
{
	unsigned count = 0;

	for (unsigned i = 0; i < a->process_cost_count; i++) {
		for (unsigned k = count; k < b->process_cost_count; k++) {
			if (a->process_costs[i].process != b->process_costs[k].process)
				continue;
			ln_a->ln[count] = ln_a->ln[i];
			ln_b->ln[count++] = ln_b->ln[k];
			break;
		}
	}
	ln_a->count = ln_b->count = count;
}

static void compare_matched(const struct values *a, const struct values *b, struct kb_comparison *c)
{
	double d[KB_PROCESS_COSTS_MAX];

	for (unsigned i = 0; i < a->count; i++)
		d[i] = b->ln[i] - a->ln[i];
	c->difference = kb_compare_launches(d, a->count, c->margin);
}

static void compare_unmatched(const struct values *a, const struct values *b, struct kb_comparison *c)
{
	c->difference = kb_compare_unpaired(a->ln, a->count, b->ln, b->count, c->margin);
	c->p_rank = kb_brunner_munzel(a->ln, a->count, b->ln, b->count);
	if (a->count > 0 || b->count > 0)
		kb_verdict_add(&c->verdict, KB_CODE_unpaired, "%u and %u processes of two runs", a->count, b->count);
}

void kb_compare_results(const struct kb_result *a, const struct kb_result *b, const struct kb_compare_rules *rules,
                        struct kb_comparison *c)
{
	bool cycles = in_cycles(a, b);
	struct values ln_a, ln_b;

	begin(a, b, cycles, c);
	c->paired = rules->paired;
	c->floor = rules->floor;
	c->margin = kb_compare_margin(rules->margin, rules->floor);
	judge_sides(a, b, rules->foreign, c);
	if (c->unit_b) {
		ln_a.count = ln_b.count = 0;
	} else if (!take(a, cycles, &ln_a) || !take(b, cycles, &ln_b)) {
		kb_verdict_add(&c->verdict, KB_CODE_below_resolution, "a cost of zero or less has no ratio");
		ln_a.count = ln_b.count = 0;
	} else if (rules->paired) {
		match(a, b, &ln_a, &ln_b);
	}
	c->launches = ln_a.count < ln_b.count ? ln_a.count : ln_b.count;
	c->delta = 2 * kb_a12(ln_a.ln, ln_a.count, ln_b.ln, ln_b.count) - 1;
	if (rules->paired)
		compare_matched(&ln_a, &ln_b, c);
	else
		compare_unmatched(&ln_a, &ln_b, c);
	decide(c, rules->margin);
}

/* ---- measured in turn ---------------------------------------------------------------------------- */

static void compare_in_turn(const struct kb_pairs *pairs, struct kb_comparison *c)
{
	c->launches = kb_pairs_speaking(pairs);
	c->difference = kb_pairs_difference(pairs, c->margin);
	c->delta = 2 * kb_pairs_a12(pairs) - 1;
	c->split = kb_pairs_levels(pairs, &c->levels);
	c->shifted = kb_pairs_shift(pairs, c->shift);
}

void kb_compare_pairs(const struct kb_result *a, const struct kb_result *b, const struct kb_pairs *pairs,
                      const struct kb_pairs *self, const double *earlier, size_t earlier_count,
                      const struct kb_compare_rules *rules, struct kb_comparison *c)
{
	struct kb_interval noise = kb_pairs_difference(self, 0).ln;

	begin(a, b, in_cycles(a, b), c);
	c->paired = true;
	c->floor = kb_noise_floor(&noise, earlier, earlier_count);
	c->margin = kb_compare_margin(rules->margin, c->floor);
	judge_sides(a, b, rules->foreign, c);
	if (!c->unit_b)
		compare_in_turn(pairs, c);
	if (kb_verdict_has(&a->verdict, KB_CODE_below_resolution) || kb_verdict_has(&b->verdict, KB_CODE_below_resolution))
		kb_verdict_add(&c->verdict, KB_CODE_below_resolution, "a side cannot be told from zero");
	decide(c, rules->margin);
	/* Without a self-test nothing says what this machine cannot tell apart. */
	if (!noise.known && earlier_count == 0 && (c->decision == KB_SLOWER || c->decision == KB_FASTER)) {
		kb_verdict_add(&c->verdict, KB_CODE_below_noise_floor, "the self-test gave no noise floor");
		c->decision = KB_INCONCLUSIVE;
	}
}

bool kb_self_difference(const struct kb_result *result, double *mean)
{
	bool cycles = kb_core_bound(result->bound) && all_cycles(result);
	const struct kb_process_cost *cost = result->process_costs;
	unsigned pairs = 0;

	*mean = 0;
	for (unsigned i = 0; i + 1 < result->process_cost_count; i++) {
		double a = cycles ? cost[i].cycles : cost[i].cost, b = cycles ? cost[i + 1].cycles : cost[i + 1].cost;

		if (cost[i].process % 2 == 0 || cost[i + 1].process != cost[i].process + 1 || !(a > 0) || !(b > 0))
			continue;
		*mean += log(b / a);
		pairs++;
	}
	*mean = pairs > 0 ? *mean / pairs : 0;
	return pairs > 0;
}

/* ---- the family ---------------------------------------------------------------------------------- */

int kb_compare_family(struct kb_comparison *rows, size_t count)
{
	double *p = malloc((count + 1) * sizeof *p), *q = malloc((count + 1) * sizeof *q);
	size_t n = 0;

	for (size_t i = 0; p && q && i < count; i++) {
		if (!rows[i].counts)
			continue;
		p[n] = rows[i].difference.p_slower;
		q[n++] = fmin(2 * fmin(rows[i].difference.p_slower, rows[i].difference.p_faster), 1);
	}
	int error = !p || !q || kb_holm(p, n, p) || kb_benjamini_hochberg(q, n, q) ? -ENOMEM : 0;

	for (size_t i = 0, k = 0; !error && i < count; i++) {
		if (!rows[i].counts)
			continue;
		rows[i].p_holm = p[k];
		rows[i].q = q[k++];
		rows[i].regression = rows[i].decision == KB_SLOWER && rows[i].p_holm <= ALPHA && !rows[i].invalid &&
		                     rows[i].launches >= KB_LAUNCHES_MIN;
	}
	free(p);
	free(q);
	return error;
}
