/*
 * kbench yamba: programs in Yamba. Each verb has a file of its own; here are the options that they share, and the help.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/yamba/yamba.h"

#define ERRORS_MAX 100000

#define INTO(kind, ...) KB_OPTION(kind, struct kb_yamba_job, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 'p', "param", "NAME=VALUE", "set a param, or yamba.max_code, yamba.align, yamba.offset", NULL, INTO(WORDS, settings) },
	{ 0, "start", "CLASS", "the program of a file; check: it could start here", NULL, INTO(WORD, start) },
	{ 'o', "output", "DIR", "build: where files go; it is made if need be", ".", INTO(WORD, directory) },
	{ 0, "emit-c", NULL, "build: write CLASS.c, to link into a program of one's own", NULL, INTO(FLAG, emit_c) },
	{ 0, "header", NULL, "build: write CLASS.h, which declares its entries", NULL, INTO(FLAG, header) },
	{ 0, "limit", "N", "print at most so many errors", "20", INTO(NUMBER, limit, .least = 1, .most = ERRORS_MAX) },
	{ 0 }
};

static const struct verb { const char *name; int (*run)(struct kb_yamba_job *, int argc, char **argv); } verbs[] = {
	{ "check", kb_yamba_verb_check }, { "build", kb_yamba_verb_build }, { "show", kb_yamba_verb_show },
	{ "port", kb_yamba_verb_port }, { "run", kb_yamba_verb_run },
};

static const struct kb_command *const own[] = { &kb_command_yamba_paper, &kb_command_yamba_table, &kb_command_yamba_pipes, NULL };

static const struct verb *find_verb(const struct kb_command *command, const char *name)
{
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
		if (strcmp(name, verbs[i].name) == 0)
			return &verbs[i];
	kb_usage(command, "'%.60s' is none of check, build, show, port, paper, table, pipes and run", name);
}

/* An option that the verb would not read was meant for another one. */
static void check_options(const struct kb_yamba_job *job, const struct verb *verb)
{
	bool build = verb->run == kb_yamba_verb_build, check = verb->run == kb_yamba_verb_check;

	if ((job->emit_c || job->header || job->directory) && !build)
		kb_usage(job->command, "-o, --emit-c and --header go with build");
	if (job->settings.count && check && !job->start)
		kb_usage(job->command, "-p goes with --start CLASS");
	if (job->settings.count && !check && verb->run != kb_yamba_verb_show)
		kb_usage(job->command, "-p goes with check --start, show and run");
}

static int yamba_main(const struct kb_command *command, int argc, char **argv)
{
	struct kb_yamba_job job = { .command = command, .limit = 20 };
	const struct verb *verb;
	int code;

	for (size_t i = 0; argc > 1 && own[i]; i++)
		if (strcmp(argv[1], strrchr(own[i]->name, ' ') + 1) == 0)
			return own[i]->main(own[i], argc - 1, argv + 1);
	/* The words behind `run FILE` are those of another command. */
	if (argc > 2 && strcmp(argv[1], "run") == 0 && argv[2][0] != '-')
		return kb_yamba_verb_run(&job, argc, argv);
	kb_read_options(command, argc, argv, &job);
	if (optind == argc)
		kb_usage(command, "check, build, show, port, paper, table, pipes or run?");
	verb = find_verb(command, argv[optind++]);
	if (optind == argc)
		kb_usage(command, "%s which file or class?", verb->name);
	if (verb->run == kb_yamba_verb_run)
		kb_usage(command, "write it as 'run FILE-or-CLASS' and then the options of 'kbench run'");
	check_options(&job, verb);
	code = verb->run(&job, argc - optind, argv + optind);
	free(job.settings.at);
	return code;
}

const struct kb_command kb_command_yamba = {
	.name = "yamba",
	.arguments = "check|build|show|port|paper|table|pipes|run FILE-or-CLASS...",
	.summary = "Check, build, show, port and run benchmarks written in Yamba",
	.text = "What ends in .yamba or has a '/' is a file; else it is a class of the library.\n"
		"\n"
		"verbs:\n"
		"  check     parse, resolve and assemble all classes of each file; no code of theirs runs\n"
		"  build     write CLASS.so for 'kbench run --plugin', or C; of a file all programs\n"
		"  show      print fragments with their holes, or what 'CLASS' 'f(5)' composes, and what looks wrong in it\n"
		"  port      print the porting sheet: each member that a port supplies, and how the ports wrote it\n"
		"  paper     measure what the Yamba paper measured, alongside its tables; kbench yamba paper --help\n"
		"  table     measure all forms of instructions; kbench yamba table --help\n"
		"  pipes     infer execution pipes from timing; kbench yamba pipes --help\n"
		"  run       build if need be, then measure: what follows the file or class are words of 'kbench run'\n",
	.options = options,
	.examples = "  kbench yamba check mine.yamba\n"
		    "  kbench yamba check mine.yamba --start Y_mine -p num_pages=4K\n"
		    "  kbench yamba show mine.yamba 'pagefault_func(5)'\n"
		    "  kbench yamba run mine.yamba -p num_pages=400 --budget 10s\n"
		    "  kbench yamba build mine.yamba --emit-c --header -o out\n"
		    "  kbench yamba port mine.yamba\n",
	.exits = "  0 done, warnings included; 2 usage, an unreadable file, an error in a class, unwritable output;\n"
		 "  of run: those of 'kbench run'\n",
	.main = yamba_main,
	.verbs = own,
};
