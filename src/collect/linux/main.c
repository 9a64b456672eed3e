/* kbench-collect: one process of a measurement on Linux, with the benchmarks that are linked to it. */
#include "collect/linux/collect.h"

extern const struct kb_bench *const kb_benches[]; /* generated from the file names */

int main(int argc, char **argv)
{
	return kb_collect_main(argc, argv, kb_benches);
}
