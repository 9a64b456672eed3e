/* A fleet for people and programs: its results, how far its nodes differ, and which ones deviate. */
#ifndef KB_REPORT_FLEET_FLEET_H
#define KB_REPORT_FLEET_FLEET_H

#include <jansson.h>
#include <stdio.h>

#include "analysis/fleet.h"
#include "report/text/style.h"

void kb_fleet_print(FILE *out, const struct kb_fleet_report *, const struct kb_style *);

#define KB_FLEET_SCHEMA "kbench-fleet/1"

/* Schema kbench-fleet/1 (doc/result.md), a new reference; NULL without memory. tool: program and version. */
json_t *kb_fleet_report_to_json(const struct kb_fleet_report *, const char *tool);

#endif
