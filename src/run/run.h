/*
 * One `kbench run`: measures results, interleaved and shuffled, widest CI first, until precision or budget.
 * It prints nothing: the caller watches through an observer.
 */
#ifndef KB_RUN_RUN_H
#define KB_RUN_RUN_H

#include <jansson.h>

#include "types.h"
#include "env/env.h"
#include "evidence/events.h"
#include "measure/measure.h"
#include "measure/params.h"
#include "result/contention.h"
#include "result/result.h"
#include "result/samples.h"

/* The farthest of a result's values: all are the first of their parameter, of the standard selection, or of the full one. */
enum kb_reach { KB_REACH_FIRST, KB_REACH_STANDARD, KB_REACH_FULL };

struct kb_collector;

/* A benchmark with its parameters, and what came of it. */
struct kb_row {
	struct kb_settings settings;
	char key[320];                  /* "ipc.pipe_latency placement=same-cpu" */
	enum kb_reach reach;            /* of its values that nobody typed */
	struct kb_result result;        /* valid after each process */
	struct kb_row_state *state;     /* the runner's own */
	const char *interference;             /* kind of the neighbour, "nothing" for none; NULL: nobody asked. In the key, too */
	unsigned copies;                /* that run side by side; 0: nobody asked, 1: one that is compared with several */
	const struct kb_collector *collector;   /* of its backend; NULL: that of the options, in this machine's user space */
	unsigned group;                 /* results of one number above 0 are started in turn until all are done */
};

/* The parameters of method kanata, named as in the source document. */
struct kb_kanata_options {
	uint64_t initial, delta;        /* initial test size I; delta D */
	unsigned group_size, groups;    /* S, G */
	unsigned skip;                  /* first tests of a group, collected and left out */
	double confidence, half_width;  /* of the mean; half-width as a fraction of it */
};

struct kb_run_options {
	char id[37];                    /* run id, of which every process carries a mark (run/process/mark.h) */
	const char *collector;          /* path of kbench-collect */
	const char *plugin;             /* path of a plug-in or NULL */
	const char *plugin_name;        /* of its benchmark */
	void (*fork)(int argc, char **argv);    /* is the collector, in a fork of this program, and ends it; NULL: the collector is started */
	char *const *environment;       /* "NAME=VALUE" more for the collector, ends with NULL; NULL: none */
	struct kb_cpus cpus;
	uint64_t seed;
	bool one_order;                 /* every process has this seed: counts that depend on what was executed before stay comparable */
	double precision;               /* relative half-width to reach, 0.01 */
	uint64_t budget_ns;             /* for the whole run */
	uint64_t timeout_ns;            /* for one process */
	unsigned processes;              /* planned per result, 5 */
	bool processes_given;           /* so many, also where fewer are enough */
	const char *clock;              /* NULL: the architecture's; "ns": clock_gettime */
	const struct kb_run_outcome *calibrated;        /* of a run just before, whose clock is taken; NULL: the clock is measured anew */
	enum kb_method method;          /* slope, single, paired, kanata; none: chosen by the cost of an operation */
	struct kb_kanata_options kanata;
	unsigned blocks;                /* of a process, for points of a search; 0: what the method takes */
	unsigned copies;                /* of the result that has most; 0: no result asks for copies */
	const unsigned *copy_cpus;      /* in the order in which copies take them; more copies than CPUs share them */
	unsigned copy_cpu_count;
	struct kb_event_code events[KB_EVENTS_MAX];     /* to count in addition to those that benchmarks declare */
	unsigned event_count;
	struct kb_floor floor;          /* of the contention probe, as far as it is known before the run */
	const json_t *env;              /* of kb_env_to_json, which results are told by; NULL: not known */
	bool core_alone;                /* nobody else can run on the core: what its probes show is the floor */
	bool emulated;                  /* the processor is: contention probes would measure the emulator */
};

/* Called from the run's thread, between processes. */
struct kb_run_observer {
	void *context;
	/* A process ended. outcome "" or how it ended badly; record may be cut off or empty. process 0 is the proof. */
	int (*process_done)(void *context, const struct kb_row *, unsigned process, const char *outcome,
	                   const char *record, size_t length);
	/* The result was made anew. */
	void (*row_updated)(void *context, const struct kb_row *, size_t index);
	/* For a progress line: processes done, results still open, ns left of the budget. */
	void (*progress)(void *context, const struct kb_row *now, unsigned done, unsigned open, uint64_t left_ns);
};

struct kb_run_outcome {
	struct kb_clock clock;          /* as calibrated, with ladder_ok */
	char ladder[120];               /* what the self-test saw */
	uint64_t probe;                 /* loops of a contention probe that is long enough for this clock */
	struct kb_floor floor;          /* that results were made with */
	double k;                       /* that this run alone would say: the lower mode of its probes; 0: there is none */
	unsigned processes;
	bool precision_met;             /* all results */
	bool tried_out;                 /* those that are not have had as many processes as a result gets; else the budget ended */
	bool interrupted;
	int signal;                     /* that interrupted */
	uint64_t elapsed_ns;
};

/* Measures all results. -errno only if nothing could be measured at all; error then has one line for people. */
int kb_run_rows(struct kb_row *rows, size_t count, const struct kb_run_options *, const struct kb_run_observer *,
                struct kb_run_outcome *, char error[256]);
void kb_row_release(struct kb_row *row);

/* Asks the run to stop now, without the process in flight; safe in a signal handler. */
void kb_run_stop(int signal);

/* The signal that stopped the run, 0: none. */
int kb_run_stop_signal(void);

#endif
