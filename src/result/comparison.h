/*
 * One row of a comparison: two results, or the pairs of processes that were measured in turn, to a decision with its
 * reasons. Pure functions; the report prints them.
 */
#ifndef KB_RESULT_COMPARISON_H
#define KB_RESULT_COMPARISON_H

#include "result/pairs.h"
#include "result/result.h"

struct kb_compare_rules {
	double margin;                  /* ln of a ratio; default ln 1.01 */
	double exact_margin;            /* a fraction: of counts that are exact; 0: a single instruction matters */
	struct kb_occasion occasion;    /* of each of two runs */
	const char *unlike;            /* why the two runs' environments differ; NULL: they do not */
	bool paired;                    /* processes of one number were measured together */
	bool handful;                   /* and a few of them have to do: Student's t decides, for those of one run in turn */
};

struct kb_comparison {
	char key[KB_ROW_NAME], key_b[KB_ROW_NAME];      /* row of each side; they differ where two plug-ins are compared */
	const char *unit;               /* of both costs: ns, ticks, cycles or insn */
	const char *unit_b;             /* of the second where it is another one: then there is no ratio; else NULL */
	struct kb_estimate a, b;        /* cost of one operation */
	struct kb_estimate ns[2];       /* the same as times, also where cycles are compared; not known: the clock tells no time */
	struct kb_difference difference;
	double delta;                   /* Cliff's: above 0, B's values are the larger ones */
	double margin;                  /* ln */
	struct kb_occasion occasion;    /* of each side; sd 0 where both were measured on one */
	double p_holm, q;               /* of slower, Holm; of any difference, Benjamini and Hochberg */
	double p_rank;                  /* Brunner and Munzel; only unpaired */
	bool paired;
	unsigned processes;              /* pairs, or of the side that has fewer */
	enum kb_decision decision;
	bool regression;                /* slower after Holm, from enough processes */
	bool counts;                    /* false: there is nothing to compare (skipped, or an empty loop) */
	bool invalid;                   /* a side is */
	bool exact;                     /* instructions, the same number in all processes of each side: two are compared, nothing is estimated */
	const char *compared;           /* "observed", though a headline is uncontended; "ratio", to a twin; NULL: the headlines */
	enum kb_status status[2];
	struct kb_verdict verdict;      /* of the comparison */
	bool split;                     /* levels is known */
	struct kb_levels levels;        /* of ln B - ln A: block, process */
	bool shifted;                   /* shift is known: single operations on both sides, measured in turn */
	struct kb_interval shift[KB_DECILES];   /* ln B - ln A at 10, 20 ... 90 % */
};

/* The longest sample; 0: not known. */
double kb_sample_ns(const struct kb_result *);

/* Samples of quite another length find caches, predictors and clocks otherwise. Where both took one n, a longer sample is a dearer
   operation. */
bool kb_unlike_samples(int64_t n_a, double ns_a, int64_t n_b, double ns_b);

/* Both were held against the same reference: what strangers do to the memory is in neither ratio. */
bool kb_compared_by_ratio(const struct kb_result *, const struct kb_result *);

/* Two results of one row, by the costs of their processes. */
void kb_compare_results(const struct kb_result *a, const struct kb_result *b, const struct kb_compare_rules *,
                        struct kb_comparison *);

/* The same, measured in turn: differences come from the pairs. */
void kb_compare_pairs(const struct kb_result *a, const struct kb_result *b, const struct kb_pairs *pairs,
                      const struct kb_compare_rules *, struct kb_comparison *);

/* ln of the ratio of both times. Where cycles or the ratios to a twin were compared it comes from the CIs of the two times. */
struct kb_interval kb_compared_times(const struct kb_comparison *);

/* The geometric mean of the rows' ratios with its spread over rows: no CI of a measurement. Not known with fewer than two ratios. */
struct kb_ratio_mean { struct kb_interval spread; size_t rows; double ns[2]; };        /* ns: totals of the rows that were compared in time */
struct kb_ratio_mean kb_compared_mean(const struct kb_comparison *, size_t count);

/* Adjusts p over all rows, then says which are regressions. -ENOMEM. */
int kb_compare_family(struct kb_comparison *, size_t count);

#endif
