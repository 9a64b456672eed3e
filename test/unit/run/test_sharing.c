/*
 * Who shares the core, on a made-up clock: each probe takes what a script says, whatever the machine does. Two readings make a
 * probe; contention probes, short and long clock probes come in a fixed turn.
 */
/* runs: 3 s */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "result/contention.h"
#include "run/sharing.h"

#define HZ UINT64_C(1000000000)
#define LOOPS 200u
#define K 3.4
#define ADD 0.5                         /* ns: a core clock of 2 GHz */
#define SECONDS 0.1

/* The machine: who is there, and when. */
static struct {
	double factor;                  /* of a contended probe */
	double on, off;                 /* ns: the neighbour runs so long, then rests so long; on 0: never, off 0: always */
	double gap_every, gap;          /* ns: the thread is stopped every so often for so long; 0: never */
	double slow_from;               /* ns: from then on the core clock is 3 % slower; 0: never */
} machine;

static double now, next_gap;
static unsigned reading;

static bool is_contended(void)
{
	if (machine.on <= 0)
		return false;
	return machine.off <= 0 || fmod(now, machine.on + machine.off) < machine.on;
}

/* What comes in turn: contention, short, contention, long, and the next turn's first contention probe is this one's last. */
static double length(unsigned probe)
{
	double add = machine.slow_from > 0 && now > machine.slow_from ? 1.03 * ADD : ADD;
	unsigned kind = probe % 4;

	if (kind == 1)
		return KB_CLOCK_PROBE_SHORT * add;
	if (kind == 3)
		return KB_CLOCK_PROBE_LONG * add;
	return LOOPS * K * add * (is_contended() ? machine.factor : 1);
}

static uint64_t begin(void)
{
	if (machine.gap_every > 0 && now > next_gap) {
		now += machine.gap;
		next_gap = now + machine.gap_every;
	}
	return (uint64_t)(now + 0.5);
}

static uint64_t end(void)
{
	now += length(reading++);
	return (uint64_t)(now + 0.5);
}

static const struct kb_clock made_up = { .name = "made-up", .begin = begin, .end = end, .hz = HZ, .quantum = 1, .cost = 0 };
static const struct kb_floor shipped = { K, KB_FLOOR_SHIPPED }, unknown = { 0, KB_FLOOR_UNKNOWN };

static struct kb_sharing watch_for(double seconds, const struct kb_floor *known, bool core_alone)
{
	struct kb_sharing sharing;

	now = 1000;
	next_gap = machine.gap_every;
	reading = 0;
	assert_int_equal(kb_sharing_measure(&made_up, LOOPS, (uint64_t)(seconds * (double)HZ), known, core_alone, &sharing), 0);
	return sharing;
}

static struct kb_sharing watch(const struct kb_floor *known, bool core_alone)
{
	return watch_for(SECONDS, known, core_alone);
}

static void expect_at(int line, const struct kb_sharing *sharing, enum kb_fitness fitness, const char *what, const char *hope)
{
	struct kb_finding finding;

	kb_sharing_judge(sharing, &finding);
	if (finding.fitness != fitness || !strstr(finding.what, what))
		fail_msg("line %d: %d \"%s\", expected %d \"%s\"", line, finding.fitness, finding.what, fitness, what);
	assert_true(strlen(finding.what) + 1 < sizeof finding.what);
	if (sharing && !strstr(kb_sharing_expect(sharing), hope))
		fail_msg("line %d: expects \"%s\", not \"%s\"", line, kb_sharing_expect(sharing), hope);
}

#define expect(...) expect_at(__LINE__, __VA_ARGS__)
#define assert_near(value, expected, part) assert_true(fabs((value) - (expected)) <= (part) * (expected))

static void nobody_is_there(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof machine);
	struct kb_sharing sharing = watch(&shipped, false);

	assert_near(sharing.clean, 1, 0.001);
	assert_near(sharing.seconds, SECONDS, 0.01);
	assert_near(sharing.stretch, SECONDS, 0.01);
	assert_true(isnan(sharing.factor));
	assert_near(sharing.mhz, 2000, 0.001);
	assert_false(kb_sharing_clock_moved(&sharing));
	assert_near(sharing.usable, 1, 0.1);
	assert_true(sharing.off_cpu <= 0);
	expect(&sharing, KB_FIT, "the core is not shared", "after 6 processes");
}

