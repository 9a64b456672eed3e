/* Launches of which only statistics are left that another program made: method `reported`. */
#ifndef KB_RESULT_SUMMARY_REPORTED_H
#define KB_RESULT_SUMMARY_REPORTED_H

#include "result/summary/summary.h"

/* Takes the fields of an `env` line that are reported statistics. */
void kb_reported_read(struct kb_span rest, struct kb_reported *);

/* Fills the fit: the headline of a launch is its median, or its mean where no median was kept. */
void kb_reported_fit(const struct kb_samples *, struct kb_launch_fit *);

/* The result's median, without interval: that of its only launch. */
void kb_reported_quantiles(const struct kb_summary *, double scale, struct kb_result *);

#endif
