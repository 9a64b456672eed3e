/*
 * How a process is reached: a process on this machine, or, in tests, the measuring code itself on a synthetic clock.
 * One process at a time.
 */
#ifndef KB_RUN_PROCESS_TRANSPORT_H
#define KB_RUN_PROCESS_TRANSPORT_H

#include "types.h"
#include "measure/measure.h"
#include "run/run.h"

struct kb_process_request {
	const struct kb_row *row;
	const struct kb_clock *clock;
	const char *method;
	unsigned process;                /* from 1; 0: the proof */
	uint64_t seed;
	uint64_t prove;                 /* operations to prove; 0: measure */
	uint64_t deadline_ns;           /* kb_wall_ns() */
};

struct kb_transport {
	void *context;
	/* Starts a process. 0 or -errno. */
	int (*open)(void *context, const struct kb_process_request *, char error[256]);
	/* Sends one line of plan. -EPIPE once the process is gone: close() tells why. */
	int (*send)(void *context, const char *line, size_t length);
	/* Waits until the record has `blocks` ended blocks, 0: until set-up is over. False: the process ended first, or ran out of time. */
	bool (*await)(void *context, uint64_t blocks);
	/* What the record holds so far; valid until the next call. */
	struct kb_span (*record)(void *context);
	/* Ends the plan, waits, reaps. The text is the transport's until the next open. */
	struct kb_process_text (*close)(void *context);
};

#endif
