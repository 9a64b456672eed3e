/*
 * The command line: one descriptor a command, from which getopt's table, --help and the list of `kbench --help` come,
 * so that they cannot disagree. Only this layer prints errors and exits.
 */
#ifndef KB_CLI_CLI_H
#define KB_CLI_CLI_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "types.h"
#include "base/record.h"
#include "base/units.h"
#include "report/text/table.h"
#include "store/store.h"
#include "workflow/exit.h"

/* What the value of an option is, and where it goes: the one place that says so, for reading, for bounds and for messages. */
enum kb_option_type {
	KB_OPTION_FLAG,         /* bool: it is there */
	KB_OPTION_WORD,         /* const char *: as typed */
	KB_OPTION_WORDS,        /* struct kb_words: each time one more */
	KB_OPTION_LABEL,        /* const char *: one line of visible text, as lists of runs print it */
	KB_OPTION_TIME,         /* uint64_t: ns, from `least` to a week */
	KB_OPTION_NUMBER,       /* unsigned or uint64_t, from `least` to `most` */
	KB_OPTION_PERCENT,      /* double: "1%", or a fraction below 1 such as "0.01"; 0.001 % to 100 % */
	KB_OPTION_MARGIN,       /* double: the same, or 0 */
	KB_OPTION_CHOICE,       /* int or enum: which of the words of `value`, from `least` */
	KB_OPTION_CHOICE_WORD,  /* const char *: one of them */
	KB_OPTION_READ          /* read() knows */
};

struct kb_words { const char **at; size_t count; };     /* at: owned */

struct kb_option_value {
	enum kb_option_type type;
	size_t place, size;     /* in the structure that kb_read_options fills */
	uint64_t least, most;
	unsigned words;         /* of WORDS, that the option takes each time; 0: one */
	int (*read)(const char *value, void *place, struct kb_failure *);
	const char *group;      /* a heading of --help, for a list that is long; NULL: among the first */
};

