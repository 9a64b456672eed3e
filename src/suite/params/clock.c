/*
 * The clocks: what the time stamp counter counts, what the core runs at, and the mhz method for comparison. A core clock is the time of
 * one dependent addition, and it moves: from process to process by a few percent where a core boosts as heat and its neighbours let it.
 * So a chain is counted in the additions of its own process, between its samples, and the clock is a range where it is no number.
 */
#include "suite/params/find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io.h"
#include "stats/stats.h"

#define SWEEPS_MAX 12
#define SWEEPS_LEAST 3
#define CLOCKS_MAX 96           /* processes whose clock counts */

/* Chains of which the cycles are known: a whole number each, or the addition was no yardstick. The first is the addition itself. */
static const struct { const char *op; double least, most; } chains[] = { { "add", 1, 1 }, { "xor", 1, 1 }, { "imul", 3, 5 }, { "load", 3, 6 } };
#define CHAINS (sizeof chains / sizeof chains[0])

struct clocks {
	unsigned sweeps;
	double tsc[SWEEPS_MAX];                         /* MHz */
	double core[CLOCKS_MAX];                        /* MHz, of processes whose chain took a whole number of cycles */
	unsigned core_count, processes;
	double cycles[CHAINS][SWEEPS_MAX];
	unsigned counts[CHAINS];
	double expression[2][KB_MHZ_EXPRESSIONS];       /* cycles: the smallest, and the one after it */
};

/* Of its only process. */
static double row_cycles(const struct kb_row *row)
{
	return kb_row_ns(row) > 0 && row->result.process_cost_count > 0 ? row->result.process_costs[0].cycles : 0;
}

/* A process whose chain took no whole number was disturbed, or its clock moved between chain and addition: its clock tells nothing. */
static void take(void *context, const struct kb_row *row)
{
	struct clocks *clocks = context;
	double cycles = row_cycles(row);

	for (unsigned i = 0; i < CHAINS && cycles > 0; i++) {
		if (!kb_row_is(row, "op", chains[i].op) || clocks->counts[i] == SWEEPS_MAX)
			continue;
		clocks->cycles[i][clocks->counts[i]++] = cycles;
		clocks->processes++;
		if (fabs(cycles - round(cycles)) <= KB_WHOLE && clocks->core_count < CLOCKS_MAX)
			clocks->core[clocks->core_count++] = row->result.process_costs[0].mhz;
	}
}

/* In cycles, so that they have one clock: nine processes in turn have nine. */
static void take_expression(void *context, const struct kb_row *row)
{
	struct clocks *clocks = context;
	unsigned at = (unsigned)kb_row_number(row, "expr") - 1;
	double cycles = row_cycles(row);

	if (at >= KB_MHZ_EXPRESSIONS || !(cycles > 0))
		return;
	double *first = &clocks->expression[0][at], *second = &clocks->expression[1][at];

	if (*first == 0 || cycles < *first) {
		*second = *first;
		*first = cycles;
	} else if (*second == 0 || cycles < *second) {
		*second = cycles;
	}
}

static struct kb_whole chain_of(const struct clocks *clocks, unsigned i)
{
	return kb_whole_infer(clocks->cycles[i], clocks->counts[i], chains[i].least, chains[i].most);
}

static bool are_sure(const struct clocks *clocks)
{
	bool sure = clocks->sweeps >= SWEEPS_LEAST;

	for (unsigned i = 0; i < CHAINS; i++)
		sure = sure && chain_of(clocks, i).sure;
	return sure;
}

/* Each sweep calibrates the counter anew, and starts new processes. */
static bool sweep(struct kb_prober *prober, struct clocks *clocks)
{
	static const char *const ops[] = { "op=add,xor,imul,load", NULL };

	prober->run.calibrated = NULL;
	if (!kb_prober_want(prober, "cpu.op_latency", ops) || !kb_prober_sweep(prober, take, clocks))
		return false;
	clocks->tsc[clocks->sweeps++] = (double)prober->outcome.clock.hz / 1e6;
	return true;
}

