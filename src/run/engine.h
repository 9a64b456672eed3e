/* A run over a transport: proofs, probing for n, processes, results. */
#ifndef KB_RUN_ENGINE_H
#define KB_RUN_ENGINE_H

#include "result/contention.h"
#include "run/method.h"
#include "run/process/transport.h"
#include "run/run.h"

/* The record of a process, kept in memory until the run ends. Digits and blanks pack to a fifth. */
struct kb_kept { unsigned process; char *outcome; void *packed; size_t packed_length, length; };

/* Packs a copy. 0 or -ENOMEM; on error there is nothing to be freed. */
int kb_kept_pack(struct kb_kept *, const struct kb_process_text *);
void kb_kept_free(struct kb_kept *);

/* The texts again, for the caller to free with kb_kept_release. NULL without memory. */
struct kb_process_text *kb_kept_unpack(const struct kb_kept *, size_t count);
void kb_kept_release(struct kb_process_text *texts, size_t count);

struct kb_engine {
	const struct kb_transport *transport;
	const struct kb_clock *clock;
	const struct kb_run_options *options;
	const struct kb_run_observer *observer;
	uint64_t deadline_ns;           /* kb_wall_ns() at which the budget ends */
	uint64_t probe;                 /* loops of the contention probe; 0: samples have none */
	struct kb_floor *floor;         /* of the contention probe: as known, or as this run comes to know it; NULL: never */
	struct kb_ratios *ratios;       /* of all probes so far, where there is a floor */
};

/* Measures all results; fills the outcome's counts. 0 or -errno with error when nothing can be started. */
int kb_engine_run(const struct kb_engine *, struct kb_row *rows, size_t count, struct kb_run_outcome *, char error[256]);

/* ---- one process, also for src/run/ab.c ----------------------------------------------------------- */

struct kb_row_state {
	struct kb_design design;
	bool designed, over;            /* over: skipped, invalid, or precise enough */
	bool met;                       /* kanata: the last process's groups are narrow enough */
	unsigned processes;
	uint64_t process_ns;             /* of the longest process so far */
	uint64_t share_end_ns;           /* until then the next process may go on for uncontended time */
	unsigned plan[2];               /* blocks in a process and processes, by the split of variances; 0: not planned */
	struct kb_kept *texts;          /* the result is a function of all of them */
	size_t text_count;
};

/* A new state for a result that has none. -ENOMEM. */
int kb_row_begin(struct kb_row *row);

/* One process from start to end; between both, blocks are sent. kb_engine_finish keeps the record and tells the observer,
   unless the run was stopped and the process killed: then it never was. 0 or -errno. */
int kb_engine_open(const struct kb_engine *, struct kb_row *, const char *method, unsigned process, uint64_t prove,
                   uint64_t seed, char error[256]);
int kb_engine_send(const struct kb_engine *, const struct kb_block *);
int kb_engine_finish(const struct kb_engine *, struct kb_row *, uint64_t started_ns);

/* Stretches of uncontended time in the record so far; enough where nobody knows what uncontended is. */
unsigned kb_engine_clean_blocks(const struct kb_engine *);

int kb_engine_keep(const struct kb_engine *, struct kb_row *, const struct kb_process_text *);

/* One whole process: the design where there is none yet, and a measurement; or the proof of so many operations. */
int kb_engine_run_process(const struct kb_engine *, struct kb_row *, uint64_t seed, char error[256]);
int kb_engine_prove_with(const struct kb_engine *, struct kb_row *, uint64_t operations, uint64_t seed, char error[256]);

/* What a process that is asked for nothing else finds out. */
struct kb_probed {
	uint64_t granule, max_n;        /* as setup left them */
	bool twin;                      /* setup made one */
	double cost_ns;                 /* of one operation; 0: the process ended */
	double cycles;                  /* the same in core cycles, of uncontended samples; 0: not known */
	double fixed_ns;                /* of a sample in addition to its operations, where it is a large part of some; else 0 */
	bool idle_alone;                /* a sample of one takes next to nothing of the cost */
	double pair_ns;                 /* of a block of one sample, or pair, from its plan to its record, at the shortest */
};

void kb_probe(const struct kb_engine *, const struct kb_row *, struct kb_probed *);

/* Before `fewest` processes of all results: where those that results still lack do not fit into left_ns, processes become shorter, all
   by the same share of their blocks. Fewer processes would be worse: they differ more than blocks do. */
void kb_plan_short(struct kb_row *rows, size_t count, unsigned fewest, double left_ns);

/* Finds n by a process of its own. Not designed afterwards: the process ended badly and was kept. */
int kb_engine_design(const struct kb_engine *, struct kb_row *, uint64_t seed, char error[256]);

/* Counts system calls once, if the benchmark claims something of them. */
int kb_engine_prove(const struct kb_engine *, struct kb_row *, uint64_t seed, char error[256]);

/* Makes the result from its processes. */
void kb_engine_update(const struct kb_engine *, struct kb_row *rows, size_t index);

#endif
