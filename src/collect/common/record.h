/*
 * What collectors have in common of a record: how it begins, and how it ends where nothing could be measured. The collector of another
 * target hands on what that writes; where it cannot begin a record, or does not report how it ended, the collector does so itself.
 */
#ifndef KB_COLLECT_COMMON_RECORD_H
#define KB_COLLECT_COMMON_RECORD_H

#include "base/record.h"
#include "collect/common/options.h"

#define KB_COLLECT_FAILED 5     /* the exit code of a collector that could not measure */

/* `bench`, `per`, `method` and the benchmark's own `param` lines. */
void kb_collect_header(struct kb_record_writer *, const struct kb_collect_options *);

struct kb_failure_record {
	const struct kb_collect_options *options;
	const char *clock;      /* the line of the clock, without its word */
	const bool *begun;      /* the target's own is on standard output, from its first line on */
};

/* To standard output: the header unless one is there, `note need_unmet` if the machine does not meet a requirement, which makes the result
   `skipped`, and the fail line. error: -errno, or KB_NO_ERRNO. KB_COLLECT_FAILED. */
int kb_failure_record(const struct kb_failure_record *, const char *stage, int error, bool unmet, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* The start of a collector of another target than Linux: its options, and what they rule out. 0, or the exit code. */
int kb_collect_begin(int argc, char **argv, const struct kb_bench *const *list, struct kb_collect_options *,
		     const struct kb_failure_record *);

#endif