/* The t interval over sweeps; a bound of what was seen where there are too few. */
static void put_mean(struct kb_inferred *inferred, const double *values, unsigned count)
{
	struct kb_interval interval = kb_t_interval(values, count, 0.95);

	inferred->value = interval.known ? kb_inferred_between(interval.low, interval.high, interval.value) :
			  kb_inferred_between(interval.value, interval.value, interval.value);
	snprintf(inferred->confidence, sizeof inferred->confidence, interval.known ? "95 %% over %u sweeps" : "%u sweep", count);
}

static void put_tsc(struct kb_params *params, const struct kb_system *system, const struct clocks *clocks)
{
	struct kb_inferred *tsc = kb_params_add(params, "clock", KB_UNIT_MHZ, "time stamp counter");

	put_mean(tsc, clocks->tsc, clocks->sweeps);
	if (system->tsc_mhz > 0)
		kb_inferred_system(tsc, system->tsc_mhz, system->tsc_mhz, "CPUID 0x15");
	else
		kb_inferred_system(tsc, system->cpuinfo_mhz, system->cpuinfo_mhz, "/proc/cpuinfo");
	kb_inferred_judge(tsc, 1e-3);
	if (tsc->match == KB_MATCH_DISAGREE)
		kb_inferred_is(tsc, tsc->match, "the system's number is another clock: a core's at some moment, or a nominal one");
}

/* A number of the system that is the counter's is none of the core's; it stands for one where the core runs at just that clock. */
static void claim_core(struct kb_inferred *core, const struct kb_system *system, const struct clocks *clocks)
{
	bool counter = fabs(system->cpuinfo_mhz / clocks->tsc[0] - 1) < 1e-3;

	if (system->cpufreq_high_mhz > 0)
		kb_inferred_system(core, system->cpufreq_low_mhz, system->cpufreq_high_mhz, "cpufreq");
	else if (system->base_mhz > 0)
		kb_inferred_system(core, system->base_mhz, system->base_mhz, "CPUID 0x16, its base clock");
	else if (!counter)
		kb_inferred_system(core, system->cpuinfo_mhz, system->cpuinfo_mhz, "/proc/cpuinfo");
}

static void put_core(struct kb_params *params, const struct kb_system *system, const struct clocks *clocks)
{
	struct kb_inferred *core = kb_params_add(params, "clock", KB_UNIT_MHZ, "core");
	struct kb_clock_range clock = kb_clock_infer(clocks->core, clocks->core_count);

	claim_core(core, system, clocks);
	if (clocks->core_count == 0) {
		kb_inferred_is(core, KB_MATCH_NOT, "in no process the chain took a whole number of additions");
		return;
	}
	core->value = kb_inferred_between(clock.low, clock.high, clock.value);
	snprintf(core->confidence, sizeof core->confidence, "range of the %u of %u processes with whole cycles", clocks->core_count,
		 clocks->processes);
	kb_inferred_judge(core, 1e-3);
	if (core->match == KB_MATCH_DISAGREE)
		kb_inferred_is(core, core->match, "the core runs at another clock than the system reports");
	else if (core->match == KB_MATCH_ALONE)
		kb_inferred_is(core, core->match, "the system reports the counter's clock alone%s", clock.moved ?
			       "; the core's moved while it was measured" : "");
	else if (clock.moved)
		kb_inferred_is(core, core->match, "it moved while it was measured");
	if (!are_sure(clocks))
		kb_inferred_is(core, KB_MATCH_UNVERIFIED, "%u of %u processes took whole numbers of additions for a chain in %u sweeps: the "
			       "machine was too busy, or an addition is not one cycle here", clocks->core_count, clocks->processes,
			       clocks->sweeps);
}

static void put_chain(struct kb_params *params, const struct clocks *clocks, unsigned i)
{
	struct kb_inferred *chain = kb_params_add(params, "clock", KB_UNIT_RATIO, "%s / add, cycles", chains[i].op);
	struct kb_whole whole = chain_of(clocks, i);

	if (whole.count == 0) {
		kb_inferred_is(chain, KB_MATCH_NOT, "not measured");
		return;
	}
	chain->value = kb_inferred_between(whole.low, whole.high, whole.value);
	snprintf(chain->confidence, sizeof chain->confidence, "%u of %u sweeps, by additions around it", whole.sure ? whole.agree :
		 whole.count, whole.count);
	if (!whole.sure)
		kb_inferred_is(chain, KB_MATCH_UNVERIFIED, "a whole number from %.0f to %.0f was expected, and %u of %u sweeps agree on one: an "
			       "addition is not one cycle here, or the machine was too busy", chains[i].least, chains[i].most, whole.agree,
			       whole.count);
}

