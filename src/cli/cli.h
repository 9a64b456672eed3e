/*
 * The command line: one descriptor a command, from which getopt's table, --help and the list of `kbench --help` come,
 * so that they cannot disagree. Only this layer prints errors and exits.
 */
#ifndef KB_CLI_CLI_H
#define KB_CLI_CLI_H

#include <stdio.h>

#include "types.h"

/* Of these the first that applies wins: usage, signal, failed, unfit, regression, inconclusive, done. */
enum kb_exit {
	KB_EXIT_DONE = 0, KB_EXIT_REGRESSION = 1, KB_EXIT_USAGE = 2, KB_EXIT_UNFIT = 3, KB_EXIT_INCONCLUSIVE = 4,
	KB_EXIT_FAILED = 5, KB_EXIT_SIGNAL = 128
};

struct kb_option {
	char letter;            /* 0: it has only a long name */
	const char *name;
	const char *value;      /* what --help calls its value; NULL: it takes none; "[=X]": it may have one */
	const char *summary;
	const char *fallback;   /* the default in words; NULL: off, or none */
};

struct kb_command {
	const char *name;
	const char *arguments;                  /* after the options, for the usage line */
	const char *summary;                    /* one line, for `kbench --help` */
	const char *text;                       /* lines below the usage; NULL: none */
	const struct kb_option *options;        /* up to one without name; --help is added to each */
	const char *examples, *exits;           /* lines, each with its newline */
	int (*main)(const struct kb_command *, int argc, char **argv); /* returns the exit code */
};

extern const struct kb_command kb_command_run, kb_command_list, kb_command_show, kb_command_env, kb_command_doctor,
	kb_command_analyze, kb_command_compare, kb_command_ab, kb_command_history, kb_command_export, kb_command_params,
	kb_command_model, kb_command_yamba, kb_command_trace, kb_command_kernel, kb_command_import, kb_command_layers, kb_command_sel4;

/* The next option: its index in command->options, its value in *value; -1 after the last, optind then is the first
   operand. Anything wrong ends the program with one line and KB_EXIT_USAGE; --help prints and ends it, too. */
int kb_next_option(const struct kb_command *command, int argc, char **argv, const char **value);

/* Prints "kbench NAME: message" as one line on standard error, without and with the end of the program. */
void kb_complain(const struct kb_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void kb_die(const struct kb_command *command, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same without memory. */
_Noreturn void kb_no_memory(const struct kb_command *command);

/* The same for what was typed wrong; adds where to read how it is right. */
_Noreturn void kb_usage(const struct kb_command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Ends the program if words are left over: this command takes none, or no more. */
void kb_no_more(const struct kb_command *command, int argc, char **argv);

/* Flushes standard output; a write error, also an earlier one, is one line and KB_EXIT_USAGE, else code. */
int kb_finish_output(const struct kb_command *command, int code);

void kb_help(FILE *out, const struct kb_command *command);

#endif
