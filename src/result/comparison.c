/*
 * Everything is a logarithm of a ratio, so that swapping the sides only changes the sign. What cannot be compared (other clocks,
 * units, methods, environments) keeps its numbers for the reader and gets no decision; and no decision comes from fewer processes
 * than an interval needs, however narrow the blocks of a single one look.
 */
#define _GNU_SOURCE
#include "result/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA 0.05      /* of the family */
#define UNLIKE 4.0      /* times as long: no samples of one grid */

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
		.b = cycles ? b->estimate_cycles : b->estimate, .ns = { kb_time_of(a), kb_time_of(b) }, .p_holm = 1, .q = 1, .p_rank = 1,
		.difference = { .ln = { .why = KB_CODE_too_few_effective }, .detectable = NAN, .p_slower = 1, .p_faster = 1 },
		.decision = KB_INCONCLUSIVE, .status = { a->verdict.status, b->verdict.status },
	};
	kb_row_name(c->key, a);
	kb_row_name(c->key_b, b);
	c->invalid = a->verdict.status == KB_INVALID || b->verdict.status == KB_INVALID;
	c->counts = a->bound != KB_NOTHING && !(is_absent(a) && is_absent(b));
}

double kb_sample_ns(const struct kb_result *result)
{
	return result->ticks_per_ns > 0 && result->estimate.known ? (double)result->n_max * result->estimate.value : 0;
}

bool kb_unlike_samples(int64_t n_a, double ns_a, int64_t n_b, double ns_b)
{
	return n_a != n_b && ns_a > 0 && ns_b > 0 && fmax(ns_a, ns_b) > UNLIKE * fmin(ns_a, ns_b);
}

/* Of a run that ended early there may be only the proof. */
static bool was_measured(const struct kb_result *result)
{
	return result->method != KB_METHOD_NONE && result->method != KB_METHOD_PROOF;
}

/* What makes the two numbers no measures of one thing. */
static void judge_sides(const struct kb_result *a, const struct kb_result *b, const char *unlike, bool paired, struct kb_comparison *c)
{
	if (unlike)
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "%s", unlike);
	if (in_two_units(a, b))
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "units %s and %s, clocks %s and %s", kb_time_unit(a), kb_time_unit(b),
		               a->clock, b->clock);
	else if (strcmp(a->clock, b->clock) && a->clock[0] && b->clock[0])
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "clocks %s and %s", a->clock, b->clock);
	if (strcmp(a->per, b->per) && a->per[0] && b->per[0])
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "operations %s and %s", a->per, b->per);
	if (a->method != b->method && was_measured(a) && was_measured(b))
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "methods %s and %s", kb_methods[a->method].name, kb_methods[b->method].name);
	if (!paired && kb_unlike_samples((int64_t)a->n_max, kb_sample_ns(a), (int64_t)b->n_max, kb_sample_ns(b)))
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "samples of %.3g and %.3g us", 1e-3 * kb_sample_ns(a), 1e-3 * kb_sample_ns(b));
	if (a->method == KB_METHOD_KANATA && b->method == KB_METHOD_KANATA && (a->n_min != b->n_min || a->n_max != b->n_max))
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "n from %llu to %llu and from %llu to %llu",
		               (unsigned long long)a->n_min, (unsigned long long)a->n_max, (unsigned long long)b->n_min,
		               (unsigned long long)b->n_max);
}

/* After the numbers: the decision, and what it is worth. */
static void decide(struct kb_comparison *c, bool handful)
{
	unsigned fewest = c->paired && !handful ? KB_PAIRS_FEWEST : KB_PROCESSES_MIN;

	if (c->unit_b)
		;       /* said */
	else if (c->processes == 0 && !c->invalid)
		kb_verdict_add(&c->verdict, KB_CODE_too_few_effective, c->paired ? "no pair of usable processes" : "one side has no usable process");
	else if (c->processes < fewest && !c->invalid && c->paired)
		kb_verdict_add(&c->verdict, KB_CODE_too_few_effective, "%u pairs of processes; a decision needs %u", c->processes, fewest);
	else if (c->processes < fewest && !c->invalid)
		kb_verdict_add(&c->verdict, KB_CODE_single_launch, "%u of %u that a decision needs", c->processes, fewest);
	if (c->processes < fewest || c->invalid || kb_verdict_has(&c->verdict, KB_CODE_env_mismatch))
		c->difference.p_slower = c->difference.p_faster = 1;
	else
		c->decision = kb_decide(&c->difference, c->margin);
}

/* ---- counts that do not vary --------------------------------------------------------------------- */