/* The method wants times: cycles at the clock that the core had in the middle. */
static bool search(const struct clocks *clocks, unsigned which, double mhz, enum kb_mhz_rules rules, struct kb_mhz_result *result)
{
	double times[KB_MHZ_EXPRESSIONS];

	for (unsigned i = 0; i < KB_MHZ_EXPRESSIONS; i++)
		times[i] = clocks->expression[which][i] * 1000 / mhz;
	return kb_mhz_search(times, rules, result);
}

static void put_mhz(const struct kb_prober *prober, struct kb_params *params, const struct clocks *clocks)
{
	static const char *const names[] = { [KB_MHZ_LECTURE] = "mhz method", [KB_MHZ_LMBENCH] = "mhz method, lmbench's rules" };
	double core = kb_clock_infer(clocks->core, clocks->core_count).value;
	struct kb_mhz_result first, second;

	for (enum kb_mhz_rules rules = KB_MHZ_LECTURE; rules <= KB_MHZ_LMBENCH; rules++) {
		struct kb_inferred *mhz = kb_params_add(params, "clock", KB_UNIT_MHZ, "%s", names[rules]);
		bool found = core > 0 && search(clocks, 0, core, rules, &first);
		bool again = found && search(clocks, 1, core, rules, &second);

		if (!found) {
			kb_inferred_is(mhz, KB_MATCH_NOT,
				       "%s", prober->why[0] ? prober->why : "no two of the nine expressions have times of their own");
			continue;
		}
		mhz->value = kb_inferred_between(first.mhz, first.mhz, first.mhz);
		snprintf(mhz->confidence, sizeof mhz->confidence, "%u of %u subsets", first.agree, first.subsets);
		kb_inferred_system(mhz, core, core, "the core clock above");
		kb_inferred_judge(mhz, 0.01);
		kb_inferred_is(mhz, mhz->match, "%+.2f %% off the core clock", 100 * (first.mhz / core - 1));
		if (again && !kb_mhz_agree(first.mhz, second.mhz))
			kb_inferred_is(mhz, KB_MATCH_UNVERIFIED, "the second smallest times give %.0f MHz: too busy a machine", second.mhz);
	}
}

/* All nine, whatever their times are: what the method has to divide. */
static void put_table(struct kb_mhz_table *table, const struct clocks *clocks)
{
	double mhz = kb_clock_infer(clocks->core, clocks->core_count).value;
	struct kb_mhz_fit best;

	*table = (struct kb_mhz_table){ .mhz = mhz, .known = mhz > 0 };
	for (unsigned j = 0; j < KB_MHZ_EXPRESSIONS; j++) {
		table->known = table->known && clocks->expression[0][j] > 0;
		table->ns[j] = table->known ? clocks->expression[0][j] * 1000 / mhz : 0;
		table->again[j] = table->known ? clocks->expression[1][j] * 1000 / mhz : 0;
	}
	for (unsigned i = 1; i <= KB_MHZ_LINES && table->known; i++) {
		if (!kb_mhz_line(table->ns, KB_MHZ_EXPRESSIONS, KB_MHZ_LECTURE, i, &table->lines[i - 1]))
			table->lines[i - 1].i = 0;
	}
	if (table->known && kb_mhz_divide(table->ns, KB_MHZ_EXPRESSIONS, KB_MHZ_LECTURE, &best))
		table->i = best.i;
}

void kb_find_clock(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	static const char *const none[] = { NULL };
	struct clocks clocks = { 0 };

	while (clocks.sweeps < SWEEPS_MAX && !are_sure(&clocks) && sweep(prober, &clocks))
		;
	if (clocks.sweeps == 0)
		return;
	for (unsigned i = 0; i < 2; i++) {
		kb_prober_want(prober, "param.expression", none);
		kb_prober_sweep(prober, take_expression, &clocks);
	}
	put_tsc(params, system, &clocks);
	put_core(params, system, &clocks);
	for (unsigned i = 1; i < CHAINS; i++)
		put_chain(params, &clocks, i);
	put_mhz(prober, params, &clocks);
	put_table(&params->mhz, &clocks);
}
