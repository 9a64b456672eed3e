/* From patterns and -p options to rows. */
#ifndef KB_SUITE_SELECT_H
#define KB_SUITE_SELECT_H

#include "run/run.h"

/* All benchmarks of this program, null-terminated, in order of names; generated from the file names. */
extern const struct kb_bench *const kb_benches[];
extern const unsigned kb_bench_count;

/*
 * patterns: names or shell globs ("cpu.*"); none: everything. sets: "name=value[,value...]", applied to every selected
 * benchmark that has the parameter. A parameter without a set takes its standard values. *rows is the caller's (free).
 * -ENOENT: unknown benchmark (error names the nearest), -EINVAL / -ERANGE: bad parameter; error gets one line.
 */
int kb_select(const struct kb_bench *const *benches, const char *const *patterns, size_t pattern_count,
              const char *const *sets, size_t set_count, struct kb_row **rows, size_t *count, char error[256]);

/* Whether a benchmark's name is meant by a pattern: the name, a shell glob, or its domain ("cpu" is "cpu.*"). */
bool kb_pattern_match(const char *pattern, const char *name);

#endif
