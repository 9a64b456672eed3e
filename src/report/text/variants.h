/* What variants of a row come to beside each other: tables below the table of results, and members of the document. */
#ifndef KB_REPORT_TEXT_VARIANTS_H
#define KB_REPORT_TEXT_VARIANTS_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/table.h"

/* Prints nothing where no row has variants. */
void kb_variants_print(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_look *look);

/* Adds `interference` and `scaling`, arrays of comparisons, to a document of results that has them. */
void kb_variants_add(json_t *document, const struct kb_result *const *results, size_t count);

#endif
