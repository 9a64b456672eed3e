/* How this terminal and character set want results, and the parts of the output that several commands share. */
#ifndef KB_CLI_PRINT_H
#define KB_CLI_PRINT_H

#include <jansson.h>

#include "cli/cli.h"
#include "report/table.h"
#include "store/store.h"

/* notes: with notes and hints. */
struct kb_look kb_look_here(bool notes);

/* When and where: "2026-05-04 10:00:00 UTC, AMD EPYC, Linux 6.1, class 0123456789abcdef". env: the object of
   kb_env_to_json. */
void kb_print_heading(const char *started, const json_t *env);

/* The table and its count; with detail, or for a single row, all that is known about each. */
void kb_print_results(const struct kb_result *const *results, size_t count, bool detail);

/* Prints JSON and drops the reference. What could not be written, kb_finish_output sees. */
void kb_print_json(json_t *json);

#endif
