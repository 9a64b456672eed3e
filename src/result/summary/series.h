/*
 * What a row looks like over time: whether each launch keeps its level, whether one number describes it, and where its
 * spread comes from. It works on launches that were fitted before; result/verdict/series.c judges what it finds.
 */
#ifndef KB_RESULT_SUMMARY_SERIES_H
#define KB_RESULT_SUMMARY_SERIES_H

#include "result/summary/summary.h"

/* Fills fit->steady. True if a warm-up was found: its observations are flagged now, and the launch is to be fitted
   again. */
bool kb_series_steady(struct kb_samples *, struct kb_launch_fit *);

/* Fills fit->spread: one operation's noise, by the length of intervals and over time. */
void kb_series_spread(const struct kb_samples *, struct kb_launch_fit *);

/* How many launches of a row may say something else than the others before it counts: one, or a fifth. One launch in
   thirty does by chance. */
unsigned kb_series_tolerated(size_t launches);

/* Over the launches that speak. */
void kb_series_modes(const struct kb_summary *, struct kb_result *);
void kb_series_levels(const struct kb_summary *, struct kb_result *);
void kb_series_spread_of_row(const struct kb_summary *, struct kb_result *);

/* The launch changes its level, which is why its slope was refused if it was. */
bool kb_series_explains(const struct kb_launch_fit *);

/* Adds the reasons. */
void kb_series_judge(const struct kb_summary *, struct kb_result *);

#endif
