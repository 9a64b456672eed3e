/* What the importers share: lines, cells, numbers, growing series, messages. Only for src/report/import*.c. */
#ifndef KB_IMPORT_PARSE_H
#define KB_IMPORT_PARSE_H

#include "base/text.h"
#include "import/import.h"

#define KB_CELLS_MAX 4096       /* columns of a table */

struct kb_parse {
	struct kb_import *import;
	const char *name;
	struct kb_span rest;            /* what was not read yet */
	struct kb_span line;            /* without its end */
	unsigned number;                /* of that line, from 1 */
	char *error;                    /* KB_IMPORT_ERROR bytes */
};

/* The next line that is neither blank nor a comment (#); false at the end. */
bool kb_parse_line(struct kb_parse *);

/* Cells between these separators, blanks and a pair of quotes taken off each. Returns how many there are, also beyond
   room. */
size_t kb_parse_cells(struct kb_span line, char separator, struct kb_span *cells, size_t room);

/* A plain decimal number below 1e100 in size: no nan, no inf, no hexadecimal. */
bool kb_parse_decimal(struct kb_span text, double *value);

/* Writes "name:line: ..." and returns -EINVAL. kb_parse_wrong_file: without a line. */
int kb_parse_wrong(struct kb_parse *, const char *format, ...) __attribute__((format(printf, 2, 3)));
int kb_parse_wrong_file(struct kb_parse *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text of the file, short enough for a message. */
#define KB_SHOWN(span) (int)((span).length < 40 ? (span).length : 40), (span).at

/* NULL: out of memory. */
struct kb_import_series *kb_import_add(struct kb_import *, double n);
int kb_import_append(struct kb_import_series *, bool with_x, double x, double y);

/* Offset of the next line that begins a record, from `at` on; length if there is none. How many lines end in a text. */
size_t kb_import_record_start(const char *text, size_t length, size_t at);
unsigned kb_import_lines(const char *text, size_t length);

/* The importers behind kb_import_text(). */
int kb_import_csv(struct kb_parse *);
int kb_import_console(struct kb_parse *);
int kb_import_record(struct kb_parse *, const char *text, size_t length);

#endif
