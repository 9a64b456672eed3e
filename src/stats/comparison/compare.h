/*
 * Is B slower than A? All differences are d = ln B - ln A, so that swapping the sides only changes the sign.
 * Pure functions. A refused interval decides nothing: inconclusive, p = 1.
 */
#ifndef KB_STATS_COMPARISON_COMPARE_H
#define KB_STATS_COMPARISON_COMPARE_H

#include "stats/stats.h"

enum kb_decision { KB_EQUIVALENT, KB_FASTER, KB_SLOWER, KB_INCONCLUSIVE, KB_DECISIONS };

/* "equivalent" ...; static text. */
const char *kb_decision_name(enum kb_decision decision);

#define KB_COMPARE_CONFIDENCE 0.95
#define KB_PROCESSES_MIN 3u      /* fewer processes of two runs never fire a gate: layout luck is inside */
#define KB_PAIRS_FEWEST 12u     /* pairs of processes that a decision needs */
#define KB_PAIRS_MOST 118u      /* after so many nothing more is decided */

/* A difference with its interval, and how surely it is beyond the margin. */
struct kb_difference {
	struct kb_interval ln;  /* of d, at KB_COMPARE_CONFIDENCE */
	double sure_low, sure_high;     /* at the level of a decision: equals are told apart three times in a thousand at the most */
	double detectable;      /* what would have been told apart four times in five, from zero on; NAN: not known */
	double p_slower;        /* one-sided, for "d <= margin" */
	double p_faster;        /* one-sided, for "d >= -margin" */
};

/* What moves all processes of an occasion alike: a standard deviation of ln cost, its degrees of freedom, and the runs that told it. */
struct kb_occasion { double sd, df; unsigned runs; };

/* From the costs of runs in order of time, as logarithms with standard errors, and what is taken for it where there are none. */
struct kb_occasion kb_occasion_find(const double *ln, const double *se, size_t runs, double prior);

/* One value a pair of processes that were measured together, at the looks so far and this one: the median. */
struct kb_difference kb_compare_paired(const double *d, size_t n, double margin);

/* The same of three pairs and more, if their differences are normal: Student's t. */
struct kb_difference kb_compare_handful(const double *d, size_t n, double margin);

/* By Student's t: a difference of n values, its standard error, and the degrees of freedom of that. One value: undecided. */
struct kb_difference kb_difference_by_t(double value, double se, double df, size_t n, double margin);

/* Whether pairs may be judged here and more measured afterwards. */
bool kb_is_look(size_t pairs);

/* Processes of two runs that were not measured together, as logarithms of their costs: Welch's t. */
struct kb_difference kb_compare_unpaired(const double *ln_a, size_t na, const double *ln_b, size_t nb, const struct kb_occasion *,
                                         double margin);

/* Two costs that stand for processes which nobody has, with their intervals of 95 %, as if normal. It decides nothing by itself: there are
   no processes. */
struct kb_difference kb_compare_bounded(const struct kb_interval *a, const struct kb_interval *b, const struct kb_occasion *, double margin);

enum kb_decision kb_decide(const struct kb_difference *, double margin);

/* a over b, of two numbers above 0 that know nothing of each other: half-widths of their logarithms add as squares. Known where both are. */
struct kb_interval kb_ratio_interval(const struct kb_interval *a, const struct kb_interval *b);

/* The smallest true difference between two runs whose own intervals are narrow that would be told apart four times in five. */
double kb_occasion_finds(const struct kb_occasion *);

/* P(a < b) + P(a = b)/2; Cliff's delta is 2 A12 - 1. 0.5 without values. */
double kb_a12(const double *a, size_t na, const double *b, size_t nb);

/* Brunner and Munzel (2000): two-sided p for P(a < b) + P(a = b)/2 = 1/2. Sides without overlap, where its variance
   vanishes, get the exact p of a permutation; 1 with fewer than two values on a side. */
double kb_brunner_munzel(const double *a, size_t na, const double *b, size_t nb);

/* Adjusted p of a family, each the smallest level at which it would be rejected. adjusted may be p. -ENOMEM. */
int kb_holm(const double *p, size_t n, double *adjusted);
int kb_benjamini_hochberg(const double *p, size_t n, double *adjusted);

/* ---- deciles: how two distributions of single operations differ (the shift function, Doksum 1974): a tail may grow while the median
   stays ---- */

#define KB_DECILES 9            /* 10, 20 ... 90 % */
#define KB_DECILE_VALUES_MIN 20 /* fewer values of a process have no outer decile between them */

/* Sorts x and takes its deciles, type 7. False with too few values. */
bool kb_deciles(double *x, size_t n, double deciles[KB_DECILES]);

/* ln B - ln A at each decile: the mean over pairs of processes with Student's t, for what lies between processes is in no
   single one. ln[pair][decile]. Each interval holds for itself, not all nine at once. One pair: refused. */
void kb_decile_shift(const double (*ln)[KB_DECILES], size_t pairs, double confidence, struct kb_interval shift[KB_DECILES]);

#endif
