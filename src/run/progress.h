/* The line on a terminal that tells how far a run is. */
#ifndef KB_RUN_PROGRESS_H
#define KB_RUN_PROGRESS_H

#include "types.h"

struct kb_progress {
	size_t results, open;           /* results 0: how many there will be is not known */
	unsigned processes;             /* done; with `blocks` these */
	bool blocks;                    /* of commands */
	bool estimated;                 /* what is left is no limit, but what it takes as fast as until now */
	uint64_t budget_ns, left_ns;    /* budget_ns 0: not known */
	const char *now;                /* what is measured; "": between two */
};

#define KB_PROGRESS_ROOM 1024   /* bytes of a line, whatever its width */

/* "[####----] 23/41 results, 35 s, at most 25 s left: mem.latency": the bar is the time that was spent. At most `width` columns less one: a line as
   wide as the terminal would wrap, and the next one could not erase it. */
void kb_progress_line(char line[KB_PROGRESS_ROOM], unsigned width, bool utf8, const struct kb_progress *);

#endif
