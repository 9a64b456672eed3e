/*
 * Fleets with known answers: how often healthy nodes are named, how often sick ones are found, whether the CI of the spread between nodes holds it,
 * what two fleets come to against each other, and changes over many of them. A node has a deviation of its own, each boot another one, and each run
 * in it, and what is measured is the median of processes with long tails. Half of a node's deviation is common to its results.
 */
/* runs: full, 15 s; thousands of nodes with twenty results; unit/stats/test_fleet has the arithmetic */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stats/comparison/fleet.h"
#include "stats/series/changepoint.h"
#include "truth/truth.h"
#include "unit/stats/draws.h"

#define SEED 20261128
#define RESULTS 20u
#define NODES_MOST 1000u
#define PROCESSES 6u

/* Standard deviations, and the sick: so many nodes are dearer by `off` in so many of their results. Smaller differences than the margin do not
   matter. */
struct made_fleet { size_t nodes, boots, runs, sick, sick_results; double between, boot, run, process, off, margin; bool long_tails; };

static const struct kb_usual_spread usual = KB_FLEET_USUAL_COST;

/* Every twentieth process is three times as far off, on top of Student's t of 3 degrees of freedom. */
static double draw_noise(struct kb_rng *rng, bool long_tails)
{
	double z = draw_normal(rng), chi2 = 0;

	if (!long_tails)
		return z;
	for (int i = 0; i < 3; i++) {
		double other = draw_normal(rng);

		chi2 += other * other;
	}
	/* Of variance 1 but for the outliers. */
	return z / sqrt(chi2 / 3) / sqrt(3) * (kb_rng_below(rng, 20) ? 1 : 3);
}

static struct kb_node_value draw_run(struct kb_rng *rng, const struct made_fleet *fleet, double boot)
{
	double costs[PROCESSES], run = boot + (fleet->run > 0 ? fleet->run * draw_noise(rng, false) : 0);

	for (size_t i = 0; i < PROCESSES; i++)
		costs[i] = run + fleet->process * draw_noise(rng, fleet->long_tails);
	struct kb_interval ci = kb_median_interval(costs, PROCESSES, .95);

	return (struct kb_node_value){ ci.value, (ci.high - ci.low) / 2 / kb_t_quantile(.975, PROCESSES - 1), PROCESSES - 1 };
}

/* How far nodes, boots and runs differ. */
struct spreads { struct kb_fleet_spread nodes; struct kb_level_spread boots, runs; };

/* A result of all nodes, as analysis/fleet.c makes it of a store; common: what all results of a node share. */
static struct spreads draw_result(struct kb_rng *rng, const struct made_fleet *fleet, const double *common, bool sick,
				  struct kb_node_deviation *deviations)
{
	static struct kb_node_value runs[9 * NODES_MOST], values[NODES_MOST];
	static size_t run_counts[9 * NODES_MOST], boot_counts[NODES_MOST];
	struct spreads spreads;
	size_t boots = 0, count = 0;

	for (size_t i = 0; i < fleet->nodes; i++) {
		double node = fleet->between * (common[i] + draw_noise(rng, false)) / M_SQRT2 + (sick && i < fleet->sick ? fleet->off : 0);

		boot_counts[i] = fleet->boots;
		for (size_t b = 0; b < fleet->boots; b++) {
			double boot = node + fleet->boot * draw_noise(rng, false);

			run_counts[boots++] = fleet->runs;
			for (size_t r = 0; r < fleet->runs; r++)
				runs[count++] = draw_run(rng, fleet, boot);
		}
	}
	assert_int_equal(kb_fleet_boots(&(struct kb_fleet_runs){ runs, run_counts, boot_counts, fleet->nodes }, values, &spreads.boots, &spreads.runs), 0);
	assert_int_equal(kb_fleet_deviations(values, fleet->nodes, &usual, &spreads.nodes, deviations), 0);
	return spreads;
}

