/* Records to numbers (summary), their judgement (verdict), and both together: kb_summarise. */
#ifndef KB_RESULT_SUMMARY_SUMMARY_H
#define KB_RESULT_SUMMARY_SUMMARY_H

#include <jansson.h>

#include "result/contention.h"
#include "result/samples.h"
#include "stats/comparison/overhead.h"
#include "stats/stats.h"

struct kb_summary_rules {
	unsigned planned;               /* processes that were asked for */
	double precision;               /* for target_met */
	const struct kb_floor *floor;   /* of the contention probe (result/contention.h); NULL: not known */
	const json_t *env;              /* of the run, for what the result was measured on; NULL: not known */
};

/* Makes the result from all processes of one row: a pure function, so that analysis years later is this. */
void kb_summarise(const struct kb_process_text *processes, size_t count, const struct kb_summary_rules *, struct kb_result *result);

/* Whether a process keeps its level. Levels are of one operation with its turn of the timed loop, ticks or core cycles. */
struct kb_process_steady {
	bool known;
	enum kb_reason_code code;              /* flat, warmup, slowdown, drift, changepoint, no_steady_state */
	uint32_t cut;                   /* warmup: the first block that counts */
	double before, after;           /* its first and its last level */
	double low, high;               /* of all its levels */
};

/* Standard deviations of one operation, 0 where not known. Ticks; of time, core cycles where the row is told in them. */
struct kb_process_spread {
	double operation_short, operation_long; /* as samples of the smallest and of the largest n show it */
	double common;                  /* what all operations of one sample have in common, at the least */
	double neighbours, long_run;    /* of a block as neighbours show it, and times its square root of long means */
	bool correlated;                /* the long run has twice the variance of neighbours, for sure */
};

/* The numbers of one process, in ticks. */
struct kb_process_fit {
	bool usable;                    /* it counts towards the headline */
	enum kb_reason_code why;               /* if not */
	struct kb_line_fit op, base;    /* slope only; paired: of op only b_robust, its interval over n, not known */
	double cost;                    /* of one operation: robust slope, net of the base; single: median; paired: of differences */
	double cycles;                  /* the same in core cycles; 0: not known */
	double base_cost;
	double mean;                    /* plain: weighted slope over all observations, or mean */
	double n_eff;
	double empty;                   /* single: ticks of an empty pair of readings, median; 0: none was taken */
	double add;                     /* ticks of one dependent add, in the middle */
	double add_least;               /* the same by the 10 % quantiles: of the fastest core clock seen */
	size_t used, disturbed;         /* observations of op */
	struct kb_process_steady steady;
	struct kb_process_spread spread;
	struct kb_overhead overhead;    /* of the blocks that have both sides; blocks is 0 without a base */
};

#define KB_SUMMARY_CONFIDENCE 0.95      /* of every CI of a result */
#define KB_MATERIAL 0.02                /* a difference must be this large to be told: hundreds of values show smaller ones, which change no decision */
#define KB_TOO_WIDE 0.05        /* half-width over value that makes a row noisy */

/*
 * What one process says of the uncontended cost. Samples count by time: the median of the values of stretches of time, because a
 * rare state of the machine may hold most of the few clean samples that a process has.
 */
#define KB_STRETCH_S 0.005      /* of a stretch, or as long as 40 samples take; in core cycles always that */
#define KB_CLEAN_BLOCKS 3u      /* usable stretches that a process needs */
#define KB_CLEAN_PROCESSES 5u   /* usable processes that a result needs */

struct kb_clean_fit {
	bool usable;
	unsigned blocks;                /* usable stretches */
	double cost;                    /* of one operation, net of the empty loop; ticks */
	double cycles;                  /* the same in core cycles; 0: not known */
	double low, high;               /* of the stretches, per operation with its turn of the loop */
};

struct kb_summary {
	struct kb_samples *samples;     /* of the processes, without the proof */
	struct kb_process_fit *fits;
	size_t count;
	struct kb_samples proof;
	bool has_proof;
	unsigned usable;                /* processes */
	const struct kb_floor *floor;   /* of the contention probe */
	struct kb_clean_fit *clean;
	struct kb_process_fit *observed; /* of all samples; fits are those of the clean ones where the headline is uncontended */
	bool uncontended;
	bool too_long;                  /* operations are, for an uncontended cost (result/parts.h) */
	unsigned contended;             /* whole processes with too little uncontended time */
};

/* ---- one process ---------------------------------------------------------------------------------- */

