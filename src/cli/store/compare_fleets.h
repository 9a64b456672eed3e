/* kbench compare --fleet: two fleets of the store, result by result (analysis/fleet_compare.h). */
#ifndef KB_CLI_STORE_COMPARE_FLEETS_H
#define KB_CLI_STORE_COMPARE_FLEETS_H

#include "analysis/fleet_compare.h"
#include "cli/cli.h"

struct kb_fleets_request {
	struct kb_fleets_wanted wanted; /* fleets and patterns: by the words */
	const char *junit;              /* file for a build server */
	bool gate, json, verbose;
};

/* Prints what the fleets, and patterns, that the words name come to. Returns the exit code. */
int kb_compare_fleets(const struct kb_command *, struct kb_store *, int words, char **argv, struct kb_fleets_request *);

#endif
