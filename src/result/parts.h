/*
 * Parts of operations that are longer than a neighbour's visits (kb_part). A part has a contention probe at both ends, so it may be
 * uncontended where the operation as a whole never is. Then the uncontended cost is the sum of what its parts cost uncontended.
 */
#ifndef KB_RESULT_PARTS_H
#define KB_RESULT_PARTS_H

#include "result/samples.h"

/* While a record is read. 0 or -ENOMEM. */
int kb_parts_add(struct kb_samples *, const struct kb_obs *);
void kb_parts_free(struct kb_samples *);

/*
 * Once the parts are flagged: puts into op what each operation would have taken, had its contended parts been as their median is
 * uncontended, and flags it KB_FLAG_CONTENDED where none of its parts was clean. What is looked for in a series of samples is then
 * looked for in what is known of them. kb_parts_restore takes that back.
 */
void kb_parts_complete(struct kb_samples *);
void kb_parts_restore(struct kb_samples *);

/* Ticks and flags of the samples of op as they were observed, completed or not. */
const double *kb_parts_observed(const struct kb_samples *);
const unsigned *kb_parts_flags(const struct kb_samples *);

/* What the readings of the clock at points inside an operation add to its parts, beyond the one pair that every sample has. */
double kb_parts_readings(const struct kb_samples *, double empty);

/* ---- how long they are --------------------------------------------------------------------------- */

#define KB_LONG_NS 100e3        /* a neighbour may come and go inside: both ends are clean, and the lower quartile is taken */
#define KB_TOO_LONG_NS 1e6      /* it nearly always does, and nothing uncontended is known of what cannot be divided */

/* Of all processes of a result alike: which parts are long, by the tenth of them that took least. True: one is too long. */
bool kb_parts_measure(struct kb_samples *samples, size_t count);

#endif
