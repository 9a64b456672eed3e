/* One launch's record as arrays, and what its header says. */
#ifndef KB_RUN_SAMPLES_H
#define KB_RUN_SAMPLES_H

#include "types.h"
#include "base/record.h"
#include "base/verdict.h"
#include "kbench.h"
#include "run/run.h"

/* Observations of one role in run order, warm-up left out. */
struct kb_points {
	double *n, *ticks;
	uint32_t *block;
	unsigned *flags;
	size_t count, room;
};

struct kb_claim {               /* an `expect` line */
	char counter[24], who[8];
	double per_op, per_interval, tolerance;
};

#define KB_NOTES_MAX 8

struct kb_samples {
	unsigned launch;
	const char *outcome;
	enum kb_record_state state;
	uint64_t foreign;

	char bench[64], params[256], per[24], method[16], clock[16], code[16];
	enum kb_bound bound;
	double confidence;              /* kanata: of its intervals; 0: not said */
	uint64_t hz, quantum, clock_cost, bytes_per_op;
	bool ladder_ok;                 /* the clock passed its self-test */
	bool checked;                   /* the benchmark has a check of its own */
	struct kb_claim claims[KB_EXPECT_MAX];
	unsigned claim_count;
	struct kb_reason notes[KB_NOTES_MAX];
	unsigned note_count;
	char fail_stage[16], fail_detail[256];
	int fail_error;

	struct kb_points op, base, single, empty;
	double *add_short, *add_long, *issue;           /* ticks of sentinels, run order */
	size_t add_count, add_long_count, issue_count;
	struct kb_evidence evidence[2 * KB_EXPECT_MAX];
	unsigned evidence_count;
	uint64_t steal_ticks, interrupts;               /* summed over blocks */
	uint64_t began, ended;                          /* ticks: start of the first, end of the last interval */
	uint64_t first_block, last_block;               /* that these two lie in; warm-up left out */
};

/* Reads a record. 0 or -ENOMEM; what is wrong with the record stands in `state`. */
int kb_samples_load(struct kb_samples *, const struct kb_launch_text *);
void kb_samples_free(struct kb_samples *);

#endif
