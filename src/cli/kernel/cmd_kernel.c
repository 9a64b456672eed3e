/* kbench kernel: the modules with the benchmarks inside it. */
#define _GNU_SOURCE
#include "cli/kernel/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "run/backend/kernel.h"
#include "run/process/describe.h"
#include "workflow/build.h"

static int add_own(const char *path, void *place, struct kb_failure *failure)
{
	const char **own = place;

	for (unsigned i = 0; i < KB_KERNEL_USER_MAX; i++) {
		if (!own[i]) {
			own[i] = path;
			return 0;
		}
	}
	return kb_refuse_typed(failure, "more than %u times --bench", KB_KERNEL_USER_MAX);
}

#define INTO(kind, ...) KB_OPTION(kind, struct kb_kernel_job, __VA_ARGS__)

enum { HEADERS, OUTPUT, BENCH, KERNEL, AGAINST, AGAINST_HEADERS, SET, BOOTS, MARGIN, ANY_CONFIG, STORE, MARKDOWN, JSON };

static const struct kb_option options[] = {
	[HEADERS] = { 0, "headers", "DIR", "build, insn: for the kernel whose headers these are", "/lib/modules/RELEASE/build", INTO(WORD, headers) },
	[OUTPUT] = { 'o', "output", "DIR", "build: where modules go", "$XDG_CACHE_HOME/kbench/kernel/RELEASE", INTO(WORD, into) },
	[BENCH] = { 0, "bench", "FILE.c", "build, insn: also this benchmark of your own; may be repeated", NULL, INTO(READ, own, .read = add_own) },
	[KERNEL] = { 0, "kernel", "PATH", "insn: the image, or the directory it was built in", "/boot/vmlinuz-RELEASE", INTO(WORD, counts.kernel) },
	[AGAINST] = { 0, "against", "PATH", "insn: also this one, as the base of a comparison", NULL, INTO(WORD, counts.against) },
	[AGAINST_HEADERS] = { 0, "against-headers", "DIR", "insn: its headers", "as of --headers", INTO(WORD, against_headers) },
	[SET] = { 'p', "param", "NAME=VALUE", "insn: a parameter of the benchmarks; may be repeated", NULL, INTO(WORDS, sets) },
	KB_COUNT_OPTIONS(struct kb_kernel_job),
	{ 0 }
};

unsigned kb_kernel_own_count(const struct kb_kernel_job *job)
{
	unsigned count = 0;

	while (count < KB_KERNEL_USER_MAX && job->own[count])
		count++;
	return count;
}

int kb_kernel_exit(int error)
{
	/* What another version built is for the user to build again. */
	if (error == -EPROTO)
		return KB_EXIT_USAGE;
	return error == -EPERM || error == -ENOSYS || error == -ENOENT || error == -EKEYREJECTED ? KB_EXIT_UNFIT : KB_EXIT_FAILED;
}

/* ---- build: puts the directory with all modules in its place in one step ---------------------------------------- */