/* 3 ms of 4 with a neighbour: as much of the time, and stretches as long as its rests. */
static void somebody_comes_and_goes(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof machine);
	machine.factor = 1.6;
	machine.on = 3e6;
	machine.off = 1e6;
	struct kb_sharing sharing = watch(&shipped, false);

	assert_near(sharing.clean, 0.25, 0.05);
	assert_near(sharing.stretch, 1e-3, 0.05);
	assert_near(sharing.stretch_90, 1e-3, 0.05);
	assert_near(sharing.factor, 1.6, 0.01);
	assert_near(sharing.mhz, 2000, 0.001);
	expect(&sharing, KB_UNSURE, "75 % of the time another hardware thread", "after 6 processes");
}

/* Rests shorter than a sample hold clean probes, and no sample between them. */
static void rests_are_too_short(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof machine);
	machine.factor = 1.3;
	machine.on = 100e3;
	machine.off = 15e3;
	struct kb_sharing sharing = watch(&shipped, false);

	assert_true(sharing.clean > 0 && sharing.clean < 0.05);
	assert_true(sharing.usable <= 0);
	expect(&sharing, KB_UNFIT, "contended throughout", "only observed costs");
}

static void rare_rests_take_more_processes(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof machine);
	machine.factor = 1.6;
	machine.on = 130e6;
	machine.off = 3e6;
	struct kb_sharing sharing = watch_for(4 * SECONDS, &shipped, false);

	assert_true(sharing.usable > 0 && sharing.usable < 0.3);
	expect(&sharing, KB_UNSURE, "98 % of the time", "more than 6 processes");
}

/* With K that is known nobody takes a neighbour who never rests for an empty core; without it nobody can tell. */
static void somebody_never_rests(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof machine);
	machine.factor = 1.5;
	machine.on = 1;
	struct kb_sharing sharing = watch(&shipped, false);

	assert_true(sharing.clean <= 0);
	assert_true(isnan(sharing.stretch));
	assert_near(sharing.factor, 1.5, 0.01);
	expect(&sharing, KB_UNFIT, "contended throughout", "only observed costs");
	sharing = watch(&unknown, false);
	assert_true(isnan(sharing.clean));
	assert_true(sharing.floor.k <= 0);
	expect(&sharing, KB_UNSURE, "not known", "until K is known");
}

static void k_is_learnt_where_it_shows(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof machine);
	machine.factor = 1.6;
	machine.on = 2e6;
	machine.off = 2e6;
	struct kb_sharing sharing = watch(&unknown, false);

	assert_int_equal(sharing.floor.from, KB_FLOOR_RUN);
	assert_near(sharing.floor.k, K, 0.01);
	assert_near(sharing.clean, 0.5, 0.05);
	/* An empty core looks like a full one, unless nobody else can be on it. */
	memset(&machine, 0, sizeof machine);
	sharing = watch(&unknown, false);
	assert_int_equal(sharing.floor.from, KB_FLOOR_UNKNOWN);
	sharing = watch(&unknown, true);
	assert_int_equal(sharing.floor.from, KB_FLOOR_RUN);
	expect(&sharing, KB_FIT, "the core is not shared", "after 6 processes");
}

/* Time in which the thread did not run is neither contended nor uncontended. */
static void stops_are_told_apart(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof machine);
	machine.gap_every = 9e6;
	machine.gap = 3e6;
	struct kb_sharing sharing = watch(&shipped, false);

	assert_near(sharing.off_cpu, 0.25, 0.1);
	assert_near(sharing.clean, 1, 0.001);
	assert_near(sharing.stretch, 9e-3, 0.05);
}

static void a_clock_that_moves_is_seen(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof machine);
	machine.slow_from = 0.2e9;
	struct kb_sharing sharing = watch_for(4 * SECONDS, &shipped, false);

	assert_true(kb_sharing_clock_moved(&sharing));
	assert_near(sharing.mhz_low, 2000 / 1.03, 0.001);
	assert_near(sharing.mhz_high, 2000, 0.001);
	/* And is no contention: the probe is measured in core cycles. */
	assert_near(sharing.clean, 1, 0.01);
}

static void an_emulator_is_not_judged(void **state)
{
	(void)state;
	expect(NULL, KB_UNSURE, "emulated", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_there), cmocka_unit_test(somebody_comes_and_goes), cmocka_unit_test(rests_are_too_short),
		cmocka_unit_test(rare_rests_take_more_processes), cmocka_unit_test(somebody_never_rests),
		cmocka_unit_test(k_is_learnt_where_it_shows), cmocka_unit_test(stops_are_told_apart),
		cmocka_unit_test(a_clock_that_moves_is_seen), cmocka_unit_test(an_emulator_is_not_judged),
	};

	return cmocka_run_group_tests_name("sharing", tests, NULL, NULL);
}
