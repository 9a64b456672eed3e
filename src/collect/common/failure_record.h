/*
 * A collector hands on the record that its world writes. Where the world cannot begin one, or does not say how it ended, the
 * collector says so itself: a record of its own, or the last line of the other.
 */
#ifndef KB_COLLECT_COMMON_FAILURE_RECORD_H
#define KB_COLLECT_COMMON_FAILURE_RECORD_H

#include "collect/common/options.h"

#define KB_COLLECT_FAILED 5     /* the exit code of a collector whose launch has failed */

struct kb_own_record {
	const struct kb_world_options *options;
	const char *clock;      /* the line of the clock, without its word */
	bool begun;             /* the world's own is on standard output, from its first line on */
};

/* To standard output: the header unless one is there, `note need_unmet` if the machine lacks what it takes, and the fail line.
   error: -errno, or KB_NO_ERRNO. KB_COLLECT_FAILED. */
int kb_own_fail(const struct kb_own_record *, const char *stage, int error, bool lacks, const char *detail);

#endif