/* The difference of two numbers that are known: no process more would change the decision. */
static void compare_exact(const struct kb_result *a, const struct kb_result *b, double margin, struct kb_comparison *c)
{
	double of_a = a->process_costs[0].cost, of_b = b->process_costs[0].cost, change = of_b - of_a;
	double ln = of_a > 0 && of_b > 0 ? log(of_b / of_a) : NAN;

	c->exact = true;
	c->margin = log1p(margin);
	c->occasion = (struct kb_occasion){ 0 };
	c->processes = a->process_cost_count < b->process_cost_count ? a->process_cost_count : b->process_cost_count;
	c->difference = (struct kb_difference){
		.ln = { .value = ln, .low = ln, .high = ln, .known = !isnan(ln), .why = KB_CODE_below_resolution }, .detectable = NAN,
		.p_slower = 1, .p_faster = 1,
	};
	if (c->invalid || kb_verdict_has(&c->verdict, KB_CODE_env_mismatch))
		return;
	c->decision = fabs(change) <= KB_COUNT_ROUNDING + margin * fabs(of_a) ? KB_EQUIVALENT : change > 0 ? KB_SLOWER : KB_FASTER;
	c->difference.p_slower = c->decision == KB_SLOWER ? 0 : 1;
	c->difference.p_faster = c->decision == KB_FASTER ? 0 : 1;
	c->delta = c->decision == KB_SLOWER ? 1 : c->decision == KB_FASTER ? -1 : 0;
}

/* ---- results of two runs ------------------------------------------------------------------------- */

/* Of the processes of one side, with their numbers. */
struct values { double ln[KB_PROCESS_COSTS_MAX]; unsigned process[KB_PROCESS_COSTS_MAX], count; };

enum by { BY_COST, BY_CYCLES, BY_RATIO };

bool kb_compared_by_ratio(const struct kb_result *a, const struct kb_result *b)
{
	return a->twin[0] && a->ratio.known && b->ratio.known && !strcmp(a->twin, b->twin);
}

/* ln of a cost at or below zero: less than any other, and order statistics of pairs ask no more. */
#define BELOW_ALL (-40.)

/* A cost at or below zero has no logarithm: then the row has no ratio, unless pairs are compared and it is one of few, or of a command: without
   the start-up of the shell it may be nothing, and less than 20 ms all the same. A process without a twin has none to give. */
static bool take(const struct kb_result *result, enum by by, bool in_pairs, struct values *values)
{
	values->count = 0;
	for (unsigned i = 0; i < result->process_cost_count; i++) {
		const struct kb_process_cost *cost = &result->process_costs[i];
		double value = by == BY_RATIO ? cost->ratio : by == BY_CYCLES ? cost->cycles : cost->cost;

		if (by == BY_RATIO && isnan(value))
			continue;
		if (!(value > 0) && (!in_pairs || !(kb_headline(result)->value > 0 || result->method == KB_METHOD_COMMAND)))
			return false;
		values->process[values->count] = cost->process;
		values->ln[values->count++] = value > 0 ? log(value) : BELOW_ALL;
	}
	return true;
}

/* Processes that speak on both sides; a and b shrink to these. */
static void match(struct values *a, struct values *b)
{
	unsigned count = 0;

	for (unsigned i = 0; i < a->count; i++) {
		for (unsigned k = count; k < b->count; k++) {
			if (a->process[i] != b->process[k])
				continue;
			a->ln[count] = a->ln[i];
			b->ln[count++] = b->ln[k];
			break;
		}
	}
	a->count = b->count = count;
}

/* b less a, pair by pair, into b. Two costs at or below zero tell nothing of each other. */
static unsigned subtract(const struct values *a, struct values *b)
{
	unsigned count = 0;

	for (unsigned i = 0; i < a->count; i++) {
		if (a->ln[i] > BELOW_ALL || b->ln[i] > BELOW_ALL)
			b->ln[count++] = b->ln[i] - a->ln[i];
	}
	return count;
}

static struct kb_interval interval_of(const struct kb_estimate *estimate)
{
	return (struct kb_interval){ .value = estimate->value, .low = estimate->low, .high = estimate->high, .known = estimate->bounded };
}

struct kb_interval kb_compared_times(const struct kb_comparison *c)
{
	struct kb_interval of_a = interval_of(&c->ns[0]), of_b = interval_of(&c->ns[1]);
	bool in_time = strcmp(c->unit, "ns") == 0 && !(c->compared && strcmp(c->compared, "ratio") == 0);

	return in_time && c->difference.ln.known ? c->difference.ln : kb_compare_bounded(&of_a, &of_b, &c->occasion, c->margin).ln;
}

/* A process of another program, with the interval that this gave it: the ratio gets one, too. */
static void compare_bounded(const struct kb_result *a, const struct kb_result *b, struct kb_comparison *c)
{
	struct kb_interval of_a = interval_of(&a->estimate), of_b = interval_of(&b->estimate);

	if (of_a.known && of_b.known)
		c->difference = kb_compare_bounded(&of_a, &of_b, &c->occasion, c->margin);
}

static bool is_near_zero(const struct kb_result *a, const struct kb_result *b)
{
	return kb_verdict_has(&a->verdict, KB_CODE_below_resolution) || kb_verdict_has(&b->verdict, KB_CODE_below_resolution);
}

/* Two that are nothing are not known to be the same either. */
static void forget_ratio(struct kb_comparison *c)
{
	c->difference.ln = (struct kb_interval){ .value = NAN, .why = KB_CODE_below_resolution };
	if (c->decision == KB_EQUIVALENT)
		c->decision = KB_INCONCLUSIVE;
}

