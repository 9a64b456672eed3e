/*
 * A rate that is off by a part in a thousand is an error of all times of the run, and no CI shows it. So the rate is measured
 * against the kernel's clock, and a ladder of known work asks whether the counter counts time at all: virtual machines exist where
 * it stops, or jumps, with the virtual CPU.
 */
#define _GNU_SOURCE
#include "run/calibrate.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "evidence/evidence.h"
#include "declared.h"
#include "io.h"
#include "measure/emulation.h"
#include "stamp.h"

#define RATE_NS UINT64_C(200000000)     /* 200 ms against CLOCK_MONOTONIC_RAW: 5 ppm were seen to repeat */
#define RUNGS 8u
#define RUNG_OPERATIONS 20000u          /* some 5 to 10 us a rung: far above the clock's step */
#define TRIES 300u
#define LADDER_TOLERANCE 0.01           /* of a rung, against the line through all */

/* A contention probe is as short as the clock allows: shorter ones lose clean samples to its steps, longer ones gain nothing. */
#define PROBE_NS 700.0
#define PROBE_STEPS 70.0
#define PROBE_WIDTH 6.0         /* instructions that a core dispatches in a cycle */
#define PROBE_ROUND 5.0

struct pair { uint64_t ticks, ns; };

/* A reading of both clocks at one moment: the closest of many pairs. */
static struct pair read_pair(const struct kb_clock *clock)
{
	struct pair best = { 0, 0 };
	uint64_t closest = UINT64_MAX;

	for (int i = 0; i < 50; i++) {
		uint64_t before = clock->begin(), ns = kb_wall_ns(), after = clock->end();

		if (after - before < closest) {
			closest = after - before;
			best = (struct pair){ before + (after - before) / 2, ns };
		}
	}
	return best;
}

static void measure_rate(struct kb_clock *clock)
{
	if (clock->hz) /* a clock in ns needs no comparison with itself */
		return;
	struct pair start = read_pair(clock);

	kb_sleep_ns(RATE_NS);
	struct pair stop = read_pair(clock);

	clock->hz = (uint64_t)llround((double)(stop.ticks - start.ticks) * 1e9 / (double)(stop.ns - start.ns));
}

bool kb_ladder_fits(const uint64_t *ticks, unsigned rungs, char *text, size_t room)
{
	double step = (double)(ticks[rungs - 1] - ticks[0]) / (rungs - 1), worst = 0;

	/* A clock that stands still or steps back has no positive step: nothing else need be asked. */
	if (ticks[rungs - 1] <= ticks[0]) {
		snprintf(text, room, "time does not grow with the work");
		return false;
	}
	for (unsigned i = 0; i < rungs; i++)
		worst = fmax(worst, fabs((double)ticks[i] - (double)ticks[0] - step * i) / step);
	snprintf(text, room, "%u rungs of %.0f ticks, worst is %.2f %% of a rung off the line", rungs, step, 100 * worst);
	return worst <= LADDER_TOLERANCE * rungs;
}

/* By the core clock that the ladder saw, for that does not depend on who shares the core just now: equal on equal machines. */
static uint64_t probe_loops(const struct kb_clock *clock, double add_ticks)
{
	double ticks = fmax(PROBE_NS * 1e-9 * (double)clock->hz, PROBE_STEPS * (double)clock->quantum);
	double loops = ticks / (add_ticks * kb_contention_instructions() / PROBE_WIDTH);

	return add_ticks > 0 ? (uint64_t)(ceil(loops / PROBE_ROUND) * PROBE_ROUND) : 0;
}

/* An emulator that reports its name, and does not count instructions: whatever the clock looks like, it is no measure of anything. */
static void examine(struct kb_clock *clock)
{
	char name[13];

	kb_clock_examine(clock, NULL);
	if (clock->counts == KB_COUNTS_TIME && kb_arch_hypervisor(name) && strcmp(name, "TCGTCGTCGTCG") == 0)
		clock->counts = KB_COUNTS_EMULATION;
}

enum kb_clock_counts kb_machine_counts(bool *one_by_one)
{
	static struct kb_clock clock;

	if (!clock.begin && !kb_clock_named(&clock, NULL) && !kb_clock_measure(&clock))
		examine(&clock);
	*one_by_one = clock.insns > 0 && clock.insns == clock.ticks;
	return clock.counts;
}

static int calibrate_one(const char *name, struct kb_run_outcome *outcome)
{
	uint64_t ticks[RUNGS];
	int error = kb_clock_named(&outcome->clock, name) ?: kb_clock_measure(&outcome->clock);

	if (error)
		return error;
	measure_rate(&outcome->clock);
	examine(&outcome->clock);
	/* The rate stays known to who plans the run, for budgets are in the time of this machine, whatever makes it. */
	if (strcmp(outcome->clock.name, KB_ARCH_CLOCK) == 0)
		kb_clock_in_instructions(&outcome->clock);
	kb_clock_ladder(&outcome->clock, RUNG_OPERATIONS, RUNGS, TRIES, ticks);
	outcome->clock.ladder_ok = kb_ladder_fits(ticks, RUNGS, outcome->ladder, sizeof outcome->ladder);
	/* What a loop takes under an emulator says nothing of a core. */
	outcome->probe = outcome->clock.counts == KB_COUNTS_TIME ?
			 probe_loops(&outcome->clock, (double)(ticks[RUNGS - 1] - ticks[0]) / (RUNGS - 1) / RUNG_OPERATIONS) : 0;
	return 0;
}

int kb_calibrate(const char *name, unsigned cpu, struct kb_run_outcome *outcome)
{
	bool any = !name || !strcmp(name, "auto");
	cpu_set_t before;

	sched_getaffinity(0, sizeof before, &before);
	kb_pin(cpu);
	int error = calibrate_one(name, outcome);

	if (any && (error || !outcome->clock.ladder_ok))
		error = calibrate_one("ns", outcome);
	/* The kernel's clock, where it was requested, is made of the same count, and rounds it. */
	if (!error && outcome->clock.counts == KB_COUNTS_INSTRUCTIONS && strcmp(outcome->clock.name, "ns") == 0)
		error = calibrate_one(NULL, outcome);
	sched_setaffinity(0, sizeof before, &before);
	return error;
}
