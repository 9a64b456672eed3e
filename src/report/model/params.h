/* Parameters of the system for people and for programs, with pictures of the curves that they were read from. */
#ifndef KB_REPORT_TEXT_PARAMS_H
#define KB_REPORT_TEXT_PARAMS_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/table.h"
#include "suite/params/find.h"

#define KB_PARAMS_SCHEMA "kbench-params/1"

/* A line an entry: value or interval, what the system reports, whether both agree; reasons below. */
void kb_params_print(FILE *out, const struct kb_params *, const struct kb_style *style);

/* What the mhz method had to divide, and how: nothing where it was not measured. */
void kb_mhz_print(FILE *out, const struct kb_mhz_table *, const struct kb_style *style);

/* A curve is drawn over the logarithm of x, by the logarithm of ns; each has a sign of its own. */
void kb_picture_print(FILE *out, const struct kb_picture *, unsigned width, bool utf8);

/* {"inferred": [...], "curves": [...], "mhz": ...}, a new reference. */
json_t *kb_params_to_json(const struct kb_params *);

#endif
