/*
 * What `kbench analyze FILE` says about imported measurements: the statistics of the source document, the checks of
 * what they assume, and the line with intercept that needs fewer assumptions. Pure: import in, numbers out;
 * report shows them. Nothing here is NaN: what cannot be said has a reason in the verdict.
 */
#ifndef KB_ANALYSIS_ANALYSIS_H
#define KB_ANALYSIS_ANALYSIS_H

#include "import/import.h"
#include "stats/distribution/checks.h"
#include "stats/series/kanata.h"
#include "stats/stats.h"

enum kb_analysis_method { KB_ANALYSIS_KANATA, KB_ANALYSIS_SLOPE, KB_ANALYSIS_SINGLE, KB_ANALYSIS_METHODS };

extern const char *const kb_analysis_methods[KB_ANALYSIS_METHODS];

struct kb_analysis_options {
	double confidence, half_width;  /* 0.90 and 0.02 as in the document */
};

/* The series' own checks. */
struct kb_series_checks {
	struct kb_check normal, lag1, von_neumann, ljung_box, runs;
	double skewness;
};

/* What a few wild values do not move. */
struct kb_robust {
	struct kb_interval median, trimmed;     /* trimmed: of a fifth at each end; interval by stationary bootstrap */
	double mad_sigma;                       /* median absolute deviation, scaled to the sd of a normal distribution */
};

struct kb_robust kb_robust_of(const double *y, size_t n, double confidence);

/* One group. */
struct kb_group_analysis {
	struct kb_kanata k;
	struct kb_robust robust;        /* of Y */
	struct kb_series_checks checks; /* of A, which are those of Y */
	double *y;                      /* A/N, run order */
};

/* Over groups of one file, or of several. */
struct kb_across {
	size_t groups;
	double n_min, n_max;
	struct kb_check equal_means, equal_spreads;     /* of Y */
	struct kb_growth growth;
	struct kb_set_line line, all;   /* through the groups from line_from on, and through all */
	double line_from;               /* smallest N from which a line holds (lack of fit p >= 5 %) */
	bool line_settled;              /* false: it does not, with three different N or more left */
	struct kb_interval slope; /* of `line`, widened where the scatter about it is larger than the model says */
	struct kb_regression exact;     /* known where no group varies: the line through them, as clocks that count give */
	double exact_off;               /* the farthest group from it, ticks */
	bool biased;                    /* the intercept of `line` is there beyond doubt */
	double within_from;             /* smallest N from which Y stays within the half-width of its last value */
	double equal_from;              /* smallest N from which the means of Y cannot be told apart (ANOVA, p >= 5 %);
	                                   0: not even the last ones */
	struct kb_verdict verdict;
};

#define KB_REJECTED 0.05        /* level at which a check counts as failed */

struct kb_kanata_analysis {
	struct kb_group_analysis *groups;
	size_t count;
	bool counts;                    /* values are instructions: the line is without tests that a timer tick fell into */
};

#define KB_GROUPS_MAX 4096

/* Takes the first `skip` values out of every group, list or set of equal n. 0, -ENOMEM, or -EINVAL: *n is that of one which has no more. */
int kb_analysis_skip(struct kb_import *, size_t skip, double *n);

/* Makes points of a table: the s-th tests of all groups are block s. The groups ran one after the other, so such a block is not a pass over
   the grid; it still tells rows apart. 0 or -ENOMEM. */
int kb_analysis_points(struct kb_import *);

/* Whether every value is of one operation. */
bool kb_analysis_is_single(const struct kb_import *);

/* Appends the groups of an import: a table's columns, or the sets of equal n of its points, or one list. 0, -ENOMEM,
   -E2BIG: more than KB_GROUPS_MAX groups. */
int kb_kanata_add(struct kb_kanata_analysis *, const struct kb_import *, const struct kb_analysis_options *);
void kb_kanata_free(struct kb_kanata_analysis *);

struct kb_across kb_across_groups(const struct kb_kanata_analysis *, const struct kb_analysis_options *);

/* One list of values. */
struct kb_list_analysis {
	size_t count;
	double mean, sd, mad, skewness;
	struct kb_interval mean_interval;
	struct kb_minimum minimum;
	struct kb_interval quantile[KB_QUANTILES];
	struct kb_series_checks checks;
	struct kb_verdict verdict;
};

int kb_list_analyze(struct kb_list_analysis *, const double *x, size_t count, const struct kb_analysis_options *);

/* Points (n, ticks): the weighted line with everything that judges it. */
struct kb_points_analysis {
	struct kb_line_fit fit;
	struct kb_across across;        /* over the sets of equal n; no groups: there are more than KB_GROUPS_MAX */
	size_t count, sets, blocks;
};

int kb_points_analyze(struct kb_points_analysis *, const struct kb_import_series *,
                      const struct kb_analysis_options *);

#endif
