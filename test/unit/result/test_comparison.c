/* Comparisons of results that are made here: what is no measure of one thing gets no decision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "result/comparison.h"

static struct kb_result of_five(double cost)
{
	struct kb_result result = {
		.benchmark = "sys.slow", .per = "call", .method = KB_METHOD_SLOPE, .clock = "tsc", .ticks_per_ns = 1, .processes = 5,
		.estimate = { cost, cost * .99, cost * 1.01, true, true }, .process_cost_count = 5,
	};

	for (unsigned i = 0; i < 5; i++)
		result.process_costs[i] = (struct kb_process_cost){ .process = i + 1, .cost = cost * (1 + .001 * ((int)(i % 3) - 1)), .used = 100, .ratio = NAN };
	return result;
}

static void unlike_grids(void **state)
{
	struct kb_result a = of_five(100), b = a;
	struct kb_compare_rules rules = { .margin = log(1.05), .occasion = { .004, 8, 0 } };
	struct kb_comparison c;

	(void)state;
	a.n_max = 400;
	b.n_max = 700;
	kb_compare_results(&a, &b, &rules, &c);
	assert_int_equal(c.decision, KB_EQUIVALENT);
	b.n_max = 1700;
	kb_compare_results(&a, &b, &rules, &c);
	assert_true(c.decision == KB_INCONCLUSIVE && kb_verdict_has(&c.verdict, KB_CODE_env_mismatch));
	/* As many operations, which have become dearer, or fewer of the same length. */
	b.n_max = 400;
	b.estimate.value = 500;
	for (unsigned i = 0; i < b.process_cost_count; i++)
		b.process_costs[i].cost *= 5;
	kb_compare_results(&a, &b, &rules, &c);
	assert_int_equal(c.decision, KB_SLOWER);
	b.n_max = 80;
	kb_compare_results(&a, &b, &rules, &c);
	assert_int_equal(c.decision, KB_SLOWER);
}

/* Instructions, the same number in each of so many boots. */
static struct kb_result of_boots(double insn, unsigned boots)
{
	struct kb_result result = of_five(insn);

	snprintf(result.clock, sizeof result.clock, "icount");
	result.ticks_per_ns = 0;
	result.processes = result.process_cost_count = boots;
	for (unsigned i = 0; i < boots; i++)
		result.process_costs[i].cost = insn;
	return result;
}

/* Two boots that count the same decide, by a single instruction where no margin is given; one boot, or two that differ, do not. */
static void exact_counts(void **state)
{
	struct kb_result a = of_boots(1139, 2), b = of_boots(1140, 2), one = of_boots(1140, 1);
	struct kb_compare_rules rules = { .margin = log(1.01) };
	struct kb_comparison c;

	(void)state;
	kb_compare_results(&a, &b, &rules, &c);
	assert_int_equal(kb_compare_family(&c, 1), 0);
	assert_true(c.exact && c.decision == KB_SLOWER && c.regression);
	kb_compare_results(&b, &a, &rules, &c);
	assert_int_equal(kb_compare_family(&c, 1), 0);
	assert_true(c.exact && c.decision == KB_FASTER && !c.regression);
	kb_compare_results(&a, &a, &rules, &c);
	assert_true(c.exact && c.decision == KB_EQUIVALENT);
	rules.exact_margin = .01;
	kb_compare_results(&a, &b, &rules, &c);
	assert_true(c.exact && c.decision == KB_EQUIVALENT);
	rules.exact_margin = 0;
	kb_compare_results(&a, &one, &rules, &c);
	assert_true(!c.exact && c.decision == KB_INCONCLUSIVE);
	/* A patch that takes a loop into the path: no margin hides that, and no number of boots is too small to say it. */
	b = of_boots(3417, 2);
	kb_compare_results(&a, &b, &rules, &c);
	assert_int_equal(kb_compare_family(&c, 1), 0);
	assert_true(c.regression);
	b.process_costs[1].cost += 1;
	kb_compare_results(&a, &b, &rules, &c);
	assert_true(!c.exact);
	/* Nothing costs nothing on both sides: no ratio, and no difference either. */
	a = b = of_boots(0, 2);
	kb_compare_results(&a, &b, &rules, &c);
	assert_true(c.exact && c.decision == KB_EQUIVALENT && !c.difference.ln.known);
	/* Times are never exact. */
	a = b = of_boots(1139, 2);
	snprintf(a.clock, sizeof a.clock, "tsc");
	assert_false(kb_is_exact(&a));
}

/* One that was stopped after its proof: it lacks processes, and was measured by no other method. */
static void only_proved(void **state)
{
	struct kb_result a = of_five(100), b = a;
	struct kb_compare_rules rules = { .margin = log(1.05), .occasion = { .004, 8, 0 } };
	struct kb_comparison c;

	(void)state;
	b.method = KB_METHOD_PROOF;
	b.estimate.known = false;
	b.process_cost_count = b.processes = 0;
	kb_compare_results(&a, &b, &rules, &c);
	assert_int_equal(c.decision, KB_INCONCLUSIVE);
	assert_false(kb_verdict_has(&c.verdict, KB_CODE_env_mismatch));
	assert_true(kb_verdict_has(&c.verdict, KB_CODE_too_few_effective));
}

