/*
 * How two distributions of single operations differ, decile by decile (the shift function, Doksum 1974): a tail may grow
 * while the median stays. Pure functions.
 */
#ifndef KB_STATS_COMPARISON_SHIFT_H
#define KB_STATS_COMPARISON_SHIFT_H

#include "stats/stats.h"

#define KB_DECILES 9            /* 10, 20 ... 90 % */
#define KB_DECILE_VALUES_MIN 20 /* fewer values of a process have no outer decile between them */

/* Sorts x and takes its deciles, type 7. False with too few values. */
bool kb_deciles(double *x, size_t n, double deciles[KB_DECILES]);

/* ln B - ln A at each decile: the mean over pairs of processes with Student's t, for what lies between processes is in no
   single one. ln[pair][decile]. Each interval holds for itself, not all nine at once. One pair: refused. */
void kb_decile_shift(const double (*ln)[KB_DECILES], size_t pairs, double confidence, struct kb_interval shift[KB_DECILES]);

#endif
