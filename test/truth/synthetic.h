/*
 * A machine whose costs and faults are known: the measuring code runs in this process on a clock that only the
 * synthetic benchmark moves. What the engine says about it can be held against the truth.
 *
 * One tick is one nanosecond. A model that is all zero is a healthy benchmark of 118 ticks an operation, net, on a
 * quiet machine; each field that is set makes one thing different.
 */
#ifndef TEST_TRUTH_SYNTHETIC_H
#define TEST_TRUTH_SYNTHETIC_H

#include "base/rng.h"
#include "run/process/transport.h"

#define SYNTHETIC_OP 120.0              /* ticks of one operation with its turn of the circle */
#define SYNTHETIC_BASE 2.0              /* ticks of one turn without the operation */
#define SYNTHETIC_FIXED 300.0           /* ticks of an interval beside its operations */
#define SYNTHETIC_V0 40e3               /* variance of an interval's noise: v0 + v1 n, lognormal */
#define SYNTHETIC_V1 12.0
#define SYNTHETIC_ADD 0.5               /* ticks of one dependent add: a core of 2 GHz */
#define SYNTHETIC_K 3.4                 /* cycles a loop of the contention probe, its clock readings included */
#define SYNTHETIC_PROBE_LOOPS 400       /* 0.7 us */
#define SYNTHETIC_CLOCK_COST 100        /* a slow clock: a process then has 100 blocks, not 400 */

/*
 * The other hardware thread of the core, and what else comes and goes in time. With `probes` samples are probed for contention. It is
 * busy and rests in turn; without clean_ns it never rests, and does something else each busy_ns.
 */
struct kb_synthetic_sibling {
	bool probes;
	double clean_ns, busy_ns;       /* mean lengths; busy_ns 0: there is none */
	double shape;                   /* of the lengths, lognormal; 0: they are exponential */
	double on_probe[2], on_op[2];   /* what it makes of their times, a factor from .. to; drawn each time it comes */
	double on_chain[2];             /* of a dependent chain; 0: nothing */
	unsigned processes;             /* bit i: only in process i; 0: in all */
	double behind_op;               /* the probe is dearer by that share right behind the operation */
	double fast_share, fast_by;     /* of the time, for 5 to 150 ms, the operation is cheaper by that share */
	double slow_clock;              /* all times, while the core clock is low: it moves every 10 to 500 ms; 0: it does not */
};

struct kb_synthetic {
	/* The benchmark. 0: the constants above. */
	double op, base, fixed, v0, v1;
	enum kb_bound bound;
	uint64_t max_n;
	bool no_base;
	double twin;                    /* ticks of an operation of its twin with its turn of the circle; 0: it has none */
	bool base_works;                /* it says that its base does something on purpose */
	bool half_base;                 /* it says that its base is half of its operations */
	uint64_t paired;                /* n of all intervals of a paired benchmark; 0: it is measured by its cost */
	uint64_t granule;               /* that set-up finds; 0: none */
	unsigned refutes;               /* its check refutes one in so many intervals, in which nothing was done; 0: none */
	double second;                  /* ticks more of the second interval of each pair */
	bool checked;                   /* it has a check of its own, which passes unless check is where it fails */
	unsigned parts;                 /* that points divide each operation into; 0: it is whole */
	bool folded;                    /* an interval costs the same whatever n is */
	uint64_t fewer;                 /* so many operations fewer than asked for are done */
	double bend;                    /* further ticks of each operation, times n: repeating makes it dearer */

	/* Its evidence. It claims one minor fault an operation, give or take 0.001. */
	bool claims_nothing;
	double missing;                 /* share of the operations that did not happen */
	bool unreadable;                /* the claimed counter cannot be read here */
	bool proves;                    /* it claims system calls instead, counted in a proof */
	bool proof_refused;
	const char *note;               /* a `note` line of the collector */
	unsigned long claims_bytes;     /* of memory that its operations touch, which they do */
	bool claims_event;              /* it claims an event of the processor, too: one an operation, give or take 0.001 */
	double events;                  /* so many are counted; 0: this machine has no such counter */
	bool asked_event;               /* one is counted that nobody claims */

	/* Failure: at this call of this stage, counted over a process from 1. */
	const char *fails;              /* setup before op base check after; skip: a need is unmet in setup */
	unsigned fails_at;              /* 0: 1 */

	/* The process that ends badly, from 1; 0: none. */
	unsigned bad_process;
	const char *outcome;            /* what the transport says of its end */
	bool cut;                       /* its record ends inside a line */
	bool garbled;                   /* a digit of its record is another one */

	/* The machine. */
	double bursts;                  /* share of the intervals that are lengthened by 10 us .. 3 ms */
	double blind;                   /* share of the bursts that leave no flag */
	unsigned burst_flags;           /* 0: KB_FLAG_SWITCH | KB_FLAG_GAP */
	double outliers, outlier;       /* share of intervals whose operations are so much dearer, without a flag */
	unsigned cold;                  /* first intervals of op in a block whose operations are dearer */
	double cold_op;                 /* by so many ticks */
	double drift;                   /* of all costs, relative, per second of a process */
	double creep;                   /* of all costs, relative, per process */
	double ar, ar_sd;               /* correlation of neighbouring intervals' cost, and its relative spread */
	double shift;                   /* op is dearer by that share ... */
	unsigned shift_from, shift_to;  /* ... in these of a process's intervals of op, from 1; to 0: to the end */
	unsigned shift_processes;        /* bit i: in launch i; 0: in all */
	double process_sd;               /* relative spread of the cost between processes: layout */
	double odd_share, odd;          /* share of the processes that are dearer, by that share of their cost */
	unsigned slow_process;           /* the process with a slower core clock, from 1; 0: none */
	double slow_add, slow_op;       /* its factors; 0: 1 */
	struct kb_synthetic_sibling sibling;
	bool elsewhere;                 /* a part of the operation runs on another CPU */
	uint64_t steal;                 /* hundredths of a second that each block loses */
	uint64_t quantum;               /* the clock's step; 0: 1 */
	const char *clock;              /* its name in the record; NULL: "synthetic" */
	bool ladder_fails;              /* the clock's self-test, at calibration */
	unsigned back_at;               /* interval of op in which the clock steps back, from 1; 0: never */
};

/* Everything that one engine run over a model needs. The structures stay where they are: they point at each other. */
struct kb_synthetic_machine {
	const struct kb_synthetic *model;
	struct kb_bench bench;
	struct kb_clock clock;
	struct kb_transport transport;
	uint32_t plan_hash;             /* of all plan lines, in the order in which they came */
	unsigned opened;                /* processes and proofs */
	struct kb_synthetic_process *process;     /* the one in flight */
};

void kb_synthetic_open(struct kb_synthetic_machine *, const struct kb_synthetic *model);
void kb_synthetic_close(struct kb_synthetic_machine *);

/* The cost of one operation, ns, net of the base. */
double kb_synthetic_cost(const struct kb_synthetic *model);

#endif
