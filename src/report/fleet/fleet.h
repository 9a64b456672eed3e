/* A fleet for people and programs: its results, how far its nodes differ, and which ones deviate. */
#ifndef KB_REPORT_FLEET_FLEET_H
#define KB_REPORT_FLEET_FLEET_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/fleet.h"
#include "analysis/fleet_compare.h"
#include "analysis/history.h"
#include "report/text/number_format.h"
#include "report/text/style.h"

void kb_fleet_print(FILE *out, const struct kb_fleet_report *, const struct kb_style *);

#define KB_FLEET_SCHEMA "kbench-fleet/1"

/* Schema kbench-fleet/1 (doc/result.md), a new reference; NULL without memory. tool: program and version. cells: with fewer nodes, so that it has about
   so many cells: those that deviate, as far as there is room for them, then others; both at equal distances. */
json_t *kb_fleet_report_to_json(const struct kb_fleet_report *, const char *tool, size_t cells);
#define KB_FLEET_PAGE_CELLS 100000u     /* 17 MB: a browser shows that */
#define KB_FLEET_ALL_CELLS SIZE_MAX

/* Points of a history that are fleets, in this scale, and where a new level begins. */
void kb_fleet_history_print(FILE *out, const struct kb_history *, struct kb_scale, const struct kb_style *);

/* Two fleets against each other, and how many results came to what. verbose: all nodes and results that are left out. */
void kb_fleets_print(FILE *out, const struct kb_compared_fleets *, const struct kb_style *);

/* Schema kbench-fleet-compare/1 (doc/result.md), a new reference; NULL without memory. code: the exit code in it. */
#define KB_FLEETS_SCHEMA "kbench-fleet-compare/1"
json_t *kb_fleets_to_json(const struct kb_compared_fleets *, int code);

/* "+5.2 %" and its CI, a cell each; and the q value, which ends the line. */
void kb_fleet_put_change(FILE *line, const struct kb_interval *ln);
void kb_fleet_put_q(FILE *line, double q);

#endif
