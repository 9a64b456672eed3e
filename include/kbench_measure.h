/*
 * kbench_measure.h - measures from inside a running program.
 *
 * kb_measure() does what `kbench run` does for one benchmark with one set of parameters: fresh processes, probes of the clock and of
 * contention, a verdict, and the run in the store. Each process is this program, started again: say KB_MEASURABLE first in main.
 *
 *     static const struct kb_bench parse = { KB_BENCH("parse"), .op = op, .check = check };
 *
 *     int main(int argc, char **argv)
 *     {
 *             struct kb_measured found;
 *
 *             KB_MEASURABLE(argc, argv, &parse);
 *             ...
 *             if (kb_measure(&parse, NULL, &found) == 0)
 *                     printf("%g %s, %s\n", found.value, found.unit, found.verdict);
 */
#ifndef KBENCH_MEASURE_H
#define KBENCH_MEASURE_H

#include "kbench.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zeros stand for what `kbench run` does without options. */
struct kb_measure_options {
	double budget;          /* seconds for all of it; 60 */
	double precision;       /* stop when the 95 % CI is this narrow, as a fraction of the value; 0.01 */
	unsigned processes;     /* 6 */
	const char *params;     /* "size=64K order=local"; the others have the first of their values */
	const char *cpus;       /* to measure on, "2,3"; those that this process may use */
	const char *store;      /* a file; "": keep nothing; NULL: $XDG_DATA_HOME/kbench/kbench.db */
	const char *label;      /* a name for the run, for `kbench show` */
};

/* What came of it. Texts in it are its own, or static. */
struct kb_measured {
	double value, low, high;        /* cost of one operation and its 95 % CI; NAN: there is none */
	const char *unit;               /* ns; of a clock whose rate is not known ticks, cycles or insn */
	const char *verdict;            /* "ok", "noisy", "unverified", "invalid", "skipped" */
	unsigned processes;             /* that count */
	char run[37];                   /* its id, for `kbench show`; "": it is not in the store */
	char reasons[2000];             /* of the verdict, one a line: "noisy: CODE: words; detail"; and what else there is to say */
};

/*
 * Measures. 0: there is a number, whose verdict says what it is worth. -EINVAL: the descriptor or an option is wrong; -ENODATA: invalid or
 * skipped, as reasons say; -EINTR: a signal (SIGINT, SIGTERM, SIGHUP) ended it, which is raised again before the return; -EIO: it could not
 * be done. options NULL: zeros. One at a time in a program. It waits for children that the benchmark left, and for no others.
 * A bench that KB_MEASURABLE does not name is measured in forks of the caller: they share its memory layout, so that the result is `noisy`
 * (one_layout); locks that other threads hold stay locked there.
 */
int kb_measure(const struct kb_bench *bench, const struct kb_measure_options *options, struct kb_measured *found);

/* First in main, before output and threads: where this process was started to measure, it does, and does not return. The descriptors must
   be the same in each process: static, with constants. */
#define KB_MEASURABLE(argc, argv, ...) \
	do { \
		static const struct kb_bench *const kb_all[] = { __VA_ARGS__, 0 }; \
		kb_measurable(argc, argv, kb_all); \
	} while (0)

/* What the macro calls; benches ends with a null pointer and lives as long as the program. */
void kb_measurable(int argc, char **argv, const struct kb_bench *const *benches);

/* Whether KB_MEASURABLE names it. */
bool kb_is_measurable(const struct kb_bench *bench);

/* In the environment of such a process. */
#define KB_COLLECTOR_VARIABLE "KBENCH_COLLECTOR"

#ifdef __cplusplus
}
#endif

#endif
