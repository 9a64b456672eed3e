/*
 * The clocks: what the time stamp counter counts, what the core runs at, and the mhz method for comparison. The core clock is
 * the time of one dependent addition, from intervals of several lengths, so that what an interval costs is not in it.
 */
#include "suite/params/find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io.h"
#include "stats/stats.h"
#include "suite/params/mhz.h"

#define SWEEPS_MAX 12
#define AGREED 3                 /* sweeps that must see one core clock */
#define INTEGRAL 0.02           /* how far from a whole number of cycles a sound chain may be */
#define SPREAD 0.001            /* of the core clock; beyond, the machine changed it, or something */

/* Chains of which the cycles are known: a whole number each, or the addition was no yardstick. */
static const struct { const char *op; double least, most; } chains[] = { { "xor", 1, 1 }, { "imul", 3, 5 }, { "load", 3, 6 } };
#define CHAINS (sizeof chains / sizeof chains[0])

struct clocks {
	unsigned sweeps, all;                           /* that agree; that were made */
	double core[SWEEPS_MAX], tsc[SWEEPS_MAX];       /* MHz */
	double slowest;                                 /* core of all sweeps */
	double cycle_ns;                                /* of this sweep */
	double chain[CHAINS];                           /* ns, smallest seen */
	double expression[2][KB_MHZ_EXPRESSIONS];       /* ns: the smallest, and the one after it */
};

static void keep_least(double *least, double ns)
{
	if (ns > 0 && (*least == 0 || ns < *least))
		*least = ns;
}

static void take(void *context, const struct kb_row *row)
{
	struct clocks *clocks = context;
	double ns = kb_row_ns(row);

	if (!strcmp(row->settings.bench->name, "cpu.clock"))
		clocks->cycle_ns = ns;
	for (unsigned i = 0; i < CHAINS; i++) {
		if (kb_row_is(row, "op", chains[i].op))
			keep_least(&clocks->chain[i], ns);
	}
}

static void take_expression(void *context, const struct kb_row *row)
{
	struct clocks *clocks = context;
	unsigned at = (unsigned)kb_row_number(row, "expr") - 1;
	double ns = kb_row_ns(row);

	if (at >= KB_MHZ_EXPRESSIONS || !(ns > 0))
		return;
	double *first = &clocks->expression[0][at], *second = &clocks->expression[1][at];

	if (*first == 0 || ns < *first) {
		*second = *first;
		*first = ns;
	} else {
		keep_least(second, ns);
	}
}

static unsigned count_below(const struct clocks *clocks, double top)
{
	unsigned count = 0;

	for (unsigned i = 0; i < clocks->sweeps; i++)
		count += clocks->core[i] <= top && clocks->core[i] >= top * (1 - SPREAD);
	return count;
}

/* The fastest, for what disturbs makes a core seem slower. Where too few confirm it, one that half of all sweeps confirm: the clock
   was another one for a moment. A slower group that is no majority may be disturbed alike by chance. */
static double highest_clock(const struct clocks *clocks)
{
	double confirmed = 0, fastest = 0;

	for (unsigned i = 0; i < clocks->sweeps; i++) {
		fastest = fmax(fastest, clocks->core[i]);
		unsigned below = count_below(clocks, clocks->core[i]);

		if (below >= AGREED && 2 * below >= clocks->sweeps)
			confirmed = fmax(confirmed, clocks->core[i]);
	}
	return count_below(clocks, fastest) >= AGREED || !(confirmed > 0) ? fastest : confirmed;
}

/* Leaves the sweeps alone that are within SPREAD of that one. */
static void keep_agreed(struct clocks *clocks)
{
	double fastest = highest_clock(clocks);
	unsigned count = 0;

	for (unsigned i = 0; i < clocks->sweeps; i++) {
		if (clocks->core[i] < fastest * (1 - SPREAD) || clocks->core[i] > fastest)
			continue;
		clocks->core[count] = clocks->core[i];
		clocks->tsc[count++] = clocks->tsc[i];
	}
	clocks->sweeps = count;
}

/* Each sweep calibrates the counter anew, and starts new processes. */
static bool sweep(struct kb_prober *prober, struct clocks *clocks)
{
	static const char *const none[] = { NULL }, *const ops[] = { "op=xor,imul,load", NULL };

	clocks->cycle_ns = 0;
	if (!kb_prober_want(prober, "cpu.clock", none))
		return false;
	kb_prober_want(prober, "cpu.op_latency", ops);
	if (!kb_prober_sweep(prober, take, clocks))
		return false;
	if (clocks->cycle_ns > 0 && clocks->sweeps < SWEEPS_MAX) {
		clocks->core[clocks->sweeps] = 1000 / clocks->cycle_ns;
		clocks->tsc[clocks->sweeps++] = (double)prober->outcome.clock.hz / 1e6;
	}
	return true;
}

