/* kbench sel4: builds the root server for an installed seL4, and prints how to boot it elsewhere than in QEMU. */
#include "cli/sel4/sel4.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/plan.h"
#include "cli/cli.h"

enum { INTO, SET, METHOD, INITIAL, DELTA, GROUP_SIZE, GROUPS, CLOCK, FLAT, PREFIX, AGAINST, BOOTS, MARGIN, ANY_CONFIG, STORE, MARKDOWN, JSON };

#define INTO(kind, ...) KB_OPTION(kind, struct kb_sel4_job, __VA_ARGS__)

static const struct kb_option options[] = {
	[INTO] = { 'o', "output", "PATH", "build: directory of the image; boot: its file", "below $XDG_CACHE_HOME; kb_boot.elf",
		INTO(WORD, into) },
	[SET] = { 'p', "param", "NAME=VALUE", "boot, insn: a parameter of the benchmark; may be repeated", NULL, INTO(WORDS, sets) },
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
	[FLAT] = { 0, "flat", NULL, "boot: an image with the header of Linux's, for U-Boot's booti", NULL, INTO(FLAG, flat) },
	[PREFIX] = { 0, "prefix", "DIR", "insn: the kernel that was installed there", "SEL4_PREFIX", INTO(WORD, counts.kernel) },
	[AGAINST] = { 0, "against", "DIR", "insn: also this one, as the base of a comparison", NULL, INTO(WORD, counts.against) },
	KB_COUNT_OPTIONS(struct kb_sel4_job),
	{ 0 }
};

enum { BUILD, BOOT, INSN };
static const char *const verb_names[] = { "build", "boot", "insn", NULL };
static int (*const verbs[])(struct kb_sel4_job *, int argc, char **argv) = { kb_sel4_verb_build, kb_sel4_verb_boot, kb_sel4_verb_insn };

/* ---- the command --------------------------------------------------------------------------------------------- */

/* An option that the verb does not use was meant for another one. */
static void check_options(const struct kb_sel4_job *job, unsigned verb, uint64_t given)
{
	static const struct { unsigned first, last, verbs; const char *words; } uses[] = {
		{ INTO, INTO, 1u << BUILD | 1u << BOOT, "build and boot" }, { SET, SET, 1u << BOOT | 1u << INSN, "boot and insn" },
		{ METHOD, FLAT, 1u << BOOT, "boot; measuring is 'kbench run sel4.*'" }, { PREFIX, JSON, 1u << INSN, "insn" },
	};

	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
		for (unsigned option = uses[i].first; option <= uses[i].last; option++) {
			if ((given >> option & 1) && !(uses[i].verbs >> verb & 1))
				kb_usage(job->command, "--%s goes with %s", options[option].name, uses[i].words);
		}
	}
}

static int sel4_main(const struct kb_command *command, int argc, char **argv)
{
	struct kb_sel4_job job = {
		.command = command, .argc = argc, .argv = argv, .grid = { 1, 1, 30, 5, 0, 0.90, 0 }, .counts.boots = KB_COUNT_BOOTS,
	};
	char why[KB_SEL4_WHY];
	uint64_t given = kb_read_options(command, argc, argv, &job);

	for (int i = INITIAL; i <= GROUPS; i++) {
		if (given >> i & 1)
			job.kanata = options[i].name;
	}

	unsigned verb = kb_subcommand(command, verb_names, optind < argc ? argv[optind++] : NULL);

	check_options(&job, verb, given);
	if (verb == BUILD)
		kb_no_more(command, argc, argv);
	if (verb != INSN && !kb_sel4_prefix(&job.prefix, why))
		kb_die(command, KB_EXIT_UNFIT, "%s", why);

	int code = verbs[verb](&job, argc - optind, argv + optind);

	free(job.sets.at);
	return code;
}

const struct kb_command kb_command_sel4 = {
	.name = "sel4",
	.arguments = "build|boot BENCHMARK|insn [PATTERN...]",
	.summary = "Build the root server for an installed seL4; count instructions of two kernels",
	.text = "\n"
		"verbs:\n"
		"  build     build the root server for this kernel; 'kbench run sel4.*' then boots it in QEMU\n"
		"  boot      write an image that measures one benchmark, and print how to boot it and read its console\n"
		"  insn      count the instructions of each benchmark in QEMU, exactly; --against compares two kernels\n"
		"'kbench doctor sel4' prints what the kernel's configuration means for a benchmark.\n"
		"The kernel is the one of SEL4_PREFIX, or of SEL4_KERNEL and SEL4_INCLUDE_DIRS: doc/sel4.md.\n",
	.options = options,
	.examples = "  kbench sel4 build && kbench run 'sel4.*'\n"
		    "  kbench sel4 boot sel4.signal -o image.elf\n"
		    "  kbench sel4 insn --prefix build/new --against build/old --markdown\n"
		    "  kbench sel4 boot sel4.signal --initial 300 --group-size 30 --groups 1 --clock rdcycle\n",
	.exits = "  0 done; 1 insn: a count is another one, by more than the margin; 2 usage, no such seL4, unwritable output;\n"
		 "  3 a kernel or a machine that cannot be used; 5 it does not build; insn: a boot failed, or boots differ\n",
	.main = sel4_main,
};
