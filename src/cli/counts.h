/* The end of `kbench sel4 insn` and `kbench kernel insn`: exact counts, printed and judged. */
#ifndef KB_CLI_COUNTS_H
#define KB_CLI_COUNTS_H

#include "cli/cli.h"

#define KB_COUNT_BOOTS 2                /* a second one shows that nothing is random */
#define KB_COUNT_BOOTS_MAX 100

struct kb_counts_request {
	const char *store;              /* NULL: the usual one */
	const char *against, *kernel;   /* both kernels, as the user names them; the first NULL: there is one */
	unsigned boots;
	double margin;                  /* a fraction */
	bool any_config, json, markdown;
};

/* The options of both, of a structure with a `counts`; the enum that numbers them has the same order. */
#define KB_COUNT_OPTIONS(job) \
	[BOOTS] = { 0, "boots", "N", "insn: boots of each kernel, which have to count the same", "2", \
		KB_OPTION(NUMBER, job, counts.boots, .least = KB_COUNT_BOOTS, .most = KB_COUNT_BOOTS_MAX) }, \
	[MARGIN] = { 0, "margin", "PERCENT", "insn: smaller differences do not matter", "0%", KB_OPTION(MARGIN, job, counts.margin) }, \
	[ANY_CONFIG] = { 0, "any-config", NULL, "insn: also kernels that are configured differently", NULL, \
		KB_OPTION(FLAG, job, counts.any_config) }, \
	[STORE] = { 0, "store", "FILE", "insn: where the counts are kept", "$XDG_DATA_HOME/kbench/kbench.db", \
		KB_OPTION(WORD, job, counts.store) }, \
	[MARKDOWN] = { 0, "markdown", NULL, "insn: print the table as Markdown", NULL, KB_OPTION(FLAG, job, counts.markdown) }, \
	[JSON] = { 0, "json", NULL, "insn: print kbench-compare/2", NULL, KB_OPTION(FLAG, job, counts.json) }

/* Ends the program where a pattern means none of these benchmarks, whose list ends with NULL: before anything is built. */
void kb_counts_check(const struct kb_command *, const struct kb_bench *const *benches, char *const *patterns, int count);

/* Compares two stored runs, base NULL for one alone, and prints. The exit code: 5 where boots are missing, failed or differ, else 1 where a
   count is another one by more than the margin. */
int kb_counts_report(const struct kb_command *, const struct kb_counts_request *, const char *base, const char *new);

#endif
