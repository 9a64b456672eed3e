/* kbench: finds the command and lets it run. */
#include "cli/complete.h"

#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "io.h"
#include "lacking.h"

/* In the order of a first use, which is the order of `kbench --help`; with group NULL one stands below the heading before it. */
static const struct { const char *group; const struct kb_command *command; } commands[] = {
	{ "measure", &kb_command_run }, { NULL, &kb_command_list }, { NULL, &kb_command_ab }, { NULL, &kb_command_cmd }, { NULL, &kb_command_fleet },
	{ NULL, &kb_command_serve }, { NULL, &kb_command_new },
	{ "look", &kb_command_show }, { NULL, &kb_command_compare }, { NULL, &kb_command_history }, { NULL, &kb_command_report }, { NULL, &kb_command_analyze },
	{ "exchange", &kb_command_export }, { NULL, &kb_command_import },
	{ "explain", &kb_command_params }, { NULL, &kb_command_model }, { NULL, &kb_command_layers }, { NULL, &kb_command_trace },
	{ "targets", &kb_command_yamba }, { NULL, &kb_command_kernel }, { NULL, &kb_command_sel4 },
	{ "house-keeping", &kb_command_runs }, { NULL, &kb_command_doctor }, { NULL, &kb_command_maintain },
};

/* Tables of results, and one process that is read, stand on the stack. */
#define STACK_KB 200

#define COMMANDS (sizeof commands / sizeof commands[0])

const struct kb_command *kb_command_at(unsigned index)
{
	return index < COMMANDS ? commands[index].command : NULL;
}

const struct kb_command *kb_command_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i].command->name, name) == 0)
			return commands[i].command;
	}
	return NULL;
}

/* One line with the likely word: a page of usage would hide the mistake. */
static _Noreturn void unknown(const char *name)
{
	struct kb_nearest nearest = { .typed = name };

	if (name[0] == '-')
		kb_usage(NULL, "unknown option '%.100s'", name);
	if (kb_word_now(NULL, name))
		kb_usage(NULL, "no command '%.100s', it is 'kbench %s' now", name, kb_word_now(NULL, name));
	for (size_t i = 0; i < COMMANDS; i++)
		kb_nearest_offer(&nearest, commands[i].command->name);
	if (nearest.best)
		kb_usage(NULL, "no command '%.100s', did you mean %s?", name, nearest.best);
	kb_usage(NULL, "no command '%.100s'", name);
}

/* On standard output, also where no command was typed: it is no error message. */
static int overview(int code)
{
	puts("usage: kbench COMMAND [OPTION...] [ARGUMENT...]\n"
	     "\n"
	     "Tells what a primitive operation costs, and what the number is worth.");
	for (size_t i = 0; i < COMMANDS; i++) {
		if (commands[i].group)
			printf("\n%s:\n", commands[i].group);
		printf("  %-10s%s\n", commands[i].command->name, commands[i].command->summary);
	}
	puts("  help      print how a command is used\n"
	     "\n"
	     "options:\n"
	     "  -h, --help                  print this\n"
	     "  -V, --version               print the version\n"
	     "\n"
	     "examples:\n"
	     "  kbench run                  measure the standard selection\n"
	     "  kbench run sys 'ipc.*'      two domains\n"
	     "  kbench show sys.null        what stands behind a result\n"
	     "  kbench compare              the last run against the one before it\n"
	     "  kbench help run             all about measuring\n"
	     "\n"
	     "exit codes:\n"
	     "  0 done; 1 a regression, with --gate; 2 usage, unreadable input, unwritable output;\n"
	     "  3 unfit environment with --strict; 4 not settled, with --gate; 5 a benchmark failed;\n"
	     "  128+n ended by signal n, after saving. Precedence: 2, 128+n, 5, 3, 1, 4");
	return kb_finish_output(NULL, code);
}

static int help(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "help") == 0)
		return overview(KB_EXIT_DONE);

	const struct kb_command *command = kb_command_find(argv[1]);

	if (!command)
		unknown(argv[1]);
	/* `help trace func` is `trace func --help`. */
	if (argc == 3 && command->verbs) {
		char *words[] = { argv[1], argv[2], "--help", NULL };

		return command->main(command, 3, words);
	}
	if (argc > 2)
		kb_usage(NULL, "unexpected argument '%.100s'", argv[2]);
	kb_help(stdout, command);
	return kb_finish_output(command, KB_EXIT_DONE);
}

/* SQLite maps the index of a store's log, FILE-shm, and gives each of its pages one byte. Where blocks of the disk are smaller than pages, as on
   an ext4 of 200 MB, the rest of the page may find no room later: the system has no other answer to an access than this signal. */
static void tell_of_mapping(int number, siginfo_t *info, void *context)
{
	static const char text[] = "kbench: a file that is mapped into memory, such as the store's FILE-shm, cannot be used: the disk is full, or it was cut off; "
				   "free some space and try again\n";

	(void)context;
	if (info->si_code != BUS_ADRERR) {
		signal(number, SIG_DFL);
		raise(number); /* delivered when this handler returns */
		return;
	}
	kb_write_all(STDERR_FILENO, text, sizeof text - 1);
	_exit(KB_EXIT_USAGE);
}

static void catch_mapping(void)
{
	struct sigaction action = { .sa_sigaction = tell_of_mapping, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &action, NULL);
}

int main(int argc, char **argv)
{
	catch_mapping();
	kb_ignore_file_limit();
	/* Only the character set: a decimal comma would break every number we print and read. */
	setlocale(LC_CTYPE, "");
	/* As git does: help, and no success, for nothing was done. */
	if (argc < 2)
		return overview(KB_EXIT_USAGE);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return overview(KB_EXIT_DONE);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("kbench " KB_VERSION);
		return kb_finish_output(NULL, KB_EXIT_DONE);
	}
	if (strcmp(argv[1], "help") == 0)
		return help(argc - 1, argv + 1);
	if (strcmp(argv[1], "--complete") == 0)
		return kb_complete(argc - 2, argv + 2);

	const struct kb_command *command = kb_command_find(argv[1]);
	const char *lacking = kb_stack_lack(STACK_KB);

	if (!command)
		unknown(argv[1]);
	if (lacking)
		kb_die(command, KB_EXIT_USAGE, "%s", lacking);
	return kb_finish_output(command, command->main(command, argc - 1, argv + 1));
}
