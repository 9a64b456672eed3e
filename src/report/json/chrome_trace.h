/*
 * Kernel entries for the viewers of Chrome and Perfetto: JSON of the Trace Event Format, written while they come. Times are
 * microseconds with three decimals, as the format has them, so nothing of a nanosecond is lost.
 */
#ifndef KB_REPORT_JSON_CHROME_TRACE_H
#define KB_REPORT_JSON_CHROME_TRACE_H

#include <stdio.h>

#include "trace/entries/pair.h"

#define KB_CHROME_CPUS 4096u

struct kb_chrome_trace {
	FILE *out;
	uint64_t first_ns;
	bool some;
	int error;      /* the first one: 0 or -errno */
	bool idle_named[KB_CHROME_CPUS];        /* the idle thread of this CPU has a track and a name */
};

void kb_chrome_begin(struct kb_chrome_trace *, FILE *out, uint64_t first_ns);
void kb_chrome_add(struct kb_chrome_trace *, const struct kb_entry *entry, const char *name);

/* What the process is called. */
void kb_chrome_process(struct kb_chrome_trace *, uint32_t process, const char *name);

/* The last line, and all that is still in the stream's buffer. 0, or -errno of the first event that could not be written. */
int kb_chrome_end(struct kb_chrome_trace *, uint64_t lost);

#endif
