/*
 * From patterns and -p options to benchmarks with parameters; and which of them a selection holds: quick within standard within full,
 * and what lmbench measures. A descriptor names the one it is in.
 */
#ifndef KB_SUITE_SELECT_H
#define KB_SUITE_SELECT_H

#include "run/backend/backend.h"
#include "run/run.h"

/* All benchmarks of this program, null-terminated, in order of names; generated from the file names. */
extern const struct kb_bench *const kb_benches[];
extern const unsigned kb_bench_count;

enum kb_selection { KB_SELECT_QUICK, KB_SELECT_STANDARD, KB_SELECT_FULL, KB_SELECT_LMBENCH, KB_SELECT_NAMED, KB_SELECTIONS };

/*
 * patterns: names or shell globs ("cpu.*"); none: everything. sets: "name=value[,value...]", applied to every selected
 * benchmark that has the parameter. A parameter without a set takes its standard values; with KB_SELECT_LMBENCH those of the
 * descriptor's .lmbench_with, if it is among them. *rows is the caller's (free).
 * -ENOENT: unknown benchmark (error names the nearest), -EINVAL / -ERANGE: bad parameter; error gets one line.
 */
int kb_select(enum kb_selection, const struct kb_bench *const *benches, const char *const *patterns, size_t pattern_count,
              const char *const *sets, size_t set_count, struct kb_row **rows, size_t *count, char error[256]);

/* Whether a benchmark's name is meant by a pattern: the name, a shell glob, or its domain ("cpu" is "cpu.*"). */
bool kb_pattern_match(const char *pattern, const char *name);

/* Whether a word of the command line means a result: a benchmark, a domain, a shell glob, or the name as a table prints it ("mem.latency 64M"). */
bool kb_result_matches(const char *pattern, const char *benchmark, const char *row);

/* Sets the key of a row by its settings. */
void kb_row_set_key(struct kb_row *);

/* Where this machine has no huge pages: what wants them only by default takes small ones, in name and in fact, for a result that is named
   `huge` is huge, or skipped. How many. */
size_t kb_pages_small(struct kb_row *rows, size_t count);

/* ---- selections ------------------------------------------------------------------------------------------ */

/* quick, standard, full, lmbench; NULL for KB_SELECT_NAMED, which is whatever the patterns match. */
const char *kb_selection_name(enum kb_selection);

/* Whether the selection holds the benchmark. One that runs only when asked for (KB_MANUAL) must be among the patterns, by its
   whole name. */
bool kb_selection_has(enum kb_selection, const struct kb_bench *bench, const char *const *patterns, size_t count);

/* Takes out of the list what the selection does not hold, for the benchmark or for a value, or what goes beyond `reach`; the rest
   keeps its order. Returns how many stay. */
size_t kb_selection_keep(enum kb_selection, enum kb_reach reach, const char *const *patterns, size_t pattern_count,
			 struct kb_row *rows, size_t count);

/*
 * Puts behind the first *count of benches all of other targets that run here; room is for kb_cross_count() more. Where a pattern means
 * only some that do not, those that can be skipped come along. 0; else -ENODEV with the reason: one was asked for that cannot be.
 */
int kb_cross_select(const struct kb_collectors *, bool emulate, const char *const *patterns, size_t pattern_count,
                    const struct kb_bench **benches, unsigned *count, char error[320]);

#endif
