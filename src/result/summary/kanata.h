/* What the records of method kanata say, by the source document's statistics. */
#ifndef KB_RESULT_SUMMARY_KANATA_H
#define KB_RESULT_SUMMARY_KANATA_H

#include "result/summary/summary.h"

#define KB_KANATA_CONFIDENCE 0.90       /* the document's */
#define KB_KANATA_HALF_WIDTH 0.02

/* One group: its place among the observations of op. */
struct kb_kanata_group { double n; size_t first, count; };

/* Groups in run order; at most `room`. Returns how many there are. */
size_t kb_kanata_groups(const struct kb_points *op, struct kb_kanata_group *groups, size_t room);

struct kb_kanata_process {
	bool known;                     /* every group has its statistics */
	double mean, n_eff;             /* of the last group, which has the largest N: mu_P, ticks */
	double half_percent, next_size; /* the largest of all groups: half-width, S' */
};

struct kb_kanata_process kb_kanata_process(const struct kb_samples *, double confidence, double half_width);

/* Fills the fit: the headline of a process is mu_P of its last group. */
void kb_kanata_fit(const struct kb_samples *, struct kb_process_fit *);

/* Reasons: whether the half-width (a fraction of the mean) was met, and the intercept in A/N. */
void kb_kanata_judge(const struct kb_summary *, double half_width, struct kb_result *);

#endif
