/* kbench: finds the command and lets it run. */
#include "cli/cli.h"

#include <getopt.h>
#include <locale.h>
#include <string.h>

#include "suite/nearest.h"

/* In the order of a first use, which is the order of `kbench --help`. */
static const struct kb_command *const commands[] = {
	&kb_command_run, &kb_command_list, &kb_command_new, &kb_command_show, &kb_command_compare, &kb_command_ab, &kb_command_cmd,
	&kb_command_history, &kb_command_report, &kb_command_export, &kb_command_import, &kb_command_analyze, &kb_command_params, &kb_command_model,
	&kb_command_layers, &kb_command_yamba, &kb_command_trace, &kb_command_kernel, &kb_command_sel4,
	&kb_command_env, &kb_command_doctor,
};

#define COMMANDS (sizeof commands / sizeof commands[0])

static const struct kb_command *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

/* One line with the likely word: a page of usage would hide the mistake. */
static _Noreturn void unknown(const char *name)
{
	struct kb_nearest nearest = { .typed = name };

	if (name[0] == '-')
		kb_usage(NULL, "unknown option '%.100s'", name);
	for (size_t i = 0; i < COMMANDS; i++)
		kb_nearest_offer(&nearest, commands[i]->name);
	if (nearest.best)
		kb_usage(NULL, "no command '%.100s', did you mean %s?", name, nearest.best);
	kb_usage(NULL, "no command '%.100s'", name);
}

/* On standard output, for it was asked for; an error never prints it. */
static int overview(void)
{
	puts("usage: kbench COMMAND [OPTION...] [ARGUMENT...]\n"
	     "\n"
	     "Tells what a primitive operation costs, and what the number is worth.\n"
	     "\n"
	     "commands:");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-10s%s\n", commands[i]->name, commands[i]->summary);
	puts("  help      print how a command is used\n"
	     "\n"
	     "options:\n"
	     "  -h, --help                  print this\n"
	     "  -V, --version               print the version\n"
	     "\n"
	     "examples:\n"
	     "  kbench run                  measure the standard selection\n"
	     "  kbench run sys 'ipc.*'      two domains\n"
	     "  kbench help run             all about measuring\n"
	     "\n"
	     "exit codes:\n"
	     "  0 done; 1 a regression, with --gate; 2 usage, unreadable input, unwritable output;\n"
	     "  3 unfit environment with --strict; 4 inconclusive, with --gate=strict; 5 a benchmark failed;\n"
	     "  128+n ended by signal n, after saving. Precedence: 2, 128+n, 5, 3, 1, 4");
	return kb_finish_output(NULL, KB_EXIT_DONE);
}

static int help(int argc, char **argv)
{
	if (argc < 2)
		return overview();

	const struct kb_command *command = find(argv[1]);

	if (!command)
		unknown(argv[1]);
	/* `help trace func` is `trace func --help`. */
	if (argc == 3 && command == &kb_command_trace) {
		char *words[] = { argv[1], argv[2], "--help", NULL };

		return command->main(command, 3, words);
	}
	if (argc > 2)
		kb_usage(NULL, "unexpected argument '%.100s'", argv[2]);
	kb_help(stdout, command);
	return kb_finish_output(command, KB_EXIT_DONE);
}

int main(int argc, char **argv)
{
	/* Only the character set: a decimal comma would break every number we print and read. */
	setlocale(LC_CTYPE, "");
	if (argc < 2)
		kb_usage(NULL, "no command");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return overview();
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("kbench " KB_VERSION);
		return kb_finish_output(NULL, KB_EXIT_DONE);
	}
	if (strcmp(argv[1], "help") == 0)
		return help(argc - 1, argv + 1);

	const struct kb_command *command = find(argv[1]);

	if (!command)
		unknown(argv[1]);
	return kb_finish_output(command, command->main(command, argc - 1, argv + 1));
}
