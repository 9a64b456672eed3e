/* The parts of the output that several commands share. */
#ifndef KB_CLI_PRINT_H
#define KB_CLI_PRINT_H

#include <jansson.h>

#include "cli/cli.h"
#include "report/text/table.h"
#include "store/store.h"

/* When and where: "2026-05-04 10:00:00 UTC, AMD EPYC, Linux 6.1, class 0123456789abcdef". env: the object of
   kb_env_to_json. */
void kb_print_heading(const char *started, const json_t *env);

/* What stands above a table, of the object of kb_env_to_json and two dates as in "2026-05-04T10:00:00Z"; points into them. */
struct kb_heading kb_heading_of(const char *title, const json_t *env, const char *started, const char *finished);

struct kb_print_how {
	bool detail;            /* all that is known about each result */
	const char *unit;       /* of --unit; NULL: the one that fits each */
};

/* The table and its count. heading: NULL for none. */
void kb_print_results(const struct kb_heading *, const struct kb_result *const *results, size_t count, const struct kb_print_how *);

/* A benchmark that is worth a closer look: the first of the worst. */
const char *kb_print_example(const struct kb_result *const *results, size_t count);

/* A text that somebody else wrote or named, for one printf: `printf("%s\n", kb_shown(path).text)`. Visible (base/text.h), and cut. */
struct kb_shown { char text[4096]; };
struct kb_shown kb_shown(const char *text);

/* Several lines of such text: line ends and tabs stay, returns before a line end are left out. */
void kb_print_lines(FILE *out, const char *text, size_t length);

/* Prints JSON and drops the reference. What could not be written, kb_finish_output sees. */
void kb_print_json(json_t *json);

#endif
