/* The parts of the output that several commands share. */
#ifndef KB_CLI_PRINT_H
#define KB_CLI_PRINT_H

#include <jansson.h>

#include "cli/cli.h"
#include "report/text/table.h"

/* A text that somebody else wrote or named, for one printf: `printf("%s\n", kb_shown(path).text)`. Visible (base/text.h), and cut. */
struct kb_shown { char text[4096]; };
struct kb_shown kb_shown(const char *text);

/* Several lines of such text: line ends and tabs stay, returns before a line end are left out. */
void kb_print_lines(FILE *out, const char *text, size_t length);

/* Prints JSON and drops the reference. What could not be written, kb_finish_output sees. */
void kb_print_json(json_t *json);

#endif
