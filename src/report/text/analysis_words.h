/* The sentences of an analysis, which text and JSON share. */
#ifndef KB_REPORT_TEXT_ANALYSIS_WORDS_H
#define KB_REPORT_TEXT_ANALYSIS_WORDS_H

#include "report/text/analysis.h"

#define KB_ANALYSIS_WORDS 700

/* Our estimate: the weighted line with intercept. */
void kb_analysis_line_words(char text[KB_ANALYSIS_WORDS], const struct kb_across *, const char *unit,
                            const struct kb_analysis_options *);

/* Where and by how much A/N of the groups from `first` on is biased. */
void kb_analysis_bias_words(char text[KB_ANALYSIS_WORDS], const struct kb_kanata_analysis *, size_t first,
                            const struct kb_across *, const char *unit);

/* At which N A/N stops changing; empty with a single N. */
void kb_analysis_change_words(char text[KB_ANALYSIS_WORDS], const struct kb_across *,
                              const struct kb_analysis_options *);

#endif
