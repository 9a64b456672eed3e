/* See cli.h: options and help from a command's descriptor. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "grown.h"
#include "lacking.h"
#include "store/store.h"

/* getopt's value of an option: out of the range of letters, so that optopt tells a long option from a short one. */
#define LONG_FIRST 256
#define HELP (LONG_FIRST + KB_OPTIONS_MAX)

const char *kb_command_title(const struct kb_command *command)
{
	static char title[200];

	if (command && command->program)
		snprintf(title, sizeof title, "%.199s", command->program);
	else
		snprintf(title, sizeof title, "kbench%s%s", command ? " " : "", command ? command->name : "");
	return title;
}

void kb_complain(const struct kb_command *command, const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	/* What was typed may hold newlines and worse; an error is one line. */
	kb_make_visible(line, ' ');
	/* Results that were printed before must not appear after it where both go to one terminal. */
	fflush(stdout);
	fprintf(stderr, "%s: %s\n", kb_command_title(command), line);
}

/* Not as one line where the source line and the caret below it are the message. */
void kb_die_if(const struct kb_command *command, int code, const struct kb_failure *failure)
{
	if (!code)
		return;
	if (failure->typed_wrong)
		kb_usage(command, "%s", failure->text);
	if (!failure->lines)
		kb_die(command, failure->code, "%s", failure->text);
	fflush(stdout);
	fprintf(stderr, "%s: ", kb_command_title(command));
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
	kb_die(command, KB_EXIT_USAGE, "%s", kb_lack(ENOMEM));
}

void *kb_need_memory(const struct kb_command *command, void *allocated)
{
	if (!allocated)
		kb_no_memory(command);
	return allocated;
}

void kb_usage(const struct kb_command *command, const char *format, ...)
{
	char problem[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem, sizeof problem, format, arguments);
	va_end(arguments);
	kb_die(command, KB_EXIT_USAGE, "%s (see '%s --help')", problem, kb_command_title(command));
}

void kb_no_more(const struct kb_command *command, int argc, char **argv)
{
	if (optind < argc)
		kb_usage(command, "unexpected argument '%.100s'", argv[optind]);
}

int kb_finish_output(const struct kb_command *command, int code)
{
	/* Without fflush a full disk would show only when the program is already gone. */
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	/* What failed before this flush left no reason behind: one byte more finds it again. */
	if (!errno) {
		clearerr(stdout);
		fputc('\n', stdout);
		fflush(stdout);
	}
	/* A disk that was full meanwhile may have room for that byte. */
	kb_complain(command, "cannot write the output: %s", errno ? strerror(errno) : "a part of it found no room, and what follows would; try again");
	return KB_EXIT_USAGE;
}

/* ---- getopt ---------------------------------------------------------------------------------------- */

/* Options that had other names, which resemble the ones of today too little to be found by that. */
static const struct { const char *name, *now; } renamed[] = {
	{ "half-width", "precision" }, { "into", "output" }, { "errors", "limit" }, { "top", "limit" }, { "seconds", "budget" },
	{ "time", "budget" }, { "limit", "timeout" },
};

/* NULL: the command has no option that once had this name. */
static const char *name_now(const struct kb_command *command, const char *name)
{
	for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++) {
		if (strcmp(renamed[i].name, name) != 0)
			continue;
		for (const struct kb_option *option = command->options; option->name; option++) {
			if (strcmp(option->name, renamed[i].now) == 0)
				return option->name;
		}
	}
	return NULL;
}

/* getopt says what is wrong by '?' or ':' and by optopt: 0 for an unknown long option, else the option's value. Of an unknown one the
   likely one is named; without the dashes, which would make everything look alike. */
