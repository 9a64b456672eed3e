/* Analyses as the source document's tables, and as JSON. */
#ifndef KB_REPORT_TEXT_ANALYSIS_H
#define KB_REPORT_TEXT_ANALYSIS_H

#include <jansson.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "report/text/table.h"

/* One block of lines each; everything ends with a newline. */
void kb_analysis_print_groups(FILE *out, const struct kb_kanata_analysis *,
                              const char *unit, const struct kb_analysis_options *, const struct kb_style *);
void kb_analysis_print_across(FILE *out, const struct kb_kanata_analysis *, const struct kb_across *,
                              const char *unit, const struct kb_analysis_options *, const struct kb_style *);
void kb_analysis_print_list(FILE *out, const struct kb_list_analysis *, const char *unit,
                            const struct kb_analysis_options *, const struct kb_style *);
void kb_analysis_print_points(FILE *out, const struct kb_points_analysis *, const char *unit,
                              const struct kb_analysis_options *, const struct kb_style *);

/* New references. */
json_t *kb_analysis_groups_json(const struct kb_kanata_analysis *);
json_t *kb_analysis_across_json(const struct kb_across *);
json_t *kb_analysis_list_json(const struct kb_list_analysis *);
json_t *kb_analysis_points_json(const struct kb_points_analysis *);

#endif
