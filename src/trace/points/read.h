/* A log that was written by kbench_trace.h, and what its trace points added to its values. */
#ifndef KB_TRACE_POINTS_READ_H
#define KB_TRACE_POINTS_READ_H

#include "types.h"
#include "stats/stats.h"

#define KB_TRACE_READ_KEYS 128u

/* The source document's columns, and the median with its 95 % CI. Ticks. */
struct kb_trace_moments {
	size_t count;
	double min, max, mean, variance, sd, sd_percent;        /* sd_percent: of the mean; not finite if that is 0 */
	struct kb_interval median;
	double step;            /* from the median to the nearest other value; 0: there is none */
};

/* values: in run order. count 0: all is 0. */
void kb_trace_moments_of(struct kb_trace_moments *, const double *values, size_t count);

struct kb_trace_overhead {
	struct kb_trace_moments effective;      /* of the inner pairs: in each value */
	struct kb_trace_moments total;          /* outer - inner, pair by pair: what a pair costs the program */
};

int kb_trace_overhead_of(struct kb_trace_overhead *, const double *inner, const double *outer, size_t count);

struct kb_trace_pair {
	uint64_t ticks, begin;          /* begin: from the first log's begin */
	unsigned key, thread;           /* thread: from 1, in order of their begin */
	uint64_t inside;                /* pairs that began and ended inside */
	uint64_t crossing;              /* pairs that only began or only ended inside */
	bool saturated;
};

struct kb_trace_counts { uint64_t threads, running, entries, lost, open, overwritten, unopened, saturated; };

struct kb_trace_key {
	struct kb_trace_moments value;          /* as logged */
	struct kb_trace_moments corrected;      /* value - effective - inside x total */
	double inside, crossing;                /* means a pair */
	double uncertainty;                     /* of the corrected median, from that of the overhead and of the median; ticks */
	double crossing_most;                   /* what crossing pairs may have added besides, on average; ticks */
	uint64_t marks;
};

struct kb_trace_read {
	char clock[24];         /* its name */
	uint64_t hz;            /* ticks per second; 0: unknown */
	bool light;
	struct kb_trace_pair *pairs;
	size_t count;
	struct kb_trace_overhead overhead;
	struct kb_trace_counts counts;
	struct kb_trace_key keys[KB_TRACE_READ_KEYS];
};

/* 0; -EINVAL: no log, or a damaged one, error has the reason; -ENOMEM. To be freed in any case. */
int kb_trace_read(struct kb_trace_read *, const char *text, size_t length, char error[160]);
void kb_trace_read_free(struct kb_trace_read *);

#endif