/* What all results of a node have in common, as one more. */
static void add_all(const struct made_fleet *fleet, struct kb_node_deviation (*all)[NODES_MOST])
{
	static struct kb_node_value values[NODES_MOST];
	struct kb_fleet_spread spread;
	double off[RESULTS];

	for (size_t i = 0; i < fleet->nodes; i++) {
		for (size_t r = 0; r < RESULTS; r++)
			off[r] = all[r][i].ln.value;
		values[i] = kb_fleet_whole(off, RESULTS);
	}
	assert_int_equal(kb_fleet_deviations(values, fleet->nodes, &usual, &spread, all[RESULTS]), 0);
}

struct named { size_t nodes, wrong; };

static struct named name_nodes(struct kb_rng *rng, const struct made_fleet *fleet)
{
	static struct kb_node_deviation all[RESULTS + 1][NODES_MOST];
	static double p[NODES_MOST * (RESULTS + 1)], node_q[NODES_MOST], common[NODES_MOST];
	struct named named = { 0 };

	for (size_t i = 0; i < fleet->nodes; i++)
		common[i] = draw_noise(rng, false);
	for (size_t r = 0; r < RESULTS; r++)
		draw_result(rng, fleet, common, r < fleet->sick_results, all[r]);
	add_all(fleet, all);
	for (size_t i = 0; i < fleet->nodes; i++) {
		for (size_t r = 0; r <= RESULTS; r++)
			p[i * (RESULTS + 1) + r] = kb_fleet_weighted(&all[r][i], log1p(fleet->margin), false, r == RESULTS, RESULTS + 1);
	}
	assert_int_equal(kb_fleet_select(p, fleet->nodes, RESULTS + 1, node_q), 0);
	for (size_t i = 0; i < fleet->nodes; i++) {
		named.nodes += node_q[i] <= KB_FLEET_RATE;
		named.wrong += node_q[i] <= KB_FLEET_RATE && i >= fleet->sick;
	}
	return named;
}

/* Shares over many fleets: of sick nodes that are named, of named ones that are healthy, of fleets in which a healthy one is named. */
struct rates { double found, false_discoveries, any; };

static struct rates rates_of(const struct made_fleet *fleet, int fleets, unsigned seed)
{
	struct rates rates = { 0 };
	struct kb_rng rng;

	kb_rng_seed(&rng, SEED + seed);
	for (int i = 0; i < fleets; i++) {
		struct named named = name_nodes(&rng, fleet);

		rates.found += fleet->sick ? (double)(named.nodes - named.wrong) / (double)fleet->sick / fleets : 0;
		rates.false_discoveries += named.nodes ? (double)named.wrong / (double)named.nodes / fleets : 0;
		rates.any += (named.wrong > 0) / (double)fleets;
	}
	return rates;
}

static int fleets_of(size_t nodes, bool full)
{
	return (int)fmax(nodes >= 1000 ? full ? 20 : 1 : (full ? 24000 : 1200) / (double)nodes, 1);
}

/* FLEET-1: nobody is sick. */
static void healthy_fleets(void **state)
{
	static const size_t nodes[] = { 4, 8, 30, 1000 };

	(void)state;
	for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
		for (int kind = 0; kind < 3; kind++) {
			struct made_fleet fleet = {
				.nodes = nodes[k], .boots = 1, .runs = 1, .between = kind == 2 ? .006 : .003, .boot = kind == 2 ? .006 : .003,
				.process = kind == 2 ? .02 : .005, .margin = .01, .long_tails = kind > 0,
			};
			int fleets = fleets_of(nodes[k], truth_full());
			struct rates rates = rates_of(&fleet, fleets, (unsigned)(10 * k) + (unsigned)kind);
			char what[120];

			snprintf(what, sizeof what, "%zu healthy nodes, %s: fleets in which one is named", nodes[k],
				 kind == 2 ? "a noisy machine" : kind ? "long tails" : "normal");
			truth_at_most("FLEET-1", what, .05 + 3 * sqrt(.05 * .95 / fleets), rates.any);
		}
	}
}