/* Ticks that a sample costs in addition to its operations; 0 where the process has no line that tells. */
double kb_fit_fixed(const struct kb_process_fit *);

/* Ticks of the base that are still in a block's cost (result/blocks.h). */
double kb_fit_less(const struct kb_samples *, const struct kb_process_fit *);

/* One process alone; whether it is usable alongside others is not decided yet. */
void kb_fit_process(const struct kb_samples *, struct kb_process_fit *);

/* The same with steadiness, spread and overhead. A warm-up that is found is flagged in the samples and left out. */
void kb_fit_process_in_time(struct kb_samples *, struct kb_process_fit *);

/* Of samples that kb_contention_flag has flagged, and the fit of the clean ones. */
void kb_clean_fit(const struct kb_samples *, const struct kb_process_fit *, struct kb_clean_fit *);

/* Usable stretches so far: enough, and the process may end; and all that have samples, usable or not. */
unsigned kb_clean_blocks(const struct kb_samples *);
unsigned kb_all_blocks(const struct kb_samples *);

/* Cost of an operation over that of the same on the reference, whose samples were taken by turns with its own; contended samples
   too, for what contends has both. NAN: there was no twin, or too few undisturbed samples. */
double kb_twin_ratio(const struct kb_samples *, const struct kb_process_fit *);

/* Fills fit->steady. True if a warm-up was found: its observations are flagged now, and the process is to be fitted again. */
bool kb_series_steady(struct kb_samples *, struct kb_process_fit *);

/* Fills fit->spread: one operation's noise, by the length of samples and over time. */
void kb_series_spread(const struct kb_samples *, struct kb_process_fit *);

/* The process changes its level, which is why its slope was refused if it was. */
bool kb_series_explains(const struct kb_process_fit *);

/* How many processes of a row may say something else than the others before it counts: one, or a fifth. One in thirty does by
   chance. */
unsigned kb_series_tolerated(size_t processes);

/* ---- all processes -------------------------------------------------------------------------------- */

/* kb_summarise for processes that are one record each. */
void kb_summarise_one(const struct kb_process_text *processes, size_t count, const struct kb_summary_rules *, struct kb_result *);

/* A process under an emulator says what happened, and never how long it took; so do those alongside it. */
bool kb_summary_untimed(const struct kb_summary *);

/* The record has all that the process was asked for. */
bool kb_samples_whole(const struct kb_samples *);

/* Fills the result's numbers and counts; its evidence; and its annotations: covariates, and the count of refuted observations. */
void kb_summary_numbers(struct kb_summary *, struct kb_result *);
void kb_summary_evidence(const struct kb_summary *, struct kb_result *);

/* What a kernel of seL4 kept of the first process that is no proof. */
void kb_summary_kept(const struct kb_process_text *, size_t count, struct kb_result *);
void kb_summary_annotations(const struct kb_summary *, struct kb_result *);

/* Fills the result's `found` from single loads that the processes timed (kb_chase_levels). */
void kb_result_find(const struct kb_summary *, struct kb_result *);

/* What a row looks like over time, over the usable processes: whether one number describes it, and where its spread comes from. */
void kb_series_modes(const struct kb_summary *, struct kb_result *);
void kb_series_levels(const struct kb_summary *, struct kb_result *);
void kb_series_spread_of_row(const struct kb_summary *, struct kb_result *);

/* ---- reasons -------------------------------------------------------------------------------------- */

/* Adds all reasons. */
void kb_summary_judge(const struct kb_summary *, const struct kb_summary_rules *, struct kb_result *);

/* Its parts, by files of result/verdict. machine.c: what clock and machine give. */
void kb_summary_judge_machine(const struct kb_summary *, struct kb_result *);
void kb_summary_judge_disturbance(const struct kb_summary *, struct kb_result *);

/* line.c: whether time grows with n, and in proportion to it, and what is said of it. */
void kb_summary_judge_line(const struct kb_summary *, struct kb_result *);

/* agree.c: whether the samples of a process, and the pilot before all, tell of one operation. */
void kb_summary_judge_agreement(const struct kb_summary *, struct kb_result *);

/* series.c: what processes show over time. */
void kb_series_judge(const struct kb_summary *, struct kb_result *);

/* claims.c: what the proof saw of the operation, alongside what the benchmark claims (from: a process that says what); and whether it ran
   where it was said to, with the partners it was said to have, and nobody else's help. */
void kb_proof_judge(const struct kb_proof *, const struct kb_samples *from, struct kb_result *);
void kb_where_judge(const struct kb_summary *, struct kb_result *);

#endif
