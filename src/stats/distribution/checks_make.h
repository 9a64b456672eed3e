/* What the files of the checks share. Only for src/stats. */
#ifndef KB_STATS_DISTRIBUTION_CHECKS_MAKE_H
#define KB_STATS_DISTRIBUTION_CHECKS_MAKE_H

#include "stats/distribution/checks.h"

/* p is clamped into 0..1; what is not finite becomes a refusal. */
struct kb_check kb_check_made(double statistic, double p);
struct kb_check kb_check_refused(enum kb_reason_code why);

/* At least `least` usable values that are not all equal; else *refused says why not. */
bool kb_check_possible(const double *x, size_t n, size_t least, struct kb_check *refused);

#endif
