/* One process's record as arrays, and what its header states. */
#ifndef KB_RESULT_SAMPLES_H
#define KB_RESULT_SAMPLES_H

#include "types.h"
#include "base/record.h"
#include "base/verdict.h"
#include "evidence/proof.h"
#include "evidence/where.h"
#include "kbench.h"
#include "measure/emulation.h"
#include "result/result.h"

/* What a process left behind. */
struct kb_process_text { unsigned process; const char *outcome; const char *record; size_t length; };

/* Observations of one role in run order, warm-up left out. */
struct kb_points {
	double *n, *ticks;
	double *twin;                   /* ticks of the same n on the reference; 0: none */
	double *t;                      /* ticks since the process's first sample */
	uint32_t *probe;                /* number of the contention probe after it, from 1; the one before it is the one before; 0: none */
	uint32_t *block;
	unsigned *flags;
	size_t count, room;
};

struct kb_claim {               /* an `expect` line */
	char counter[KB_RECORD_COUNTER_MAX], who[8];
	double per_op, per_sample, tolerance;
};

/* Of the descriptor, of setup (kb_expect), and of the look at memory. */
#define KB_CLAIMS_MAX (KB_EXPECT_MAX + KB_EVENTS_MAX + 4)

#define KB_NOTES_MAX 8

/* A number that the benchmark gave with its observations, warm-up and refuted ones left out. */
struct kb_covariate_values {
	char name[24];
	double *values;
	size_t count;
};

/* Statistics that another program made, mostly of values that nobody has any more; 0: not said. Ticks. */
struct kb_reported {
	double mean, sd, median, samples;
	double cost, low, high;         /* its headline, and its own CI of 95 % */
	double repetitions;             /* mean and sd are over so many measurements */
};

struct kb_samples {
	unsigned process;
	unsigned version;               /* of the record */
	const char *outcome;
	enum kb_record_state state;
	uint64_t foreign;

	char bench[64], params[256], per[KB_OPERATION_NAME], clock[16], code[16], arch[12];
	enum kb_method method;
	enum kb_bound bound;
	double confidence;              /* kanata: of its intervals; 0: not said */
	uint64_t hz, quantum, clock_cost, bytes_per_op;
	bool ladder_ok;                 /* the clock passed its self-test */
	bool counts;                    /* the clock counts instructions: no time, and no cycles, are made of them */
	bool sees_interrupts;           /* the collector counted them: none need be guessed */
	bool emulated;                  /* its `env` names an emulator */
	bool untimed;                   /* an emulator ran it in time of its own: its ticks are no measure of anything */
	bool checked;                   /* the benchmark has a check of its own */
	char own[64];                   /* counters, with commas, that the benchmark itself has added to */
	char twin[80];                  /* what the reference is that op was measured alongside */
	bool elsewhere;                 /* a part of the operation ran on another CPU, which was not probed */
	bool other_machine;             /* that CPU is one of another machine */
	bool base_works;                /* base does something on purpose, which the benchmark names */
	bool half_base;                 /* base does n operations itself, op twice as many */
	struct kb_claim claims[KB_CLAIMS_MAX];
	unsigned claim_count;
	struct kb_reason notes[KB_NOTES_MAX];
	unsigned note_count;
	char fail_stage[16], fail_detail[256];
	int fail_error;

	struct kb_reported reported;

	struct kb_points op, base, single, empty;
	struct kb_points *parts;                        /* of op, if points divide it: the first parts, the second ones ... in its order */
	unsigned part_count;
	bool parts_differ;                              /* not every operation has as many, and none counts */
	bool quartile[KB_PARTS_MAX];                    /* the lower one tells what a part costs uncontended, not the median; [0]: of whole ones */
	double *whole;                                  /* ticks of op as observed, while kb_contention_flag has put others there */
	unsigned *whole_flags;                          /* and its flags */
	struct kb_points pairs;                         /* paired: ticks of op less those of the base sample next to it */
	bool observed;                                  /* the benchmark took its ticks itself */
	uint64_t overlapping;                           /* of these, samples that begin before the one before them has ended */
	uint64_t refuted;                               /* observations of op, which are in none of these */
	char refuted_text[80];                          /* of the first that has words */
	struct kb_covariate_values covariates[KB_COVARIATES];
	unsigned covariate_count;
	double *add_short, *add_long;                   /* ticks of clock probes, run order */
	size_t add_count, add_long_count;
	uint64_t probe;                                 /* loops of the contention probe; 0: none */
	double pilot;                                   /* core cycles of one operation, as the process saw it that chose n; 0: not known */
	double *probes, *probe_blocks;                  /* contention probes in run order: ticks, and the block each is of */
	size_t probe_count, probe_block_count;
	double clean_share;                             /* of the samples of op: uncontended; NAN: not known */
	struct kb_evidence evidence[2 * KB_EVIDENCE_MAX];       /* of op and of base */
	unsigned evidence_count;
	uint64_t steal_ticks, interrupts;               /* summed over blocks */
	uint64_t throttled_us;                          /* a CPU quota stopped the process's control group so long */
	uint64_t ran_us, waited_us;                     /* the measuring thread had a CPU; could have run while others had it. ran 0: not known */
	struct kb_proof proof;                          /* of a proof: what it saw; 0 operations: nothing */
	struct kb_where where;                          /* it ran, and who else worked; 0 samples: not said */
	uint64_t started_ms;                            /* since 1970, when the first sample was near; 0: not said */
	uint64_t began, ended;                          /* ticks: start of the first, end of the last sample */
	uint64_t first_block, last_block;               /* that these two lie in; warm-up left out */
};

/* Set by analysis, never in a record: another hardware thread of the core ran alongside the sample (result/contention.h). */
#define KB_FLAG_CONTENDED (1u << KB_FLAGS)

/* Reads a record. 0 or -ENOMEM; what is wrong with the record stands in `state`. All texts are visible (base/text.h). */
int kb_samples_load(struct kb_samples *, const struct kb_process_text *);
void kb_samples_free(struct kb_samples *);

/* What the row's cost is made of: observations of op, or pairs. */
const struct kb_points *kb_cost_points(const struct kb_samples *);

/* NULL: it gave none of that name. */
const struct kb_covariate_values *kb_samples_covariate(const struct kb_samples *, const char *name);

/* ---- parts of kb_samples_load: annotations.c -------------------------------------------------------- */

/* Takes what the benchmark said of an observation of op. 0 or -ENOMEM. */
int kb_samples_annotate(struct kb_samples *, const struct kb_obs *);

/* After the last line: makes pairs, and takes refuted observations out. 0 or -ENOMEM. */
int kb_samples_settle(struct kb_samples *);

/* Of a process whose clock counts an emulator's instructions: flags samples that a timer tick fell into (samples_count.c). */
void kb_samples_count_ticks(struct kb_samples *);

/* Whether a count is so much above the least of its n as a timer tick makes it. */
bool kb_has_tick(double count, double least);

int kb_points_add(struct kb_points *, const struct kb_obs *);

/* An array that starts as NULL with a count of 0 and grows at powers of two. 0 or -ENOMEM. */
int kb_samples_append(double **array, size_t *count, double value);
void kb_points_free(struct kb_points *);

#endif
