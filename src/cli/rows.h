/* What a command line selects to be measured, in the same words whichever command it is. */
#ifndef KB_CLI_ROWS_H
#define KB_CLI_ROWS_H

#include "cli/cli.h"
#include "run/run.h"
#include "suite/suite.h"

struct kb_collectors;

struct kb_rows_request {
	const struct kb_collectors *collectors; /* whose programs are selected, too, where they run here; NULL: none */
	bool emulate;                   /* under an emulator is here */
	const struct kb_bench *plugin;  /* NULL: none; alone without patterns */
	const char *plugin_file;        /* that it came from */
	const char *const *patterns;
	size_t pattern_count;
	const char *const *sets;        /* -p */
	size_t set_count;
	enum kb_selection suite;
	enum kb_reach reach;
};

/* The caller frees *rows. Ends the program if a pattern or a value is none, or if nothing is left. */
void kb_rows_select(const struct kb_command *, const struct kb_rows_request *, struct kb_row **rows, size_t *count);

#endif
