/* A program that measures itself is its own collector (kbench_measure.h). */
#define _GNU_SOURCE
#include "kbench_measure.h"

#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "collect/linux/collect.h"

static const struct kb_bench *const *own;

/* Its children are no collectors. Not exit(): in a fork, what the program has not yet written would come twice; a fork has also read a
   command line before. */
void kb_measurable(int argc, char **argv, const struct kb_bench *const *benches)
{
	own = benches;
	if (!getenv(KB_COLLECTOR_VARIABLE))
		return;
	unsetenv(KB_COLLECTOR_VARIABLE);
	optind = 0;
	_exit(kb_collect_main(argc, argv, benches));
}

bool kb_is_measurable(const struct kb_bench *bench)
{
	const struct kb_bench *const *at = own;

	while (at && *at && *at != bench)
		at++;
	return at && *at;
}