static void settle(struct kb_prober *prober, struct clocks *clocks)
{
	while (clocks->sweeps < SWEEPS_MAX && count_below(clocks, highest_clock(clocks)) < AGREED) {
		if (!sweep(prober, clocks))
			return;
	}
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

static void explain_core(struct kb_inferred *core, const struct kb_system *system, const struct clocks *clocks)
{
	bool counter = system->cpufreq_high_mhz == 0 && system->base_mhz == 0 && fabs(system->cpuinfo_mhz / clocks->tsc[0] - 1) < 1e-3;

	if (counter)
		kb_inferred_is(core, core->match, "%s tells the counter's clock, not the core's", kb_system_is_guest(system) ?
			       "the hypervisor" : "the system");
	else
		kb_inferred_is(core, core->match,
			       "the core runs at another clock than the system reports; sweeps saw %.0f to %.0f MHz", clocks->slowest,
			       clocks->core[0]);
}

static void put_core(struct kb_params *params, const struct kb_system *system, const struct clocks *clocks)
{
	struct kb_inferred *core = kb_params_add(params, "clock", KB_UNIT_MHZ, "core");

	put_mean(core, clocks->core, clocks->sweeps);
	snprintf(core->confidence, sizeof core->confidence, "95 %% over the %u of %u sweeps that agree; slowest %.1f MHz",
		 clocks->sweeps, clocks->all, clocks->slowest);
	if (system->cpufreq_high_mhz > 0)
		kb_inferred_system(core, system->cpufreq_low_mhz, system->cpufreq_high_mhz, "cpufreq");
	else if (system->base_mhz > 0)
		kb_inferred_system(core, system->base_mhz, system->base_mhz, "CPUID 0x16, its base clock");
	else
		kb_inferred_system(core, system->cpuinfo_mhz, system->cpuinfo_mhz, "/proc/cpuinfo");
	kb_inferred_judge(core, 1e-3);
	if (core->match == KB_MATCH_DISAGREE)
		explain_core(core, system, clocks);
	if (clocks->sweeps < AGREED)
		kb_inferred_is(core, KB_MATCH_UNVERIFIED,
			       "only %u of %u sweeps are within 0.1 %% of each other: the clock changes, or the machine was too "
			       "busy", clocks->sweeps, clocks->all);
}

static void put_chain(struct kb_params *params, const struct clocks *clocks, unsigned i)
{
	struct kb_inferred *chain = kb_params_add(params, "clock", KB_UNIT_RATIO, "%s / add, cycles", chains[i].op);
	double scratch[SWEEPS_MAX], cycles = clocks->chain[i] * kb_median(clocks->core, clocks->sweeps, scratch) / 1000;

	if (!(clocks->chain[i] > 0)) {
		kb_inferred_is(chain, KB_MATCH_NOT, "not measured");
		return;
	}
	chain->value = kb_inferred_between(cycles, cycles, cycles);
	snprintf(chain->confidence, sizeof chain->confidence, "smallest of %u sweeps", clocks->all);
	if (fabs(cycles - round(cycles)) > INTEGRAL || round(cycles) < chains[i].least || round(cycles) > chains[i].most)
		kb_inferred_is(chain, KB_MATCH_UNVERIFIED, "a whole number from %.0f to %.0f was expected: an addition is not one cycle here, "
			       "or the clock changed", chains[i].least, chains[i].most);
}

static void put_mhz(const struct kb_prober *prober, struct kb_params *params, const struct clocks *clocks)
{
	static const char *const names[] = { [KB_MHZ_LECTURE] = "mhz method", [KB_MHZ_LMBENCH] = "mhz method, lmbench's rules" };
	double scratch[SWEEPS_MAX], core = kb_median(clocks->core, clocks->sweeps, scratch);
	struct kb_mhz_result first, second;

	for (enum kb_mhz_rules rules = KB_MHZ_LECTURE; rules <= KB_MHZ_LMBENCH; rules++) {
		struct kb_inferred *mhz = kb_params_add(params, "clock", KB_UNIT_MHZ, "%s", names[rules]);
		bool found = kb_mhz_search(clocks->expression[0], rules, &first);
		bool again = found && kb_mhz_search(clocks->expression[1], rules, &second);

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

void kb_find_clock(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	static const char *const none[] = { NULL };
	struct clocks clocks = { 0 };

	settle(prober, &clocks);
	for (unsigned i = 0; i < 2 && clocks.sweeps; i++) {
		kb_prober_want(prober, "param.expression", none);
		kb_prober_sweep(prober, take_expression, &clocks);
	}
	/* Once more: the clock may have been another one for a while. */
	sweep(prober, &clocks);
	settle(prober, &clocks);
	if (clocks.sweeps == 0)
		return;
	clocks.all = clocks.sweeps;
	clocks.slowest = clocks.core[0];
	for (unsigned i = 1; i < clocks.sweeps; i++)
		clocks.slowest = fmin(clocks.slowest, clocks.core[i]);
	keep_agreed(&clocks);
	put_tsc(params, system, &clocks);
	put_core(params, system, &clocks);
	for (unsigned i = 0; i < CHAINS; i++)
		put_chain(params, &clocks, i);
	put_mhz(prober, params, &clocks);
}
