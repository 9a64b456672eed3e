/*
 * How much somebody else shares the core that measures: contention probes and clock probes in turn for some seconds, judged as those
 * of a run are (result/contention.h).
 */
#ifndef KB_RUN_SHARING_H
#define KB_RUN_SHARING_H

#include "env/env.h"
#include "measure/measure.h"
#include "result/contention.h"
#include "run/run.h"

struct kb_sharing {
	unsigned cpu;
	double seconds;                 /* that it lasted */
	struct kb_floor floor;          /* K, as it was known or as these probes tell it */
	double clean;                   /* share of the time that was uncontended; NAN: K is not known, so nobody can tell */
	double stretch, stretch_90;     /* s: uncontended stretches, their median and their 90 % quantile; NAN: there is none */
	double factor;                  /* by which a contended probe is longer, the median; NAN: there is none */
	double usable;                  /* share of the pieces of time, as results use them, that have enough uncontended samples */
	double off_cpu;                 /* share of the time in which the thread did not run */
	double mhz, mhz_low, mhz_high;  /* of the core clock: the median, and the medians of tenths of a second */
	double steal;                   /* share of the time of all CPUs that the hypervisor took; NAN: not known */
};

/* For so many ticks of the clock, on the CPU where it is called; loops: of a contention probe. All but cpu and steal. 0 or -ENOMEM. */
int kb_sharing_measure(const struct kb_clock *, uint64_t loops, uint64_t ticks, const struct kb_floor *known, bool core_alone,
                       struct kb_sharing *);

/* The same on the CPU that a run with these options measures on, with its clock; the caller's affinity is as before. 0 or -errno. */
int kb_sharing_here(const struct kb_run_options *, uint64_t ns, struct kb_sharing *);

/* The core clock moved while this was measured. */
bool kb_sharing_clock_moved(const struct kb_sharing *);

/* Fills a finding of doctor, id and why included. NULL: an emulator executes the instructions, and nothing was measured. */
void kb_sharing_judge(const struct kb_sharing *, struct kb_finding *);

/* What results can be expected, as one sentence. */
const char *kb_sharing_expect(const struct kb_sharing *);

#endif
