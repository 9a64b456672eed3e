/* What `kbench run` was asked to do, read from its command line and checked as far as that goes without measuring. */
#ifndef KB_CLI_REQUEST_H
#define KB_CLI_REQUEST_H

#include "cli/cli.h"
#include "suite/suite.h"

struct kb_request {
	const char *const *patterns;
	size_t pattern_count;
	const char **sets;              /* -p, in order; owned */
	size_t set_count;
	enum kb_selection suite;        /* KB_SELECT_NAMED with patterns, else KB_SELECT_STANDARD, if nothing was said */
	const char *plugin, *cpus, *store, *label;
	const char *kanata;             /* an option that only method kanata has; NULL: none was given */
	const char *parallel;           /* numbers of copies, with commas, checked; NULL: none */
	const char *interfere;          /* kinds of neighbours, with commas, checked; NULL: none */
	const char *unit;               /* of the table; NULL: the one that fits each result */
	char *variants;                 /* values of one of both, cut apart; rows point into it; owned */
	bool emulate, defaults, no_store, strict, json, verbose;
	struct kb_run_options run;
};

/* The options of `kbench run`, for its descriptor. */
extern const struct kb_option kb_request_options[];

/* Reads the whole command line. Does not return if it is wrong. */
void kb_request_read(struct kb_request *request, const struct kb_command *command, int argc, char **argv);

#endif