#define KB_OPTION(kind, structure, member, ...) \
	{ .type = KB_OPTION_##kind, .place = offsetof(structure, member), .size = sizeof ((structure *)0)->member, __VA_ARGS__ }

#define KB_OPTIONS_MAX 48       /* of one command */

struct kb_option {
	char letter;            /* 0: it has only a long name */
	const char *name;
	const char *value;      /* what --help calls its value; NULL: it takes none */
	const char *summary;
	const char *fallback;   /* the default in words; NULL: off, or none */
	struct kb_option_value into;
};

struct kb_command {
	const char *program;                    /* the user's that is this command; NULL: kbench */
	const char *name;
	const char *arguments;                  /* after the options, for the usage line */
	const char *summary;                    /* one line, for `kbench --help` */
	const char *text;                       /* lines below the usage; NULL: none */
	const struct kb_option *options;        /* up to one without name; --help is added to each */
	const char *examples, *exits;           /* lines, each with its newline */
	int (*main)(const struct kb_command *, int argc, char **argv); /* returns the exit code */
	const struct kb_command *const *verbs;  /* up to NULL: commands with options of their own, named "trace func"; NULL: none */
};

extern const struct kb_command kb_command_run, kb_command_list, kb_command_show, kb_command_runs, kb_command_doctor,
	kb_command_analyze, kb_command_compare, kb_command_ab, kb_command_history, kb_command_export, kb_command_report, kb_command_params,
	kb_command_model, kb_command_yamba, kb_command_trace, kb_command_kernel, kb_command_import, kb_command_layers, kb_command_sel4, kb_command_new,
	kb_command_cmd, kb_command_maintain, kb_command_fleet, kb_command_serve;

/* Reads all options into *structure and returns which there were, as bits by their indices. Before, it holds the defaults; optind then is
   the first operand. Anything wrong ends the program with one line and KB_EXIT_USAGE; --help prints and ends it, too. */
uint64_t kb_read_options(const struct kb_command *command, int argc, char **argv, void *structure);

/* Ends the program likewise where these words, its options and operands, are not right for the command, and keeps nothing of them. */
void kb_check_words(const struct kb_command *, size_t count, char *const *words);

/* The same of one value, without an end of the program. */
int kb_read_option(const struct kb_option *, const char *value, void *structure, struct kb_failure *);

/* "kbench NAME", or the program. Static text, until the next call. */
const char *kb_command_title(const struct kb_command *);

/* Prints "TITLE: message" as one line on standard error, without and with the end of the program. */
void kb_complain(const struct kb_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define kb_die(command, code, ...) (kb_complain(command, __VA_ARGS__), exit(code))

/* The same for what a function refused, whose code is not 0 then; notes are complaints. */
void kb_die_if(const struct kb_command *command, int code, const struct kb_failure *);
struct kb_notes kb_notes_of(const struct kb_command *command);

/* The same without memory. */
_Noreturn void kb_no_memory(const struct kb_command *command);

/* What an allocation returned; NULL ends the program. */
void *kb_need_memory(const struct kb_command *, void *allocated);

/* The same for what was typed wrong; adds where to read how it is right. */
_Noreturn void kb_usage(const struct kb_command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Ends the program if words are left over: this command takes none, or no more. */
void kb_no_more(const struct kb_command *command, int argc, char **argv);

/* Which of the names, up to NULL, was typed. Ends the program as above where it is none of them; typed NULL: nothing was. */
unsigned kb_subcommand(const struct kb_command *, const char *const *names, const char *typed);

/* The command whose name ends with the verb that was typed. Ends the program as above where it is none of them. */
const struct kb_command *kb_find_verb(const struct kb_command *, const char *typed);

/* What has taken the place of a command ("env" of NULL), of a subcommand or of an option ("--runs" of show), without "kbench "; NULL: it
   never was one. */
const char *kb_word_now(const struct kb_command *, const char *typed);

/* Flushes standard output; a write error, also an earlier one, is one line and KB_EXIT_USAGE, else code. */
int kb_finish_output(const struct kb_command *command, int code);

void kb_help(FILE *out, const struct kb_command *command);

/* --label: one line of visible text, as lists of runs print it; `kbench ab` adds a few bytes. */
#define KB_LABEL_MAX 100

/* What a label must be and this one is not; NULL: it may be one. */
const char *kb_label_rule(const char *label);

/* Of a test of method kanata, in operations: a billion take seconds at the least. */
#define KB_TEST_SIZE_MAX 1000000000

/* For kb_option_value.read of --clock: NULL for "auto", else "ns". */
int kb_read_clock_name(const char *value, void *place, struct kb_failure *);

/* ---- output ---------------------------------------------------------------------------------------------- */

/* A text that somebody else wrote or named, for one printf: `printf("%s\n", kb_shown(path).text)`. Visible (base/text.h), and cut. */
struct kb_shown { char text[4096]; };
struct kb_shown kb_shown(const char *text);

/* Several lines of such text: line ends and tabs stay, returns before a line end are left out. */
void kb_print_lines(FILE *out, const char *text, size_t length);

/* Prints JSON and drops the reference. What could not be written, kb_finish_output sees. */
void kb_print_json(json_t *json);

/* A run with its results as kbench-result/2, as `kbench show --json` prints it. */
void kb_print_run(const struct kb_stored_run *, json_t *env, const struct kb_result *const *results, size_t count);

/* {"schema", "started", "seed", "env"} and what is in `rest`, whose reference is taken over: of what was measured without being a run. */
struct kb_workflow;
void kb_print_measured(const char *schema, const struct kb_workflow *, json_t *rest);

/* On standard error, once: what this command prints as time is none here. Nothing where the clock tells time. */
void kb_warn_emulated(const struct kb_command *command);

/* The `clock` line, and where it takes one a `note`, of a record whose ticks are ns of the kernel's clock; cost of a reading, ns. */
void kb_put_kernel_clock(struct kb_record_writer *writer, double cost);

#endif