static _Noreturn void wrong_option(const struct kb_command *command, const char *typed, int found)
{
	int length = (int)strcspn(typed, "=");
	char word[100];
	struct kb_nearest nearest = { .typed = word };

	if (optopt >= LONG_FIRST)
		kb_usage(command, "option '%.*s' %s", length, typed, found == ':' ? "needs a value" : "takes no value");
	if (optopt && found == ':')
		kb_usage(command, "option '-%c' needs a value", optopt);
	if (optopt)
		kb_usage(command, "unknown option '-%c'", optopt);
	snprintf(word, sizeof word, "%.*s", length, typed);
	nearest.typed += strspn(word, "-");
	if (kb_word_now(command, word))
		kb_usage(command, "unknown option '%s', it is 'kbench %s' now", word, kb_word_now(command, word));
	if (name_now(command, nearest.typed))
		kb_usage(command, "unknown option '%s', it is --%s now", word, name_now(command, nearest.typed));
	for (const struct kb_option *option = command->options; option->name; option++)
		kb_nearest_offer(&nearest, option->name);
	kb_usage(command, "unknown option '%s'%s%s%s", word, nearest.best ? ", did you mean --" : "", nearest.best ?: "", nearest.best ? "?" : "");
}

/* The next option: its index in command->options; -1 after the last. getopt's two tables are made anew for each call: a few dozen bytes,
   and no state that two commands could share. */
static int next_option(const struct kb_command *command, int argc, char **argv, const char **value)
{
	/* The colon tells a missing value apart from an unknown option; one behind a letter says that it takes a value. */
	char letters[2 * KB_OPTIONS_MAX + 4] = ":h", *letter = letters + 2;
	struct option table[KB_OPTIONS_MAX + 2] = { 0 };
	const struct kb_option *options = command->options;
	int count = 0, found, index = 0;

	for (; options[count].name && count < KB_OPTIONS_MAX; count++) {
		const struct kb_option *option = &options[count];

		table[count] = (struct option){ option->name, option->value ? required_argument : no_argument, NULL, LONG_FIRST + count };
		if (option->letter)
			*letter++ = option->letter;
		if (option->letter && option->value)
			*letter++ = ':';
	}
	table[count] = (struct option){ "help", no_argument, NULL, HELP };
	opterr = 0;
	found = getopt_long(argc, argv, letters, table, NULL);
	*value = optarg;
	if (found == -1)
		return -1;
	if (found == 'h' || found == HELP) {
		kb_help(stdout, command);
		exit(kb_finish_output(command, KB_EXIT_DONE));
	}
	if (found == '?' || found == ':')
		wrong_option(command, argv[optind - 1], found);
	while (found < LONG_FIRST && options[index].letter != found)
		index++;
	return found < LONG_FIRST ? index : found - LONG_FIRST;
}

/* Further words of an option with several. For getopt they are operands: stepping over them makes them words of the option. */
static void take_more(const struct kb_command *command, const struct kb_option *option, int argc, char **argv, void *structure)
{
	struct kb_failure failure;

	for (unsigned i = 1; i < option->into.words; i++) {
		if (optind == argc)
			kb_usage(command, "option '--%s' needs %s values: %s", option->name, option->into.words == 2 ? "two" : "three", option->value);
		kb_die_if(command, kb_read_option(option, argv[optind++], structure, &failure), &failure);
	}
}

uint64_t kb_read_options(const struct kb_command *command, int argc, char **argv, void *structure)
{
	struct kb_failure failure;
	const char *value;
	uint64_t given = 0;
	int option;

	while ((option = next_option(command, argc, argv, &value)) >= 0) {
		given |= UINT64_C(1) << option;
		kb_die_if(command, kb_read_option(&command->options[option], value, structure, &failure), &failure);
		take_more(command, &command->options[option], argc, argv, structure);
	}
	return given;
}

/* What is somewhere else may be different there: whether an event can be counted is not asked here. */
static bool is_checked(const struct kb_option *option)
{
	return option->into.type != KB_OPTION_WORDS && strcmp(option->name, "event") != 0;
}