/* FLEET-2: some are. */
static void sick_nodes(void **state)
{
	static const struct { size_t nodes, boots, sick, results; double off, margin, found; } rows[] = {
		{ 4, 1, 1, RESULTS, .02, .01, 0 }, { 4, 1, 1, RESULTS, .03, .01, 0 }, { 4, 1, 1, RESULTS, .05, .01, .9 }, { 4, 1, 1, RESULTS, .3, .01, .99 },
		{ 8, 1, 1, RESULTS, .02, .01, 0 }, { 8, 1, 1, RESULTS, .03, .01, 0 }, { 8, 1, 1, RESULTS, .05, .01, .9 }, { 8, 1, 2, RESULTS, .05, .01, .9 },
		{ 30, 1, 2, RESULTS, .02, .01, .5 }, { 30, 1, 2, 3, .05, .01, .9 }, { 30, 2, 3, RESULTS, .05, .01, .9 },
		{ 1000, 1, 10, RESULTS, .01, .005, 0 }, { 1000, 1, 10, RESULTS, .02, .01, .9 }, { 1000, 1, 10, 2, .05, .01, .9 },
		{ 1000, 1, 50, RESULTS, .01, .005, .2 }, { 1000, 1, 50, RESULTS, .02, .01, .9 }, { 1000, 1, 50, 2, .05, .01, .9 },
	};

	(void)state;
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct made_fleet fleet = {
			.nodes = rows[r].nodes, .boots = rows[r].boots, .runs = 1, .sick = rows[r].sick, .sick_results = rows[r].results, .between = .003,
			.boot = .003, .process = .005, .off = log1p(rows[r].off), .margin = rows[r].margin, .long_tails = true,
		};
		int fleets = fleets_of(rows[r].nodes, truth_full());
		struct rates rates = rates_of(&fleet, fleets, 100 + (unsigned)r);
		char what[160], words[100];

		snprintf(words, sizeof words, "%zu of %zu nodes %g %% dearer in %zu of %u results, margin %g %%", rows[r].sick, rows[r].nodes,
			 100 * rows[r].off, rows[r].results, RESULTS, 100 * rows[r].margin);
		snprintf(what, sizeof what, "%s: found", words);
		truth_at_least("FLEET-2", what, rows[r].found, rates.found);
		snprintf(what, sizeof what, "%s: healthy among the named", words);
		truth_at_most("FLEET-2", what, .05 + 3 * sqrt(.05 * .95 / fleets / (double)rows[r].sick), rates.false_discoveries);
	}
}

/* FLEET-3: the CI of the spread between nodes; boots are part of it where each node has one. */
static void spread_between(void **state)
{
	static const size_t nodes[] = { 4, 8, 30, 300 };
	static const double none[NODES_MOST];
	static struct kb_node_deviation deviations[NODES_MOST];

	(void)state;
	for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
		for (size_t sick = 0; sick < 2; sick++) {
			struct made_fleet fleet = {
				.nodes = nodes[k], .boots = 2, .runs = 1, .sick = sick * nodes[k] / 20, .sick_results = RESULTS, .between = .003 * M_SQRT2,
				.boot = .003, .process = .005, .off = .05, .long_tails = true,
			};
			int tries = truth_tries(nodes[k] > 100 ? 1000 : 4000, nodes[k] > 100 ? 60 : 400), covered = 0;
			struct kb_rng rng;
			double sum = 0;
			char what[120];

			if (sick && fleet.sick == 0)
				continue;
			kb_rng_seed(&rng, SEED + 1000 + (unsigned)k + 10 * (unsigned)sick);
			for (int i = 0; i < tries; i++) {
				struct kb_fleet_spread spread = draw_result(&rng, &fleet, none, true, deviations).nodes;

				covered += spread.between.low <= .003 && spread.between.high >= .003;
				sum += spread.between.value / tries;
			}
			snprintf(what, sizeof what, "%zu nodes, %zu of them sick: CI of the spread between nodes holds it", nodes[k], fleet.sick);
			truth_at_least("FLEET-3", what, .92 - (truth_full() ? .01 : .06), (double)covered / tries);
			snprintf(what, sizeof what, "%zu nodes, %zu of them sick: mean estimate, in %% (true: 0.3)", nodes[k], fleet.sick);
			truth_note("FLEET-3", what, .3, 100 * sum);
		}
	}
}

