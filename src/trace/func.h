/*
 * Latencies of one function of the kernel: from raw stamps of entries and exits to times without the probe's own cost.
 * Stamps are paired here, thread by thread, since a function may sleep, move to another CPU and call itself.
 */
#ifndef KB_TRACE_FUNC_H
#define KB_TRACE_FUNC_H

#include "types.h"
#include "trace/bpf.h"
#include "trace/func_shared.h"
#include "trace/read.h"

/* By what means entry and exit are seen; the first that the kernel grants is used. */
enum kb_func_route {
	KB_FUNC_FENTRY,         /* the function's own trampoline: fentry and fexit */
	KB_FUNC_KPROBE,         /* kprobe and kretprobe */
	KB_FUNC_SYSCALL,        /* a system call, by raw_syscalls: from sys_enter to sys_exit */
	KB_FUNC_POINTS,         /* two tracepoints around what the function does */
	KB_FUNC_ROUTES
};
extern const char *const kb_func_route_names[KB_FUNC_ROUTES];   /* fentry kprobe syscall tracepoints */

/* What a name means on the routes that know no functions. */
struct kb_func_target {
	const char *function;
	int64_t number;                 /* of the system call; -1: it is none */
	const char *enter, *leave;      /* tracepoints around it; NULL: none known */
	const char *no_end;             /* the one tracepoint that it has, which has no end; NULL */
};
struct kb_func_target kb_func_target_of(const char *function);

/* ---- pairing --------------------------------------------------------------------------------------------- */

struct kb_func_stamp { uint64_t ns; uint32_t tid, cpu, kind, place; };       /* place: in what this CPU wrote */
/* begin: CLOCK_MONOTONIC; cpu: at the exit; depth: calls of the function that this one is inside. */
struct kb_func_pair { uint64_t begin, ns; uint32_t tid, cpu, depth; };

struct kb_func_counts {
	uint64_t events;        /* written */
	uint64_t lost;          /* events that found the log full */
	uint64_t open;          /* entries without an exit */
	uint64_t unopened;      /* exits without an entry */
	uint64_t missed;        /* programs that the kernel left out: it was inside one on this CPU */
	uint64_t torn;          /* begun, not written when the log was read */
};

struct kb_func_log {
	struct kb_func_pair *pairs;     /* in order of their begin */
	size_t count;
	struct kb_func_counts counts;   /* lost, missed and torn are the caller's */
	uint64_t started_ns;            /* CLOCK_MONOTONIC, when tracing was last switched on */
	uint64_t elapsed_ns, closed_ns; /* from then on; closed_ns: until the log was full, 0: it was not */
};

/* Sorts the stamps, and pairs them: an exit belongs to its thread's last open entry. The idle thread is one a CPU.
   0, -ENOMEM or -E2BIG. log->pairs is to be freed by kb_func_log_free in any case. */
int kb_func_pair_up(struct kb_func_log *log, struct kb_func_stamp *stamps, size_t count);
void kb_func_log_free(struct kb_func_log *);

/* ---- statistics ------------------------------------------------------------------------------------------- */

#define KB_FUNC_QUANTILES 5
extern const double kb_func_quantiles[KB_FUNC_QUANTILES];       /* .5 .9 .95 .99 .999 */

struct kb_func_side {
	struct kb_trace_moments moments;
	struct kb_interval mean, quantiles[KB_FUNC_QUANTILES];
	double spread;          /* from the 25th to the 75th percentile; ns */
};

struct kb_func_summary {
	struct kb_func_side call, null; /* null.moments.count 0: the probe's cost is unverified */
	struct kb_interval net_median, net_mean;        /* call - null, with the uncertainty of both and the drift; ns */
	double drift;           /* of the null's median, from before the calls to after them; ns */
	double resolution;      /* twice the spread of the null function, at least 1; below it nothing is told; ns */
	bool resolved;          /* net_median is above it */
};

/* ns of the calls and of the null function, each in order of its begin; the first `null_before` of the null were measured before
   the calls, the others after them. 0 or -ENOMEM. null_count may be 0. */
int kb_func_summarise(struct kb_func_summary *, const double *call, size_t count, const double *null, size_t null_count,
		      size_t null_before);

/* The times of a log, to be freed; NULL without memory. */
double *kb_func_times(const struct kb_func_log *);

/* ---- the kernel: func_libbpf.c, func_none.c ------------------------------------------------------------------ */

struct kb_func_tracer;

/* Loads and attaches, switched off. room: events kept a CPU. ignored: a process that is not meant, 0: none.
   -errno with the refusal. */
int kb_func_open(struct kb_func_tracer **, const struct kb_func_target *, enum kb_func_route, uint32_t room, uint32_t ignored,
		 struct kb_bpf_refusal *);
void kb_func_switch(struct kb_func_tracer *, bool on);

/* Takes it out of the null function's way, and puts it back: on route `syscall` its programs run at every system call, between
   the stamps of another's as well, switched off or not. 0 or -errno. */
int kb_func_aside(struct kb_func_tracer *, bool aside);
bool kb_func_full(const struct kb_func_tracer *);

/* After switching off: what was logged. 0 or -errno. */
int kb_func_take(struct kb_func_tracer *, struct kb_func_log *);
void kb_func_close(struct kb_func_tracer *);

/* A function that does nothing, seen on the same route: what is between the stamps besides the function. calls: as many as all
   kb_func_null_call together will make; each attaches, calls and detaches. kb_func_take gives the calls of all. -errno with
   the refusal, or -errno: the probe's cost is unverified. */
int kb_func_null_open(struct kb_func_tracer **, enum kb_func_route, uint32_t calls, struct kb_bpf_refusal *);
int kb_func_null_call(struct kb_func_tracer *, uint32_t calls);

/* Calls found(name) for each function that fentry can name, which is what BTF has; pattern as of the shell. */
int kb_func_list(const char *pattern, void (*found)(void *context, const char *name, const char *module), void *context,
		 struct kb_bpf_refusal *);

#endif