/* Costs that strangers move by a tenth from process to process, and ratios that a change moves by 1 %. */
static void ratios(void **state)
{
	struct kb_compare_rules rules = { .margin = log(1.005), .occasion = { .0005, 8, 0 } };
	struct kb_comparison c;
	struct kb_result side[2];

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		side[k] = of_five(100 + 10 * k);
		side[k].ratio = (struct kb_estimate){ 1 + .01 * k, .999 + .01 * k, 1.001 + .01 * k, true, true };
		snprintf(side[k].twin, sizeof side[k].twin, "an equal ring");
		for (unsigned i = 0; i < 5; i++) {
			side[k].process_costs[i].cost *= 1 + .1 * (i % 2);
			side[k].process_costs[i].ratio = (1 + .01 * k) * (1 + .0005 * (i % 2));
		}
	}
	kb_compare_results(&side[0], &side[1], &rules, &c);
	assert_string_equal(c.compared, "ratio");
	assert_int_equal(c.decision, KB_SLOWER);
	assert_true(fabs(exp(c.difference.ln.value) - 1.01) < 1e-9);
	/* One process had none: the others tell. */
	side[1].process_costs[2].ratio = NAN;
	kb_compare_results(&side[0], &side[1], &rules, &c);
	assert_true(c.processes == 4 && c.decision == KB_SLOWER);
	/* Of another reference there is no ratio of ratios. */
	snprintf(side[1].twin, sizeof side[1].twin, "another ring");
	kb_compare_results(&side[0], &side[1], &rules, &c);
	assert_null(c.compared);
	assert_int_equal(c.decision, KB_INCONCLUSIVE);
}

/* Of fourteen pairs one has a side that cannot be told from zero, as a short command has once a busy shell is subtracted. */
static void pairs_below_zero(void **state)
{
	struct kb_compare_rules rules = { .margin = log(1.01), .paired = true };
	struct kb_comparison c;
	struct kb_result side[2];

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		side[k] = of_five(100 * (1 + k));
		side[k].process_cost_count = 14;
		for (unsigned i = 0; i < 14; i++)
			side[k].process_costs[i] = (struct kb_process_cost){ .process = i + 1, .cost = 100 * (1 + k) * (1 + .01 * i), .used = 9, .ratio = NAN };
	}
	side[0].process_costs[3].cost = -1;
	kb_compare_results(&side[0], &side[1], &rules, &c);
	assert_int_equal(c.decision, KB_SLOWER);
	assert_true(fabs(exp(c.difference.ln.value) - 2) < 1e-9);
	/* Neither side can: the pair tells nothing. */
	side[1].process_costs[3].cost = 0;
	kb_compare_results(&side[0], &side[1], &rules, &c);
	assert_true(c.decision == KB_SLOWER && c.processes == 13);
	/* The whole side cannot. */
	side[0].estimate.value = 0;
	kb_compare_results(&side[0], &side[1], &rules, &c);
	assert_true(c.decision == KB_INCONCLUSIVE && kb_verdict_has(&c.verdict, KB_CODE_below_resolution));
}

/* The core's clock is a tenth slower on the second side: by cycles it is the same, and it takes a tenth longer. */
static void cycles_have_times(void **state)
{
	struct kb_compare_rules rules = { .margin = log(1.01), .occasion = { .0002, 8, 0 } };
	struct kb_result a = of_five(100), b = of_five(110);
	struct kb_comparison c;

	(void)state;
	a.bound = b.bound = KB_LATENCY;
	a.estimate_cycles = b.estimate_cycles = (struct kb_estimate){ 300, 299, 301, true, true };
	for (unsigned i = 0; i < 5; i++)
		a.process_costs[i].cycles = b.process_costs[i].cycles = 300 + .1 * i;
	kb_compare_results(&a, &b, &rules, &c);
	assert_string_equal(c.unit, "cycles");
	assert_true(c.decision == KB_EQUIVALENT && c.a.value == 300);
	assert_true(c.ns[0].value == 100 && c.ns[1].value == 110);
	assert_true(kb_compared_times(&c).known && fabs(exp(kb_compared_times(&c).value) - 1.1) < 1e-9);
	/* A clock that tells no time has none here. */
	b.ticks_per_ns = 0;
	kb_compare_results(&a, &b, &rules, &c);
	assert_false(c.ns[1].known || kb_compared_times(&c).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unlike_grids), cmocka_unit_test(exact_counts),
		cmocka_unit_test(only_proved), cmocka_unit_test(ratios), cmocka_unit_test(pairs_below_zero),
		cmocka_unit_test(cycles_have_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