/* FLEET-4: the difference of two sides over nodes that differ in it. */
static void two_sides(void **state)
{
	static const size_t nodes[] = { 4, 8, 30 };

	(void)state;
	for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
		int tries = truth_tries(8000, 1000), covered = 0;
		double d[30], se[30], between;
		struct kb_rng rng;
		char what[120];

		kb_rng_seed(&rng, SEED + 2000 + (unsigned)k);
		for (int i = 0; i < tries; i++) {
			for (size_t n = 0; n < nodes[k]; n++) {
				se[n] = .001 * (double)(1 + kb_rng_below(&rng, 4));
				d[n] = .01 + .003 * draw_normal(&rng) + se[n] * draw_normal(&rng);
			}
			struct kb_difference difference = kb_fleet_difference(d, se, nodes[k], .01, &between);

			covered += difference.ln.low <= .01 && difference.ln.high >= .01;
		}
		snprintf(what, sizeof what, "two sides on %zu nodes: CI of the difference holds it", nodes[k]);
		truth_at_least("FLEET-4", what, truth_full() ? .93 : .91, (double)covered / tries);
	}
}

/* FLEET-5: nodes that were measured several times, in one boot or in several. */
static const struct { size_t nodes, boots, runs; } nested[] = { { 4, 1, 5 }, { 8, 1, 5 }, { 30, 1, 5 }, { 4, 3, 3 }, { 8, 3, 3 }, { 30, 3, 3 } };
#define NESTED (sizeof nested / sizeof *nested)

static struct made_fleet nested_fleet(size_t k)
{
	return (struct made_fleet){
		.nodes = nested[k].nodes, .boots = nested[k].boots, .runs = nested[k].runs, .between = .003, .boot = .003, .run = .003, .process = .005,
		.margin = .01, .long_tails = true,
	};
}

static const char *words_of(const struct made_fleet *fleet, char words[80])
{
	snprintf(words, 80, "%zu nodes, %zu boot%s of %zu runs", fleet->nodes, fleet->boots, fleet->boots > 1 ? "s" : "", fleet->runs);
	return words;
}

static void nested_levels(void **state)
{
	(void)state;
	for (size_t k = 0; k < NESTED; k++) {
		struct made_fleet fleet = nested_fleet(k);
		int fleets = truth_tries(6000, 600) / (int)fleet.nodes;
		struct rates rates = rates_of(&fleet, fleets, 3000 + (unsigned)k);
		char words[80], what[160];

		snprintf(what, sizeof what, "%s, healthy: fleets in which one is named", words_of(&fleet, words));
		truth_at_most("FLEET-5", what, .05 + 3 * sqrt(.05 * .95 / fleets), rates.any);
		fleet.sick = 1;
		fleet.sick_results = RESULTS;
		fleet.off = log1p(.05);
		rates = rates_of(&fleet, fleets, 3100 + (unsigned)k);
		snprintf(what, sizeof what, "%s, one 5 %% dearer: found", words);
		truth_at_least("FLEET-5", what, .9, rates.found);
		snprintf(what, sizeof what, "%s, one 5 %% dearer: healthy among the named", words);
		truth_at_most("FLEET-5", what, .05 + 3 * sqrt(.05 * .95 / fleets), rates.false_discoveries);
	}
}

static double median_of(double *values, int count)
{
	kb_sort(values, (size_t)count);
	return kb_quantile_sorted(values, (size_t)count, .5);
}

/* Over many fleets: medians of the estimated sds, in %, and how often the CI of the one between nodes holds it. */
struct medians { double nodes, boots, runs, covered; };

static struct medians medians_of(const struct made_fleet *fleet, double between, int tries, unsigned seed)
{
	static const double none[NODES_MOST];
	static double of_nodes[4000], of_boots[4000], of_runs[4000];
	static struct kb_node_deviation deviations[NODES_MOST];
	struct medians medians = { 0 };
	struct kb_rng rng;