void kb_compare_results(const struct kb_result *a, const struct kb_result *b, const struct kb_compare_rules *rules,
                        struct kb_comparison *c)
{
	bool cycles = in_cycles(a, b);
	enum by by = kb_compared_by_ratio(a, b) ? BY_RATIO : cycles ? BY_CYCLES : BY_COST;
	struct values ln_a, ln_b;

	begin(a, b, cycles, c);
	c->paired = rules->paired;
	c->compared = by == BY_RATIO ? "ratio" : NULL;
	c->margin = rules->margin;
	c->occasion = rules->occasion;
	judge_sides(a, b, rules->unlike, c->paired, c);
	if (!c->unit_b && kb_is_exact(a) && kb_is_exact(b)) {
		compare_exact(a, b, rules->exact_margin, c);
		return;
	}
	if (c->unit_b) {
		ln_a.count = ln_b.count = 0;
	} else if (!take(a, by, c->paired, &ln_a) || !take(b, by, c->paired, &ln_b)) {
		kb_verdict_add(&c->verdict, KB_CODE_below_resolution, "a cost of zero or less has no ratio");
		ln_a.count = ln_b.count = 0;
	} else if (rules->paired) {
		match(&ln_a, &ln_b);
	}
	c->processes = ln_a.count < ln_b.count ? ln_a.count : ln_b.count;
	c->delta = 2 * kb_a12(ln_a.ln, ln_a.count, ln_b.ln, ln_b.count) - 1;
	if (rules->paired) {
		c->processes = subtract(&ln_a, &ln_b);
		c->difference = rules->handful ? kb_compare_handful(ln_b.ln, c->processes, c->margin) : kb_compare_paired(ln_b.ln, c->processes, c->margin);
	} else {
		c->difference = kb_compare_unpaired(ln_a.ln, ln_a.count, ln_b.ln, ln_b.count, &c->occasion, c->margin);
		if (c->processes == 1 && !cycles && by == BY_COST)
			compare_bounded(a, b, c);
		c->p_rank = kb_brunner_munzel(ln_a.ln, ln_a.count, ln_b.ln, ln_b.count);
		if (ln_a.count > 0 || ln_b.count > 0)
			kb_verdict_add(&c->verdict, KB_CODE_unpaired, "%u and %u processes of two runs", ln_a.count, ln_b.count);
	}
	decide(c, rules->handful);
	/* What is nothing may be any number of times less: the side is known, and the ratio is not. */
	if (rules->paired && a->method == KB_METHOD_COMMAND && is_near_zero(a, b))
		forget_ratio(c);
}

/* ---- measured in turn ---------------------------------------------------------------------------- */

static void compare_in_turn(const struct kb_pairs *pairs, struct kb_comparison *c)
{
	c->processes = kb_pairs_usable(pairs);
	c->difference = kb_pairs_difference(pairs, c->margin);
	c->delta = 2 * kb_pairs_a12(pairs) - 1;
	c->split = kb_pairs_levels(pairs, &c->levels);
	c->shifted = kb_pairs_shift(pairs, c->shift);
}

void kb_compare_pairs(const struct kb_result *a, const struct kb_result *b, const struct kb_pairs *pairs,
                      const struct kb_compare_rules *rules, struct kb_comparison *c)
{
	bool uncontended = a->headline == KB_HEADLINE_UNCONTENDED || b->headline == KB_HEADLINE_UNCONTENDED;
	enum kb_pair_kind kind = kb_pairs_kind(pairs);

	begin(a, b, in_cycles(a, b), c);
	c->paired = true;
	c->margin = rules->margin;
	c->compared = kind == KB_PAIR_RATIO ? "ratio" : kind == KB_PAIR_OBSERVED && uncontended ? "observed" : NULL;
	judge_sides(a, b, rules->unlike, c->paired, c);
	if (!c->unit_b)
		compare_in_turn(pairs, c);
	if (is_near_zero(a, b))
		kb_verdict_add(&c->verdict, KB_CODE_below_resolution, "a side cannot be told from zero");
	decide(c, false);
}

/* ---- all rows together ---------------------------------------------------------------------------- */

struct kb_ratio_mean kb_compared_mean(const struct kb_comparison *rows, size_t count)
{
	double *ratio = malloc((count + 1) * sizeof *ratio);
	struct kb_ratio_mean mean = { .rows = 0 };

	for (size_t i = 0; i < count && ratio; i++) {
		const struct kb_comparison *row = &rows[i];

		if (!row->counts || row->invalid || !row->difference.ln.known || !row->a.known || !row->b.known)
			continue;
		ratio[mean.rows++] = exp(row->difference.ln.value);
		if (strcmp(row->unit, "ns") == 0) {
			mean.ns[0] += row->a.value;
			mean.ns[1] += row->b.value;
		}
	}
	if (mean.rows > 1)
		mean.spread = kb_geometric_mean(ratio, mean.rows, KB_COMPARE_CONFIDENCE);
	free(ratio);
	return mean;
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
		                     (rows[i].exact || rows[i].processes >= KB_PROCESSES_MIN);
	}
	free(p);
	free(q);
	return error;
}