void kb_check_words(const struct kb_command *command, size_t count, char *const *words)
{
	char **argv = kb_need_memory(command, calloc(count + 2, sizeof *argv)), *structure;
	struct kb_failure failure;
	const char *value;
	size_t room = 1;
	int option;

	for (option = 0; command->options[option].name; option++) {
		const struct kb_option_value *into = &command->options[option].into;

		room = into->place + into->size > room ? into->place + into->size : room;
	}
	structure = kb_need_memory(command, calloc(1, room));
	argv[0] = (char *)(uintptr_t)command->name;
	memcpy(argv + 1, words, count * sizeof *argv);
	optind = 0;     /* getopt begins anew */
	while ((option = next_option(command, (int)count + 1, argv, &value)) >= 0) {
		if (is_checked(&command->options[option]))
			kb_die_if(command, kb_read_option(&command->options[option], value, structure, &failure), &failure);
	}
	free(structure);
	free(argv);
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
	width = fprintf(out, "  %s--%s%s%s", letter, option->name, option->value ? " " : "",
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

static bool is_in_group(const struct kb_option *option, const char *group)
{
	return group && option->into.group ? strcmp(option->into.group, group) == 0 : group == option->into.group;
}

static bool is_first_of_group(const struct kb_option *options, const struct kb_option *option)
{
	while (options < option && !is_in_group(options, option->into.group))
		options++;
	return option->into.group && options == option;
}

/* group NULL: those of none, below the heading of all. */
static void help_group(FILE *out, const struct kb_option *options, const char *group)
{
	if (group)
		fprintf(out, "\n%s:\n", group);
	for (; options->name; options++) {
		if (is_in_group(options, group))
			help_option(out, options);
	}
}

void kb_help(FILE *out, const struct kb_command *command)
{
	static const struct kb_option help = { 'h', "help", NULL, "print this", NULL, { .type = KB_OPTION_FLAG } };

	fprintf(out, "usage: %s [OPTION...]%s%s\n\n%s.\n", kb_command_title(command), command->arguments[0] ? " " : "",
		command->arguments, command->summary);
	if (command->text)
		fprintf(out, "%s", command->text);
	fputs("\noptions:\n", out);
	help_group(out, command->options, NULL);
	help_option(out, &help);
	for (const struct kb_option *option = command->options; option->name; option++) {
		if (is_first_of_group(command->options, option))
			help_group(out, command->options, option->into.group);
	}
	fprintf(out, "\nexamples:\n%s\nexit codes:\n%s", command->examples, command->exits);
}

unsigned kb_subcommand(const struct kb_command *command, const char *const *names, const char *typed)
{
	struct kb_nearest nearest = { .typed = typed ? typed : "" };
	char all[200];
	size_t used = 0;

	for (unsigned i = 0; names[i]; i++) {
		if (typed && strcmp(names[i], typed) == 0)
			return i;
		used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : ", ", names[i]);
		kb_nearest_offer(&nearest, names[i]);
	}
	if (!typed)
		kb_usage(command, "missing subcommand (%s)", all);
	if (kb_word_now(command, typed))
		kb_usage(command, "no subcommand '%.60s', it is 'kbench %s' now", typed, kb_word_now(command, typed));
	if (nearest.best)
		kb_usage(command, "no subcommand '%.60s', did you mean %s?", typed, nearest.best);
	kb_usage(command, "no subcommand '%.60s' (%s)", typed, all);
}

/* ---- values ---------------------------------------------------------------------------------------- */

/* A limit of less than `least` would end before the first process; more than a week is a typing error. */
static int read_time(const char *option, const char *value, uint64_t least, uint64_t *ns, struct kb_failure *failure)
{
	if (!kb_parse_duration(value, ns))
		return kb_refuse_typed(failure, "--%s '%.40s': not a time such as 60s, 500ms or 2m", option, value);
	if (*ns < least || *ns > 7 * 24 * 3600 * KB_S)
		return kb_refuse_typed(failure, "--%s '%.40s': must be between %llums and a week", option, value,
				       (unsigned long long)(least / KB_MS));
	return 0;
}

/* Decimal only, and the whole word: "5x" and "0x10" are no numbers here. */
static int read_number(const char *option, const char *value, uint64_t least, uint64_t most, uint64_t *number, struct kb_failure *failure)
{
	if (kb_span_u64((struct kb_span){ value, strlen(value) }, number) && *number >= least && *number <= most)
		return 0;
	return kb_refuse_typed(failure, "--%s '%.40s': must be a number from %llu to %llu", option, value, (unsigned long long)least,
			       (unsigned long long)most);
}

/* A bare 1 is as likely to mean 1 % as all of it, and 100 % accepts everything: the sign must say which. */
static int read_percent(const char *option, const char *value, double *fraction, struct kb_failure *failure)
{
	char *end;

	*fraction = strtod(value, &end);
	if (end != value && *end == '\0' && *fraction >= 1 && *fraction <= 100)
		return kb_refuse_typed(failure, "--%s '%.40s': %.40s%% or a fraction below 1? type the %%", option, value, value);
	if (end != value && strcmp(end, "%") == 0)
		*fraction /= 100;
	else if (end == value || *end)
		*fraction = 0;
	/* Written this way round, it refuses NaN, too. */
	if (!(*fraction >= 1e-5 && *fraction <= 1))
		return kb_refuse_typed(failure, "--%s '%.40s': must be between 0.001%% and 100%%", option, value);
	return 0;
}

static int read_margin(const char *option, const char *value, double *fraction, struct kb_failure *failure)
{
	*fraction = 0;
	return strcmp(value, "0%") == 0 ? 0 : read_percent(option, value, fraction, failure);
}

const char *kb_label_rule(const char *label)
{
	if (strlen(label) > KB_LABEL_MAX || !kb_is_visible(label))
		return "at most 100 bytes of text in UTF-8, without line ends or other control characters";
	return kb_store_counts_back(label, &(uint64_t){ 0 }) ? "another word than 'last' and 'last~N', which name the newest runs" : NULL;
}

static int read_label(const char *value, const char **label, struct kb_failure *failure)
{
	const char *rule = kb_label_rule(value);

	*label = value;
	return rule ? kb_refuse_typed(failure, "--label: must be %s", rule) : 0;
}

/* Which of "a|b|c"; else the failure names them: "a, b or c". */
static int read_choice(const struct kb_option *option, const char *value, int *index, struct kb_failure *failure)
{
	char words[200];
	struct kb_text text = kb_text_in(words, sizeof words);

	*index = 0;
	for (const char *word = option->value, *end; word; word = *end ? end + 1 : NULL, ++*index) {
		end = word + strcspn(word, "|");
		if (strlen(value) == (size_t)(end - word) && strncmp(value, word, (size_t)(end - word)) == 0)
			return 0;
		kb_text_str(&text, *index == 0 ? "" : *end ? ", " : " or ");
		kb_text_bytes(&text, word, (size_t)(end - word));
	}
	return kb_refuse_typed(failure, "--%s '%.40s': must be %s", option->name, value, words);
}

static int add_word(const char *value, struct kb_words *words, struct kb_failure *failure)
{
	if (!KB_GROW(words->at, words->count))
		return kb_refuse_memory(failure);
	words->at[words->count++] = value;
	return 0;
}

int kb_read_option(const struct kb_option *option, const char *value, void *structure, struct kb_failure *failure)
{
	const struct kb_option_value *into = &option->into;
	void *place = (char *)structure + into->place;
	uint64_t number;
	int index, code;

	switch (into->type) {
	case KB_OPTION_FLAG: *(bool *)place = true; return 0;
	case KB_OPTION_WORD: *(const char **)place = value; return 0;
	case KB_OPTION_WORDS: return add_word(value, place, failure);
	case KB_OPTION_LABEL: return read_label(value, place, failure);
	case KB_OPTION_TIME: return read_time(option->name, value, into->least, place, failure);
	case KB_OPTION_PERCENT: return read_percent(option->name, value, place, failure);
	case KB_OPTION_MARGIN: return read_margin(option->name, value, place, failure);
	case KB_OPTION_READ: return into->read(value, place, failure);
	case KB_OPTION_NUMBER:
		code = read_number(option->name, value, into->least, into->most, &number, failure);
		if (into->size == sizeof number)
			*(uint64_t *)place = number;
		else
			*(unsigned *)place = (unsigned)number;
		return code;
	case KB_OPTION_CHOICE:
		code = read_choice(option, value, &index, failure);
		*(int *)place = index + (int)into->least;
		return code;
	case KB_OPTION_CHOICE_WORD:
		*(const char **)place = value;
		return read_choice(option, value, &index, failure);
	}
	return 0;
}

int kb_read_clock_name(const char *value, void *place, struct kb_failure *failure)
{
	static const struct kb_option clock = { .name = "clock", .value = "auto|ns" };
	int index, code = read_choice(&clock, value, &index, failure);

	*(const char **)place = index == 1 ? "ns" : NULL;
	return code;
}
