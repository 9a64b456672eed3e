/*
 * kbench yamba: programs in Yamba. So far its front end: what is wrong in a file, and what a port to another
 * platform has to supply. Nothing is assembled here, and no code of the user runs.
 */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/own_folder.h"
#include "cli/values.h"
#include "code/target.h"
#include "yamba/yamba.h"

enum { PARAM, START, ERRORS };

static const struct kb_option options[] = {
	[PARAM] = { 'p', "param", "NAME=VALUE", "with --start: set a param; may be repeated", NULL },
	[START] = { 0, "start", "CLASS", "check also that this program could start here", NULL },
	[ERRORS] = { 0, "errors", "N", "print at most so many", "20" },
	{ 0 }
};

#define ERRORS_MAX 100000

struct job {
	const struct kb_command *command;
	const char **settings;
	size_t setting_count;
	const char *start;
	size_t limit;                   /* of printed errors, for one operand */
	struct kb_arena arena;
	struct kb_yamba yamba;
	size_t classes, warnings, errors;
};

static _Noreturn void no_memory(struct kb_arena *arena)
{
	kb_die(((struct job *)arena->context)->command, KB_EXIT_USAGE, "out of memory");
}

/* ---- loading --------------------------------------------------------------------------------------------- */

/* What ends in .yamba or has a slash is a file, everything else a class of the library. */
static bool is_file(const char *operand)
{
	size_t length = strlen(operand);

	return strchr(operand, '/') || (length > 6 && strcmp(operand + length - 6, ".yamba") == 0);
}

static bool shipped(const struct kb_yamba *yamba)
{
	const struct kb_source *source = yamba->sources;

	while (source && !source->shipped)
		source = source->next;
	return source != NULL;
}

/* Beside this program, or below PREFIX/share; `yamba/..` is the source folder where yamba is a link into it. */
static void add_library(struct job *job)
{
	static const char *const places[] = { "yamba/lib", "yamba/../bench/yamba", "../share/kbench/yamba/lib",
					      "../share/kbench/yamba/bench" };
	char own[KB_OWN_FOLDER_MAX], folder[PATH_MAX];

	kb_own_folder(own);
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		int result;

		/* Beside a build folder there may be another version that is installed. */
		if (i == 2 && shipped(&job->yamba))
			break;
		snprintf(folder, sizeof folder, "%s/%s", own, places[i]);
		result = kb_yamba_add_folder(&job->yamba, folder);
		if (result)
			kb_die(job->command, KB_EXIT_USAGE, "cannot read %s: %s", folder, strerror(-result));
	}
}

static struct kb_yamba_class *find(const struct job *job, const char *name)
{
	struct kb_yamba_class *class = kb_yamba_find(&job->yamba, (struct kb_span){ name, strlen(name) });

	if (!class)
		kb_usage(job->command, "no class '%.100s' here or in the library", name);
	return class;
}

static void load(struct job *job, const char *operand)
{
	int result = 0;

	job->arena = (struct kb_arena){ .no_memory = no_memory, .context = job };
	kb_yamba_start(&job->yamba, &job->arena);
	if (is_file(operand))
		result = kb_yamba_add_file(&job->yamba, operand);
	if (result == -EFBIG)
		kb_die(job->command, KB_EXIT_USAGE, "%s is no program: it has more than %u KB", operand,
			KB_YAMBA_FILE_MAX >> 10);
	if (result)
		kb_die(job->command, KB_EXIT_USAGE, "cannot read %s: %s", operand, strerror(-result));
	add_library(job);
	kb_yamba_resolve(&job->yamba);
}

/* Prints what was found and counts it. */
static bool finish(struct job *job)
{
	size_t errors;

	kb_diagnostics_sort(&job->yamba.diagnostics);
	errors = kb_diagnostics_errors(&job->yamba.diagnostics);
	fflush(stdout);
	kb_diagnostics_print(stderr, &job->yamba.diagnostics, job->limit);
	job->errors += errors;
	job->warnings += job->yamba.diagnostics.count + job->yamba.diagnostics.dropped - errors;
	return errors == 0;
}

/* ---- check ----------------------------------------------------------------------------------------------- */

static void check_start(struct job *job)
{
	struct kb_yamba_class *class = find(job, job->start);

	kb_yamba_check(&job->yamba, class);
	class = kb_yamba_choose(&job->yamba, class, kb_target_host()->name, "linux");
	if (!class)
		return;
	kb_yamba_check(&job->yamba, class);
	kb_yamba_check_start(&job->yamba, class, job->settings, job->setting_count);
}

