/* kbench sel4: builds the root server for an installed seL4, and prints how to boot it elsewhere than in QEMU. */
#include "cli/sel4/sel4.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/plan.h"
#include "cli/cli.h"

enum { INTO, SET, METHOD, INITIAL, DELTA, GROUP_SIZE, GROUPS, CLOCK };

#define INTO(kind, ...) KB_OPTION(kind, struct kb_sel4_job, __VA_ARGS__)

static const struct kb_option options[] = {
	[INTO] = { 'o', "output", "PATH", "build: directory of the image; boot: its file", "below $XDG_CACHE_HOME; kb_boot.elf",
		INTO(WORD, into) },
	[SET] = { 'p', "param", "NAME=VALUE", "boot: a parameter of the benchmark; may be repeated", NULL, INTO(WORDS, sets) },
	[METHOD] = { 0, "method", "slope|single|kanata", "boot: how it measures", "kanata", INTO(WORD, method) },
	[INITIAL] = { 0, "initial", "N", "boot, kanata: initial test size", "1",
		INTO(NUMBER, grid.initial, .least = 1, .most = KB_TEST_SIZE_MAX) },
	[DELTA] = { 0, "delta", "N", "boot, kanata: by which each group's test size grows", "1",
		INTO(NUMBER, grid.delta, .most = KB_TEST_SIZE_MAX) },
	[GROUP_SIZE] = { 0, "group-size", "N", "boot, kanata: tests of a group, S", "30",
		INTO(NUMBER, grid.group_size, .least = 2, .most = KB_GROUP_TESTS_MAX) },
	[GROUPS] = { 0, "groups", "N", "boot, kanata: number of groups", "5",
		INTO(NUMBER, grid.groups, .least = 1, .most = KB_SEL4_TESTS_MAX) },
	[CLOCK] = { 0, "clock", "rdcycle|pmccntr|icount", "boot: what its counter counts there", "ticks of unknown meaning", INTO(WORD, clock) },
	{ 0 }
};

enum { BUILD, BOOT };
static const char *const verb_names[] = { "build", "boot", NULL };
static int (*const verbs[])(struct kb_sel4_job *, int argc, char **argv) = { kb_sel4_verb_build, kb_sel4_verb_boot };

/* ---- the command --------------------------------------------------------------------------------------------- */

/* An option that the verb does not use was meant for another one. */
static void check_options(const struct kb_sel4_job *job, unsigned verb)
{
	const char *boots = job->sets.count > 0 ? "-p" : job->method ? "--method" : job->kanata ? job->kanata : job->clock ? "--clock" : NULL;

	if (boots && verb != BOOT)
		kb_usage(job->command, "%s goes with boot; measuring is 'kbench run sel4.*'", boots);
}

static int sel4_main(const struct kb_command *command, int argc, char **argv)
{
	struct kb_sel4_job job = { .command = command, .grid = { 1, 1, 30, 5, 0, 0.90, 0 } };
	char why[KB_SEL4_WHY];
	uint64_t given = kb_read_options(command, argc, argv, &job);

	for (int i = INITIAL; i <= GROUPS; i++) {
		if (given >> i & 1)
			job.kanata = options[i].name;
	}

	unsigned verb = kb_subcommand(command, verb_names, optind < argc ? argv[optind++] : NULL);

	check_options(&job, verb);
	if (verb != BOOT)
		kb_no_more(command, argc, argv);
	if (!kb_sel4_prefix(&job.prefix, why))
		kb_die(command, KB_EXIT_UNFIT, "%s", why);

	int code = verbs[verb](&job, argc - optind, argv + optind);

	free(job.sets.at);
	return code;
}

const struct kb_command kb_command_sel4 = {
	.name = "sel4",
	.arguments = "build|boot BENCHMARK",
	.summary = "Build the root server with the benchmarks for an installed seL4",
	.text = "\n"
		"verbs:\n"
		"  build     build the root server for this kernel; 'kbench run sel4.*' then boots it in QEMU\n"
		"  boot      write an image that measures one benchmark, and print how to boot it and read its console\n"
		"'kbench doctor sel4' prints what the kernel's configuration means for a benchmark.\n"
		"The kernel is the one of SEL4_PREFIX, or of SEL4_KERNEL and SEL4_INCLUDE_DIRS: doc/sel4.md.\n",
	.options = options,
	.examples = "  kbench sel4 build && kbench run 'sel4.*'\n"
		    "  kbench sel4 boot sel4.signal -o image.elf\n"
		    "  kbench sel4 boot sel4.signal --initial 300 --group-size 30 --groups 1 --clock rdcycle\n",
	.exits = "  0 done; 2 usage, no such seL4, unwritable output; 3 a kernel or a machine that cannot be used; 5 it does not build\n",
	.main = sel4_main,
};