static int is_not_ours(const struct dirent *entry)
{
	const char *name = entry->d_name, *dot = strrchr(name, '.');
	/* .so: descriptions of former versions. */
	bool made = dot && (strcmp(dot, ".ko") == 0 || strcmp(dot, KB_DESCRIPTION_SUFFIX) == 0 || strcmp(dot, ".so") == 0) &&
		    strncmp(name, KB_KERNEL_MODULE, sizeof KB_KERNEL_MODULE - 1) == 0;

	return !made && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* A directory that is there is replaced with all in it: nothing of the user's may be among that. */
static void check_target(const struct kb_command *command, const char *into)
{
	struct dirent **entries = NULL;
	int count = scandir(into, &entries, is_not_ours, NULL);
	bool refused = count > 0 || (count < 0 && errno != ENOENT);

	while (count > 0)
		free(entries[--count]);
	free(entries);
	if (strpbrk(into, " \t\n:%#$\"'\\*?[]{}()<>|&;`!~="))
		kb_die(command, KB_EXIT_USAGE, "--output '%s': make cannot work with blanks or special characters in a path", into);
	if (refused)
		kb_die(command, KB_EXIT_USAGE, "--output %s: the directory holds other things than modules of kbench", into);
}

static int build(struct kb_kernel_job *job, int argc, char **argv)
{
	struct kb_kernel_build build = { .own = job->own };
	struct kb_failure failure;
	char *into = build.build.into, only[4096];
	unsigned count;

	build.only = kb_kernel_named(job, argc, argv, only, sizeof only);
	build.own_count = kb_kernel_own_count(job);
	build.notes = kb_notes_of(job->command);
	kb_die_if(job->command, kb_kernel_build_find(&build, job->headers, &failure), &failure);
	kb_build_target(job->command, job->into, job->into || kb_kernel_directory(build.release, into), into);
	check_target(job->command, into);
	kb_die_if(job->command, kb_kernel_build(&build, &count, &failure), &failure);
	printf("%u modules for kernel %s in %s\n", count, build.release, kb_shown(into).text);
	return KB_EXIT_DONE;
}

/* ---- the command --------------------------------------------------------------------------------------------- */

enum { BUILD, LOAD, UNLOAD, INSN };
static const char *const verb_names[] = { "build", "load", "unload", "insn", NULL };
static int (*const verbs[])(struct kb_kernel_job *, int argc, char **argv) = {
	build, kb_kernel_verb_load, kb_kernel_verb_unload, kb_kernel_verb_insn,
};

/* An option that the verb does not use was meant for another one. */
static void check_options(const struct kb_kernel_job *job, unsigned verb, uint64_t given)
{
	static const struct { unsigned first, last, verbs; const char *words; } uses[] = {
		{ HEADERS, HEADERS, 1u << BUILD | 1u << INSN, "build and insn" }, { OUTPUT, OUTPUT, 1u << BUILD, "build" },
		{ BENCH, BENCH, 1u << BUILD | 1u << INSN, "build and insn" }, { KERNEL, JSON, 1u << INSN, "insn" },
	};

	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
		for (unsigned option = uses[i].first; option <= uses[i].last; option++) {
			if ((given >> option & 1) && !(uses[i].verbs >> verb & 1))
				kb_usage(job->command, "--%s goes with %s", options[option].name, uses[i].words);
		}
	}
}

static int kernel_main(const struct kb_command *command, int argc, char **argv)
{
	struct kb_kernel_job job = { .command = command, .argc = argc, .argv = argv, .counts.boots = KB_COUNT_BOOTS };
	uint64_t given = kb_read_options(command, argc, argv, &job);

	unsigned verb = kb_subcommand(command, verb_names, optind < argc ? argv[optind++] : NULL);

	check_options(&job, verb, given);
	if (verb == UNLOAD)
		kb_no_more(command, argc, argv);

	int code = verbs[verb](&job, argc - optind, argv + optind);

	free(job.sets.at);
	return code;
}

const struct kb_command kb_command_kernel = {
	.name = "kernel",
	.arguments = "build [NAME...]|load [NAME...]|unload|insn [PATTERN...]",
	.summary = "Build and load the benchmarks inside this kernel; count instructions of two kernels",
	.text = "\n"
		"verbs:\n"
		"  build     compile the modules of these benchmarks, or all, for this kernel, or for that of --headers\n"
		"  load      load the modules of these benchmarks, or all; they stay until unload\n"
		"  unload    unload all modules of kbench\n"
		"  insn      boot a kernel in QEMU and count the instructions of each benchmark, exactly; --against compares two kernels\n"
		"\n"
		"'kbench doctor kernel' tries what this kernel allows. 'kbench run kernel' measures: it loads what it needs by itself,\n"
		"and unloads that when it ends, however it ends.\n"
		"Where the kernel or the user may not, the benchmarks are skipped, with the reason.\n"
		"Modules are looked for in the cache of the user who runs kbench, then in /lib/modules/RELEASE/kbench: build as the user\n"
		"who will load them, which is root.\n",
	.options = options,
	.examples = "  sudo kbench kernel build && sudo kbench run kernel\n"
		    "  sudo kbench kernel build --bench mine.c && sudo kbench run kernel.mine\n"
		    "  kbench kernel build --headers /usr/src/linux-headers-6.1.0-56-amd64 -o modules\n"
		    "  kbench kernel insn --kernel build/new --against build/old --bench mine.c --markdown\n"
		    "  sudo kbench kernel load fib_lookup && sudo cat /sys/kernel/kbench/fib_lookup/run\n",
	.exits = "  0 done; 1 insn: a count is another one, by more than the margin; 2 usage, unwritable output;\n"
		 "  3 no headers, compiler or modules, or this kernel or user cannot load any; 5 compiling, loading or unloading failed;\n"
		 "  insn: a boot failed, or boots differ; 128+n ended by signal n\n",
	.main = kernel_main,
};