	kb_rng_seed(&rng, SEED + seed);
	for (int i = 0; i < tries; i++) {
		struct spreads spreads = draw_result(&rng, fleet, none, false, deviations);

		medians.covered += (spreads.nodes.between.low <= between && spreads.nodes.between.high >= between) / (double)tries;
		of_nodes[i] = 100 * spreads.nodes.between.value;
		of_boots[i] = 100 * spreads.boots.sd;
		of_runs[i] = 100 * spreads.runs.sd;
	}
	medians.nodes = median_of(of_nodes, tries);
	medians.boots = median_of(of_boots, tries);
	medians.runs = median_of(of_runs, tries);
	return medians;
}

/* FLEET-6: nodes differ by 0.3 %, boots by 0.4, runs by 0.2; where there is one boot, it is part of its node. Processes with long tails have CIs
   that are wider than their medians need, which leaves too little for runs. */
static void spread_of_levels(void **state)
{
	int tries = truth_tries(4000, 400);

	(void)state;
	for (size_t k = 0; k < 2 * NESTED; k++) {
		struct made_fleet fleet = nested_fleet(k / 2);
		double between = fleet.boots > 1 ? .003 : .005;
		char words[80], what[160];

		/* The middle of the sd of fewer is below it. */
		if (fleet.nodes < 8)
			continue;
		/* No result has anything in common with another one here. */
		fleet.between = .003 * M_SQRT2;
		fleet.boot = .004;
		fleet.run = .002;
		fleet.long_tails = k % 2;
		struct medians got = medians_of(&fleet, between, tries, 4000 + (unsigned)k);

		words_of(&fleet, words);
		if (fleet.long_tails) {
			snprintf(what, sizeof what, "%s, long tails: median sd of runs, in %%", words);
			truth_note("FLEET-6", what, .2, got.runs);
			continue;
		}
		snprintf(what, sizeof what, "%s: CI of the spread between nodes holds it", words);
		truth_at_least("FLEET-6", what, .92 - (truth_full() ? .01 : .06), got.covered);
		snprintf(what, sizeof what, "%s: median sd of nodes, in %%", words);
		truth_row("FLEET-6", what, 100 * between, truth_tolerance(.06), got.nodes);
		if (fleet.boots > 1) {
			snprintf(what, sizeof what, "%s: median sd of boots, in %%", words);
			truth_row("FLEET-6", what, .4, truth_tolerance(.04), got.boots);
		}
		snprintf(what, sizeof what, "%s: median sd of runs, in %%", words);
		truth_row("FLEET-6", what, .2, truth_tolerance(.03), got.runs);
	}
}

/* FLEET-7: two fleets without common nodes, whose nodes are drawn anew. */
static void strangers(void **state)
{
	static const size_t nodes[] = { 3, 6, 30 };

	(void)state;
	for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
		for (int sick = 0; sick < (nodes[k] > 3 ? 2 : 1); sick++) {
			int tries = truth_tries(20000, 1500), covered = 0, wrong = 0;
			struct kb_node_value values[2][30];
			struct kb_fleet_strangers strangers;
			struct kb_rng rng;
			char what[120], words[60];

			kb_rng_seed(&rng, SEED + 3000 + (unsigned)k + 10 * (unsigned)sick);
			for (int i = 0; i < tries; i++) {
				for (size_t n = 0; n < 2 * nodes[k]; n++)
					values[n % 2][n / 2] = draw_run(&rng, &(struct made_fleet){ .run = .003, .process = .005, .long_tails = true }, .03 * draw_normal(&rng));
				values[0][0].x += sick ? .3 : 0;
				assert_int_equal(kb_fleet_strangers(values[0], nodes[k], values[1], nodes[k], 0, &strangers), 0);
				const struct kb_difference difference = strangers.difference;

				covered += difference.ln.low <= 0 && difference.ln.high >= 0;
				wrong += kb_decide(&difference, 0) == KB_SLOWER || kb_decide(&difference, 0) == KB_FASTER;
			}
			snprintf(words, sizeof words, "two equal fleets of %zu other nodes%s", nodes[k], sick ? ", one of them sick" : "");
			snprintf(what, sizeof what, "%s: CI of the difference holds it", words);
			truth_at_least("FLEET-7", what, truth_full() ? .93 : .92, (double)covered / tries);
			snprintf(what, sizeof what, "%s: told apart", words);
			truth_at_most("FLEET-7", what, truth_full() ? .005 : .01, (double)wrong / tries);
		}
	}
}

