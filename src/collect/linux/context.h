/* The state behind kb_run in the Linux collector: what the helpers that benchmarks call work on. */
#ifndef KB_COLLECT_LINUX_CONTEXT_H
#define KB_COLLECT_LINUX_CONTEXT_H

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

#include "base/record.h"
#include "collect/common/options.h"
#include "evidence/evidence.h"
#include "evidence/working_set.h"
#include "kbench_parties.h"
#include "measure/measure.h"
#include "measure/params.h"

struct kb_thread {
	pthread_t id;
	struct kb_run *run;
	void (*serve)(struct kb_run *);
};

struct kb_context {
	const struct kb_collect_options *options;       /* equal cpu and peer_cpu: there is only one */
	struct kb_clock clock;
	struct kb_linux_probe probe;
	struct kb_record_writer out;
	cpu_set_t allowed;              /* at the start, before pinning */
	bool elsewhere;                 /* the benchmark has something to do on another CPU, whose contention nobody probes */
	bool other_machine;             /* that is done by another machine */
	bool skipped;                   /* kb_skip was called */
	struct kb_working_set working_set;      /* kb_claim_memory */
	uint32_t code_hash;             /* 0: none was given */
	struct kb_measure *measure;     /* of this process; NULL in a proof */
	bool clock_read;                /* by kb_now or kb_ticks, in the sample that is made: one store, for it stands inside the sample */
	char detail[200];               /* of the last kb_fail or kb_skip */
	char directory[512];               /* of this process in it; "" before the first kb_scratch_directory */
	pid_t peers[KB_PEERS_MAX];
	unsigned peer_count;
	struct kb_thread threads[KB_THREADS_MAX];
	unsigned thread_count;
};

/* The CPU of a placement, with a note where its core may be the one that measures; kb_skip where there is none. */
int kb_placed_on(struct kb_run *, const char *placement);

/* kb_claim_memory of a range of which only some bytes are touched, in whole pages. */
int kb_claim_touched(struct kb_run *, const volatile void *memory, uint64_t bytes, uint64_t touched);

/* Waits for the partners after teardown closed their channels; kills one that stays. 0 or -errno with detail. */
int kb_peers_reap(struct kb_context *);

/* Ends partners that are still there after a failure: orphans would look like processes that were left behind. */
void kb_peers_kill(struct kb_context *);

/* What kb_refute and kb_covariate said of an observation of the block: for struct kb_measure. */
size_t kb_annotations(unsigned index, char *fields, size_t room);

/* After a block: 0, or -errno with the detail if something was said that cannot be recorded. */
int kb_annotations_wrong(struct kb_run *);

/* Synchronous signals (a crash of the operation) leave a `fault` line behind and then kill as usual. */
void kb_fault_handlers(struct kb_record_writer *out);

/* In a traced child, whose lines are no part of the record: where it is when that is asked goes to this descriptor all the same. */
void kb_fault_asked_to(int fd);

/* `module` lines: load addresses of the program and of a plug-in. */
void kb_record_modules(struct kb_record_writer *out, const char *plugin);

/* The record's way out: a sink that appends to a buffer, one a process, which is written to `fd` between blocks, never inside one. */
struct kb_sink kb_output_sink(int fd);

/* Writes what is buffered; safe in a signal handler. 0 or -errno. */
int kb_output_flush(void);

/* Drops what is buffered: a forked child must not write its parent's lines a second time. */
void kb_output_drop(void);

/* Loads a plug-in and checks its descriptor. Its code runs from here on: a shared object may have constructors. 0, or -errno with one line
   in error. */
int kb_collect_load(const char *plugin, struct kb_bench *, char error[256]);

/* Writes the description of a plug-in, or why there is none, to standard output, to which the plug-in itself can write nothing. Returns
   the exit code. */
int kb_collect_describe(const char *plugin);

/* What the traced child of a proof does (evidence/proof.h): rehearses samples as a process has them, then marks those of n and 2n
   operations, and of the empty loop. Fewer than n where these would take long. 0, or what a hook of the benchmark returned. */
int kb_prove_samples(struct kb_run *, uint64_t n);

/* Checks what the operations do to memory by counts that cost too much around samples: once a run, after its measured part. Runs
   operations and writes the claims with what was counted. 0, or -errno of the operation with its detail. */
int kb_inspect_memory(struct kb_run *);

/* Settings of the machine that a process changes (kb_setting of kbench_files.h): before it changes one it sends the old value to the
   guardian and waits for the answer, so that the guardian restores it when the process ends, by kill -9 too. Called once, with the descriptor
   that the run handed over; below 0: none. Programs that the process starts do not get it. */
void kb_settings_open(struct kb_run *, int guardian);

#endif
