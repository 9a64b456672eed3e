/* Exports of results as text, and what must stand in it. */
#ifndef KB_TEST_UNIT_REPORT_EXPORTED_H
#define KB_TEST_UNIT_REPORT_EXPORTED_H

#include "report/export/export.h"

/* A record of the fixed results: their process 1 (pipe) or 2 (add) counts. */
extern const char exported_record[];
extern const size_t exported_record_length;

const struct kb_export_format *format_of(const char *name);

/* The whole export of these results, with that record for processes 1 and 2, or NULL with *error. To be freed. */
char *exported(const struct kb_export_format *, const struct kb_result *results, size_t count, int *error);

/* The same of one result, which the format must take. */
char *written(const char *format, const struct kb_result *);

void contains(const char *text, const char *part);
void lacks(const char *text, const char *part);

#endif