/* All classes of a file, or one of the library. */
static void check(struct job *job, const char *operand)
{
	load(job, operand);
	if (is_file(operand)) {
		for (const struct kb_source *source = job->yamba.sources; source; source = source->next) {
			for (struct kb_yamba_class *class = source->classes; class && !source->shipped;
				class = class->next, job->classes++)
				kb_yamba_check(&job->yamba, class);
		}
	} else {
		kb_yamba_check(&job->yamba, find(job, operand));
		job->classes++;
	}
	if (job->start)
		check_start(job);
	finish(job);
	kb_arena_free(&job->arena);
}

/* The last word on standard output, so that nobody takes this for more than it is. */
static int check_all(struct job *job, int argc, char **argv)
{
	for (int i = optind; i < argc; i++)
		check(job, argv[i]);
	printf("checked: %zu class%s, %zu error%s, %zu warning%s; not assembled\n", job->classes,
		job->classes == 1 ? "" : "es", job->errors, job->errors == 1 ? "" : "s", job->warnings,
		job->warnings == 1 ? "" : "s");
	return job->errors ? KB_EXIT_USAGE : KB_EXIT_DONE;
}

/* ---- port ------------------------------------------------------------------------------------------------ */

/* Of a file the first class from which others are derived, else its first one. */
static const struct kb_yamba_class *blueprint(const struct job *job, const char *file)
{
	const struct kb_yamba_class *first = job->yamba.sources ? job->yamba.sources->classes : NULL;

	for (const struct kb_yamba_class *class = first; class; class = class->next) {
		if (class->abstract)
			return class;
	}
	if (!first)
		kb_die(job->command, KB_EXIT_USAGE, "there is no class in %s", file);
	return first;
}

static int port(struct job *job, int argc, char **argv)
{
	const struct kb_yamba_class *class;

	for (int i = optind; i < argc; i++) {
		load(job, argv[i]);
		class = is_file(argv[i]) ? blueprint(job, argv[i]) : find(job, argv[i]);
		kb_yamba_check(&job->yamba, (struct kb_yamba_class *)(uintptr_t)class);
		if (finish(job))
			kb_yamba_port(stdout, &job->yamba, class);
		kb_arena_free(&job->arena);
	}
	return job->errors ? KB_EXIT_USAGE : KB_EXIT_DONE;
}

/* ---- the command ----------------------------------------------------------------------------------------- */

static void read_options(struct job *job, int argc, char **argv)
{
	const char *value;
	int option;

	job->limit = 20;
	job->settings = calloc((size_t)argc, sizeof *job->settings);
	if (!job->settings)
		kb_die(job->command, KB_EXIT_USAGE, "out of memory");
	while ((option = kb_next_option(job->command, argc, argv, &value)) >= 0) {
		if (option == PARAM)
			job->settings[job->setting_count++] = value;
		else if (option == START)
			job->start = value;
		else
			job->limit = kb_value_number(job->command, "errors", value, 1, ERRORS_MAX);
	}
	if (job->setting_count && !job->start)
		kb_usage(job->command, "-p goes with --start CLASS");
}

static int yamba_main(const struct kb_command *command, int argc, char **argv)
{
	static const struct { const char *name; int (*run)(struct job *, int, char **); } verbs[] = {
		{ "check", check_all }, { "port", port },
	};
	struct job job = { .command = command };
	int code = -1;

	read_options(&job, argc, argv);
	if (optind == argc)
		kb_usage(command, "check or port?");
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0] && code < 0; i++) {
		if (strcmp(argv[optind], verbs[i].name) != 0)
			continue;
		if (++optind == argc)
			kb_usage(command, "%s which file or class?", verbs[i].name);
		code = verbs[i].run(&job, argc, argv);
	}
	if (code < 0)
		kb_usage(command, "'%.60s' is neither check nor port", argv[optind]);
	free(job.settings);
	return code;
}

const struct kb_command kb_command_yamba = {
	.name = "yamba",
	.arguments = "check|port FILE-or-CLASS...",
	.summary = "Check benchmarks written in Yamba, and say what a port must supply",
	.text = "What ends in .yamba or has a '/' is a file; else it is a class of the library.\n"
		"\n"
		"verbs:\n"
		"  check     parse and resolve all classes of each file; nothing is assembled and nothing runs\n"
		"  port      print the porting sheet: each member that a port supplies, and how the ports wrote it\n",
	.options = options,
	.examples = "  kbench yamba check mine.yamba\n"
		    "  kbench yamba check mine.yamba --start Y_mine -p num_pages=4K\n"
		    "  kbench yamba port mine.yamba\n",
	.exits = "  0 done, warnings included; 2 usage, an unreadable file, an error in a class, unwritable output\n",
	.main = yamba_main,
};
