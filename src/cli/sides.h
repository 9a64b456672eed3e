/* The two sides of `kbench ab`: what "--a 'LD_BIND_NOW=1 ./kbench-collect'" means. */
#ifndef KB_CLI_SIDES_H
#define KB_CLI_SIDES_H

#include <limits.h>

#include "cli/cli.h"
#include "run/backend/backend.h"
#include "run/run.h"

struct kb_side {
	const char *text;               /* as typed */
	char *words;                    /* the same, taken apart; environment points into it */
	char **environment;             /* ends with NULL */
	char collector[PATH_MAX], plugin[PATH_MAX];     /* "": none of its own */
	struct kb_bench bench;          /* of the plug-in */
	struct kb_collectors collectors;        /* beside its collector; rows point into it */
	struct kb_row *rows;
	size_t count;
};

/* Reads NAME=VALUE words and paths of a collector or a plug-in. option is "a" or "b". Ends the program if wrong. */
void kb_side_read(const struct kb_command *, const char *option, const char *text, struct kb_side *side);

/* A plug-in of one side only serves both, and a platform must serve both. A collector has limit_ns to load a plug-in. */
void kb_sides_share(const struct kb_command *, uint64_t limit_ns, struct kb_side *a, struct kb_side *b);

/* Rows of one side; another set of rows for each call. Without patterns a plug-in's benchmark, else all. */
void kb_side_select(const struct kb_command *, struct kb_side *side, const char *const *patterns, size_t pattern_count,
                    const char *const *sets, size_t set_count, struct kb_row **rows, size_t *count);

void kb_side_release(struct kb_side *side);

#endif
