/* See cli.h: options and help from a command's descriptor. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/print.h"
#include "suite/nearest.h"

/* getopt's value of an option: out of the range of letters, so that optopt tells a long option from a short one. */
#define LONG_FIRST 256
#define HELP (LONG_FIRST + KB_OPTIONS_MAX)

static void complain(const struct kb_command *command, const char *format, va_list arguments)
{
	char line[512];

	vsnprintf(line, sizeof line, format, arguments);
	/* What was typed may hold newlines and worse; an error is one line. */
	kb_make_visible(line, ' ');
	/* Results that were printed before must not appear after it where both go to one terminal. */
	fflush(stdout);
	fprintf(stderr, "kbench%s%s: %s\n", command ? " " : "", command ? command->name : "", line);
}

void kb_complain(const struct kb_command *command, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complain(command, format, arguments);
	va_end(arguments);
}

void kb_die(const struct kb_command *command, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complain(command, format, arguments);
	va_end(arguments);
	exit(code);
}

/* Not as one line where the source line and the caret below it are the message. */
void kb_die_of(const struct kb_command *command, const struct kb_failure *failure)
{
	if (failure->typed_wrong)
		kb_usage(command, "%s", failure->text);
	if (!failure->lines)
		kb_die(command, failure->code, "%s", failure->text);
	fflush(stdout);
	fprintf(stderr, "kbench %s: ", command->name);
	kb_print_lines(stderr, failure->text, strlen(failure->text));
	fputc('\n', stderr);
	exit(failure->code);
}

static void complain_line(void *context, const char *text)
{
	kb_complain(context, "%s", text);
}

struct kb_notes kb_notes_of(const struct kb_command *command)
{
	return (struct kb_notes){ complain_line, (void *)(uintptr_t)command };
}

void kb_no_memory(const struct kb_command *command)
{
	kb_die(command, KB_EXIT_USAGE, "out of memory");
}

void kb_usage(const struct kb_command *command, const char *format, ...)
{
	char problem[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem, sizeof problem, format, arguments);
	va_end(arguments);
	kb_die(command, KB_EXIT_USAGE, "%s (see 'kbench %s%s--help')", problem, command ? command->name : "",
	       command ? " " : "");
}

void kb_no_more(const struct kb_command *command, int argc, char **argv)
{
	if (optind < argc)
		kb_usage(command, "'%.100s' is one word too many", argv[optind]);
}

