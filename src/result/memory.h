/* What rows of memory tell beside their cost: how they stand to their twin, and where their loads were served from. */
#ifndef KB_RESULT_MEMORY_H
#define KB_RESULT_MEMORY_H

#include "result/summary/summary.h"

/* Cost of an operation over that of the same on the reference, whose samples were taken by turns with its own; contended samples
   too, for what contends has both. NAN: there was no twin, or too few undisturbed samples. */
double kb_twin_ratio(const struct kb_samples *, const struct kb_launch_fit *);

/* Fills the result's `found` from single loads that the processes timed (kb_chase_levels). */
void kb_result_find(const struct kb_summary *, struct kb_result *);

#endif