/* FLEET-8: fleets over time whose six nodes are drawn by lot from eight, and one of which is sick in every fifth fleet. */
#define LINE 30u
#define POOL 8u
#define DRAWN 6u

static unsigned draw_marks(struct kb_rng *rng, double step, struct kb_fleet_mark *marks)
{
	double levels[POOL];
	unsigned count = 0;

	for (unsigned n = 0; n < POOL; n++)
		levels[n] = .05 * draw_normal(rng);
	for (unsigned f = 0; f < LINE; f++) {
		unsigned left = DRAWN, sick = f % 5 == 2 ? (unsigned)kb_rng_below(rng, POOL) : POOL;

		for (unsigned n = 0; n < POOL; n++) {
			if (kb_rng_below(rng, POOL - n) >= left)
				continue;
			left--;
			marks[count++] = (struct kb_fleet_mark){ f, n, levels[n] + (f >= LINE / 2 ? step : 0) + (n == sick ? .1 : 0) + .002 * draw_noise(rng, true) };
		}
	}
	return count;
}

/* Changes of what is common, or of plain means. */
static struct kb_changes changes_of(const struct kb_fleet_mark *marks, unsigned count, bool common)
{
	struct kb_node_value levels[LINE];
	double values[LINE] = { 0 };
	bool apart[LINE * DRAWN];
	struct kb_changes changes;

	assert_int_equal(kb_fleet_levels(marks, count, LINE, POOL, levels, apart), 0);
	for (unsigned i = 0; i < count && !common; i++)
		values[marks[i].fleet] += marks[i].x / DRAWN;
	for (unsigned f = 0; f < LINE; f++)
		values[f] = exp(common ? levels[f].x : values[f]);
	assert_int_equal(kb_changes_find(values, LINE, 0, 8, &changes), 0);
	return changes;
}

static void fleets_over_time(void **state)
{
	static const double steps[] = { 0, .005, .01 };

	(void)state;
	for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
		int tries = truth_tries(4000, 300), any = 0, right = 0, plain = 0;
		struct kb_fleet_mark marks[LINE * DRAWN];
		struct kb_rng rng;
		char what[160];

		kb_rng_seed(&rng, SEED + 4000 + (unsigned)k);
		for (int i = 0; i < tries; i++) {
			unsigned count = draw_marks(&rng, steps[k], marks);
			struct kb_changes common = changes_of(marks, count, true), means = changes_of(marks, count, false);

			any += common.count > 0;
			right += common.count == 1 && common.at[0] >= LINE / 2 - 1 && common.at[0] <= LINE / 2 + 1;
			plain += means.count == 1 && means.at[0] >= LINE / 2 - 1 && means.at[0] <= LINE / 2 + 1;
		}
		snprintf(what, sizeof what, "%u fleets of %u nodes out of %u, a step of %g %%", LINE, DRAWN, POOL, 100 * steps[k]);
		if (steps[k] > 0) {
			strcat(what, ": found in its place and only there");
			truth_at_least("FLEET-8", what, .9, (double)right / tries);
			strcat(what, ", by plain means");
			truth_note("FLEET-8", what, 0, (double)plain / tries);
		} else {
			strcat(what, ": series with a change");
			truth_at_most("FLEET-8", what, .05, (double)any / tries);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_fleets), cmocka_unit_test(sick_nodes), cmocka_unit_test(spread_between), cmocka_unit_test(two_sides),
		cmocka_unit_test(nested_levels), cmocka_unit_test(spread_of_levels),
		cmocka_unit_test(strangers), cmocka_unit_test(fleets_over_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