int kb_finish_output(const struct kb_command *command, int code)
{
	/* Without fflush a full disk would show only when the program is already gone. */
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	/* What failed before this flush left no reason behind. */
	kb_complain(command, "cannot write the output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
	return KB_EXIT_USAGE;
}

/* ---- getopt ---------------------------------------------------------------------------------------- */

struct tables {
	char letters[2 * KB_OPTIONS_MAX + 4];
	struct option options[KB_OPTIONS_MAX + 2];
};

/* getopt's string: a colon behind a letter says that it takes a value. */
static void add_letter(char **at, const struct kb_option *option)
{
	if (!option->letter)
		return;
	*(*at)++ = option->letter;
	if (option->value)
		*(*at)++ = ':';
}

/* getopt's two tables, made anew for each call: a few dozen bytes, and no state that two commands could share. */
static void fill(struct tables *tables, const struct kb_option *options)
{
	char *letters = tables->letters;
	int i = 0;

	memset(tables, 0, sizeof *tables);
	*letters++ = ':';       /* a missing value is told apart from an unknown option */
	*letters++ = 'h';
	for (; options[i].name && i < KB_OPTIONS_MAX; i++) {
		const char *value = options[i].value;
		int has_value = !value ? no_argument : value[0] == '[' ? optional_argument : required_argument;

		tables->options[i] = (struct option){ options[i].name, has_value, NULL, LONG_FIRST + i };
		add_letter(&letters, &options[i]);
	}
	tables->options[i] = (struct option){ "help", no_argument, NULL, HELP };
}

/* Back from getopt's value to the table. */
static int index_of(const struct kb_option *options, int found)
{
	if (found >= LONG_FIRST)
		return found - LONG_FIRST;
	for (int i = 0; options[i].name; i++) {
		if (options[i].letter == found)
			return i;
	}
	return -1;
}

/* The likely one, as main.c does it for commands. The dashes are left out: they would make everything look alike. */
static _Noreturn void unknown_option(const struct kb_command *command, const char *typed, int length)
{
	char word[100];
	struct kb_nearest nearest = { .typed = word };

	snprintf(word, sizeof word, "%.*s", length, typed);
	nearest.typed += strspn(word, "-");
	for (const struct kb_option *option = command->options; option->name; option++)
		kb_nearest_offer(&nearest, option->name);
	if (nearest.best)
		kb_usage(command, "unknown option '%s', did you mean --%s?", word, nearest.best);
	kb_usage(command, "unknown option '%s'", word);
}

/* getopt says what is wrong by '?' or ':' and by optopt: 0 for an unknown long option, else the option's value. */
static _Noreturn void wrong_option(const struct kb_command *command, char **argv, int found)
{
	const char *typed = argv[optind - 1];
	int length = (int)strcspn(typed, "=");

	if (optopt >= LONG_FIRST && found == ':')
		kb_usage(command, "option '%.*s' needs a value", length, typed);
	if (optopt >= LONG_FIRST)
		kb_usage(command, "option '%.*s' takes no value", length, typed);
	if (optopt && found == ':')
		kb_usage(command, "option '-%c' needs a value", optopt);
	if (optopt)
		kb_usage(command, "unknown option '-%c'", optopt);
	unknown_option(command, typed, length);
}

int kb_next_option(const struct kb_command *command, int argc, char **argv, const char **value)
{
	struct tables tables;

	fill(&tables, command->options);
	opterr = 0;

	int found = getopt_long(argc, argv, tables.letters, tables.options, NULL);

	*value = optarg;
	if (found == -1)
		return -1;
	if (found == 'h' || found == HELP) {
		kb_help(stdout, command);
		exit(kb_finish_output(command, KB_EXIT_DONE));
	}
	if (found == '?' || found == ':')
		wrong_option(command, argv, found);
	return index_of(command->options, found);
}

uint64_t kb_read_options(const struct kb_command *command, int argc, char **argv, void *structure)
{
	struct kb_failure failure;
	const char *value;
	uint64_t given = 0;
	int option;

	while ((option = kb_next_option(command, argc, argv, &value)) >= 0) {
		given |= UINT64_C(1) << option;
		if (kb_read_option(&command->options[option], value, structure, &failure))
			kb_die_of(command, &failure);
	}
	return given;
}

/* ---- help ------------------------------------------------------------------------------------------ */

#define HELP_COLUMN 30

/* Texts start in one column, so that the list can be skimmed. */
static void help_option(FILE *out, const struct kb_option *option)
{
	char letter[8] = "    ";
	int width;

	if (option->letter)
		snprintf(letter, sizeof letter, "-%c, ", option->letter);
	width = fprintf(out, "  %s--%s%s%s", letter, option->name, option->value && option->value[0] != '[' ? " " : "",
			option->value ? option->value : "");
	/* A long one gets its text on the next line. */
	if (width + 2 > HELP_COLUMN) {
		fputc('\n', out);
		width = 0;
	}
	fprintf(out, "%*s%s", HELP_COLUMN - width, "", option->summary);
	if (option->fallback)
		fprintf(out, " (default %s)", option->fallback);
	fputc('\n', out);
}

void kb_help(FILE *out, const struct kb_command *command)
{
	static const struct kb_option help = { 'h', "help", NULL, "print this", NULL, KB_BY_HAND };

	fprintf(out, "usage: kbench %s [OPTION...]%s%s\n\n%s.\n", command->name, command->arguments[0] ? " " : "",
		command->arguments, command->summary);
	if (command->text)
		fprintf(out, "%s", command->text);
	fputs("\noptions:\n", out);
	for (const struct kb_option *option = command->options; option->name; option++)
		help_option(out, option);
	help_option(out, &help);
	fprintf(out, "\nexamples:\n%s\nexit codes:\n%s", command->examples, command->exits);
}
