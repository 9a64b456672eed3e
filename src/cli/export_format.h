/* The formats of other tools as an option: of kbench export, and of kbench run. */
#ifndef KB_CLI_EXPORT_FORMAT_H
#define KB_CLI_EXPORT_FORMAT_H

#include "cli/cli.h"
#include "report/export/export.h"

/* Reads the name of a format into a const struct kb_export_format *. */
int kb_read_export_format(const char *name, void *place, struct kb_failure *);

/* Prints results that were just measured. A format that needs the records ends the program, before anything is measured where it is checked. */
void kb_check_export_format(const struct kb_command *, const struct kb_export_format *);
void kb_print_as(const struct kb_command *, const struct kb_export_format *, const struct kb_stored_run *, const json_t *env,
		 const struct kb_result *const *results, size_t count);

#endif
