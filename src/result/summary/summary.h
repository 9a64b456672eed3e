/* Records to numbers (summary), their judgement (verdict), and both together: kb_summarise. */
#ifndef KB_RESULT_SUMMARY_SUMMARY_H
#define KB_RESULT_SUMMARY_SUMMARY_H

#include "result/contention.h"
#include "result/samples.h"
#include "stats/comparison/overhead.h"
#include "stats/stats.h"

struct kb_summary_rules {
	unsigned planned;               /* processes that were asked for */
	double precision;               /* for target_met */
	const struct kb_floor *floor;   /* of the contention probe (result/contention.h); NULL: not known */
};

/* Makes the result from all launches of one row: a pure function, so that analysis years later is this. */
void kb_summarise(const struct kb_launch_text *launches, size_t count, const struct kb_summary_rules *, struct kb_result *result);

/* Whether a launch keeps its level. Levels are of one operation with its turn of the circle, ticks or core cycles. */
struct kb_launch_steady {
	bool known;
	enum kb_reason_code code;              /* flat, warmup, slowdown, drift, changepoint, no_steady_state */
	uint32_t cut;                   /* warmup: the first block that counts */
	double before, after;           /* its first and its last level */
	double low, high;               /* of all its levels */
};

/* Standard deviations of one operation, 0 where not known. Ticks; of time, core cycles where the row is told in them. */
struct kb_launch_spread {
	double operation_short, operation_long; /* as intervals of the smallest and of the largest n show it */
	double common;                  /* what all operations of one interval have in common, at the least */
	double neighbours, long_run;    /* of a block as neighbours show it, and times its square root of long means */
	bool correlated;                /* the long run has twice the variance of neighbours, for sure */
};

/* What one launch says, in ticks. */
struct kb_launch_fit {
	bool speaks;                    /* it counts towards the headline */
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
	struct kb_launch_steady steady;
	struct kb_launch_spread spread;
	struct kb_overhead overhead;    /* of the blocks that have both sides; blocks is 0 without a base */
};

#define KB_SUMMARY_CONFIDENCE 0.95      /* of every interval of a result */
#define KB_MATERIAL 0.02                /* a difference must be this large to be told: hundreds of values show smaller ones, which change no decision */
#define KB_TOO_WIDE 0.05        /* half-width over value that makes a row noisy */

struct kb_clean_fit;

struct kb_summary {
	struct kb_samples *samples;     /* of the launches, without the proof */
	struct kb_launch_fit *fits;
	size_t count;
	struct kb_samples proof;
	bool has_proof;
	unsigned speaking;
	const struct kb_floor *floor;   /* of the contention probe */
	struct kb_clean_fit *clean;
	struct kb_launch_fit *observed; /* of all samples; fits are those of the clean ones where the headline is uncontended */
	bool uncontended;
	bool too_long;                  /* operations are, for an uncontended cost (result/parts.h) */
	unsigned contended;             /* whole processes with too little uncontended time */
};

/* Fits every process, twice where samples are probed: all samples, and the uncontended ones. Decides what the headline is of. */
void kb_summary_fit(struct kb_summary *);

/* Ticks that an interval costs beside its operations; 0 where the launch has no line that tells. */
double kb_fit_fixed(const struct kb_launch_fit *);

/* Ticks of the base that are still in a block's cost (result/blocks.h). */
double kb_fit_less(const struct kb_samples *, const struct kb_launch_fit *);

/* One launch alone; whether it speaks beside others is not decided yet. */
void kb_fit_launch(const struct kb_samples *, struct kb_launch_fit *);

/* The same with steadiness, spread and overhead. A warm-up that is found is flagged in the samples and left out. */
void kb_fit_launch_in_time(struct kb_samples *, struct kb_launch_fit *);

/* A launch under an emulator says what happened, and never how long it took; so do those beside it. */
static inline bool kb_summary_untimed(const struct kb_summary *summary)
{
	for (size_t i = 0; i < summary->count; i++) {
		if (summary->samples[i].untimed)
			return true;
	}
	return false;
}

/* Fills numbers, counts and evidence of the result from the launches. */
void kb_summary_numbers(struct kb_summary *, struct kb_result *);
void kb_summary_evidence(const struct kb_summary *, struct kb_result *);

/* Fills the result's covariates and its count of refuted observations. */
void kb_summary_said(const struct kb_summary *, struct kb_result *);

/* Fills the result's process_costs, from the first launch on; more than fit are left out. */
void kb_process_costs(const struct kb_summary *, struct kb_result *);

/* kb_summarise for launches that are one record each. */
void kb_summarise_one(const struct kb_launch_text *launches, size_t count, const struct kb_summary_rules *, struct kb_result *);

/* Adds the reasons that clock and machine give: a part of kb_summary_judge (result/verdict/machine.c). */
void kb_summary_judge_machine(const struct kb_summary *, struct kb_result *);
void kb_summary_judge_disturbance(const struct kb_summary *, struct kb_result *);

/* Whether time grows with n, and in proportion to it, and what is said of it (result/verdict/line.c). */
void kb_summary_judge_line(const struct kb_summary *, struct kb_result *);

/* Whether the samples of a process, and the pilot before all, tell of one operation (result/verdict/agree.c). */
void kb_summary_judge_agreement(const struct kb_summary *, struct kb_result *);

/* Adds all reasons. */
void kb_summary_judge(const struct kb_summary *, const struct kb_summary_rules *, struct kb_result *);

#endif
