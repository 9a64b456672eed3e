/* See commands.h: from what was typed to commands with all that belongs to each. Nothing is executed here. */
#define _GNU_SOURCE
#include "workflow/commands/commands.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "grown.h"

#define WORD_MOST 60            /* bytes of a command's name in the key of its result */
#define VALUE_MOST 24           /* of a parameter's value there */
#define PARAMETERS_MOST 180     /* of all of them there */
#define VALUES_MOST 1000000     /* of a scan: more is a typing error */

/* ---- words ------------------------------------------------------------------------------------------------- */

/* One word off the text into `to`, which has room for all of it. False: a quote is open. */
static bool take_word(const char **text, char **to)
{
	char quote = 0;

	for (; **text && (quote || !isspace((unsigned char)**text)); (*text)++) {
		if (!quote && (**text == '\'' || **text == '"')) {
			quote = **text;
		} else if (quote && **text == quote) {
			quote = 0;
		} else {
			/* Inside double quotes a backslash quotes what would end or escape, nothing else. */
			if (**text == '\\' && (*text)[1] && (!quote || (quote == '"' && strchr("\"\\$`", (*text)[1]))))
				(*text)++;
			*(*to)++ = **text;
		}
	}
	*(*to)++ = '\0';
	return !quote;
}

char **kb_command_words(const char *text, size_t *words)
{
	size_t length = strlen(text), most = length / 2 + 2;
	char **list = malloc(most * sizeof *list + length + 2), *to = (char *)(list + most);

	*words = 0;
	while (list) {
		while (isspace((unsigned char)*text))
			text++;
		if (!*text)
			break;
		list[(*words)++] = to;
		if (!take_word(&text, &to)) {
			free(list);
			*words = 0;
			return NULL;
		}
	}
	if (list)
		list[*words] = NULL;
	return list;
}

/* ---- parameters -------------------------------------------------------------------------------------------- */

struct parameter { const char *name; char **values; size_t count; };

/* What the run owns until it is released. NULL without memory. */
static char *own(struct kb_commands *job, char *text)
{
	if (!text || !KB_GROW(job->owned, job->owned_count)) {
		free(text);
		return NULL;
	}
	return job->owned[job->owned_count++] = text;
}

static int check_name(const char *option, const char *name, struct kb_failure *failure)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	if (length > 0 && !name[length] && length <= WORD_MOST && strcmp(name, "command"))
		return 0;
	return kb_refuse_typed(failure, "--%s '%.40s': the name of a parameter is letters, digits, '_' and '-', and not 'command'", option, name);
}

/* Room for one value more; it is the run's. */
static int add_value(struct kb_commands *job, struct parameter *parameter, char *text, struct kb_failure *failure)
{
	if (!own(job, text) || !KB_GROW(parameter->values, parameter->count))
		return kb_refuse_memory(failure);
	parameter->values[parameter->count++] = text;
	return 0;
}

/* Of a decimal number the digits behind its point, and the number times ten to the power of `digits`: sums of 0.1 are exact then. False: it
   is no such number, or too large. */
static bool read_decimal(const char *text, unsigned *digits, int64_t *scaled, unsigned scale)
{
	const char *at = text + (*text == '-');
	int64_t value = 0;
	unsigned after = 0, seen = 0;
	bool point = false;

	for (; *at; at++) {
		if (*at == '.' && !point) {
			point = true;
			continue;
		}
		if (!isdigit((unsigned char)*at) || value > INT64_MAX / 100)
			return false;
		value = 10 * value + (*at - '0');
		after += point;
		seen++;
	}
	*digits = after;
	for (; after < scale; after++) {
		if (value > INT64_MAX / 100)
			return false;
		value *= 10;
	}
	*scaled = *text == '-' ? -value : value;
	return seen > 0 && after <= 9;
}

static char *decimal_text(int64_t scaled, unsigned digits)
{
	uint64_t unit = 1, size = (uint64_t)(scaled < 0 ? -scaled : scaled);
	char *text;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	if (digits == 0)
		return asprintf(&text, "%s%llu", scaled < 0 ? "-" : "", (unsigned long long)size) < 0 ? NULL : text;
	return asprintf(&text, "%s%llu.%0*llu", scaled < 0 ? "-" : "", (unsigned long long)(size / unit), (int)digits,
			(unsigned long long)(size % unit)) < 0 ? NULL : text;
}

static int read_scan(const struct kb_commands_request *request, struct kb_commands *job, struct parameter *parameter,
		     struct kb_failure *failure)
{
	const char *const texts[] = { request->scan[1], request->scan[2], request->step ?: "1" };
	unsigned digits[3], most = 0;
	int64_t ends[3];

	for (unsigned i = 0; i < 3; i++) {
		if (!read_decimal(texts[i], &digits[i], &ends[i], 0))
			return kb_refuse_typed(failure, "--parameter-%s '%.40s': not a number such as 8 or 0.25", i == 2 ? "step-size" : "scan", texts[i]);
		most = digits[i] > most ? digits[i] : most;
	}
	for (unsigned i = 0; i < 3; i++) {
		if (!read_decimal(texts[i], &digits[i], &ends[i], most))
			return kb_refuse_typed(failure, "--parameter-scan '%.40s': too many digits", texts[i]);
	}
	if (ends[2] <= 0 || ends[0] > ends[1] || (ends[1] - ends[0]) / ends[2] >= VALUES_MOST)
		return kb_refuse_typed(failure, "--parameter-scan %.40s %.40s %.40s: MIN must not exceed MAX, and the step must be above 0",
				       request->scan[0], request->scan[1], request->scan[2]);
	parameter->name = request->scan[0];
	for (int64_t value = ends[0]; value <= ends[1]; value += ends[2]) {
		if (parameter->count >= KB_COMMANDS_MOST)
			return kb_refuse_typed(failure, "--parameter-scan: more than %d values", KB_COMMANDS_MOST);
		if (add_value(job, parameter, decimal_text(value, most), failure))
			return failure->code;
	}
	return check_name("parameter-scan", parameter->name, failure);
}

static int read_list(const char *const *list, struct kb_commands *job, struct parameter *parameter, struct kb_failure *failure)
{
	parameter->name = list[0];
	for (const char *value = list[1], *end; value; value = *end ? end + 1 : NULL) {
		end = value + strcspn(value, ",");
		if (parameter->count >= KB_COMMANDS_MOST)
			return kb_refuse_typed(failure, "--parameter-list: more than %d values", KB_COMMANDS_MOST);
		if (add_value(job, parameter, strndup(value, (size_t)(end - value)), failure))
			return failure->code;
	}
	return check_name("parameter-list", parameter->name, failure);
}

/* The text with "{VAR}" replaced by the values of this combination. NULL without memory. */
static char *fill_in(const char *text, const struct kb_timed_command *command)
{
	char *filled = NULL;
	size_t length;
	FILE *out = open_memstream(&filled, &length);

	while (out && *text) {
		unsigned i = 0;
		size_t named = *text == '{' ? strcspn(text, "}") : 0;

		while (i < command->variable_count &&
		       !(text[named] == '}' && strlen(command->variables[i]) + 1 == named && !strncmp(text + 1, command->variables[i], named - 1)))
			i++;
		if (named > 0 && i < command->variable_count) {
			fputs(command->values[i], out);
			text += named + 1;
		} else {
			fputc(*text++, out);
		}
	}
	if (out && fclose(out) == 0)
		return filled;
	free(filled);
	return NULL;
}

/* ---- names ------------------------------------------------------------------------------------------------- */

/* One word of visible text, at most so many bytes. */
static char *word_of(const char *text, size_t most)
{
	char *word = strndup(text, kb_clipped(text, most));

	if (!word)
		return NULL;
	kb_make_visible(word, '_');
	for (char *at = word; *at; at++)
		*at = isspace((unsigned char)*at) ? '_' : *at;
	if (!*word) {
		free(word);
		word = strdup("empty");
	}
	return word;
}

/* Two commands of one name, as in a comparison of a command with itself, are two results all the same. */
static bool tell_apart(struct kb_commands *job, struct kb_timed_command *command)
{
	char *plain = command->word;
	unsigned number = 1;

	for (size_t i = 0; i < job->count; i++) {
		const struct kb_timed_command *other = &job->commands[i];

		if (other == command || strcmp(other->word, command->word) || strcmp(other->parameters, command->parameters))
			continue;
		if (number > 1)
			free(command->word);
		if (asprintf(&command->word, "%s#%u", plain, ++number) < 0)
			return false;
		i = (size_t)-1;
	}
	if (number > 1)
		free(plain);
	return true;
}

/* Those that do not fit any more are left out, whole: commands are told apart all the same. */
static bool name_parameters(struct kb_timed_command *command)
{
	char names[PARAMETERS_MOST + 1] = "";
	struct kb_text text = kb_text_in(names, sizeof names);
	bool whole = true;

	for (unsigned i = 0; i < command->variable_count && !text.cut && whole; i++) {
		size_t used = text.used;
		char *value = word_of(command->values[i], VALUE_MOST);

		kb_text_str(&text, " ");
		kb_text_str(&text, command->variables[i]);
		kb_text_str(&text, "=");
		kb_text_str(&text, value ?: "");
		if (text.cut)
			names[used] = '\0';
		whole = value != NULL;
		free(value);
	}
	command->parameters = whole ? strdup(names) : NULL;
	return command->parameters;
}

/* ---- commands ---------------------------------------------------------------------------------------------- */

/* Words, and "-c" and a text behind them unless that is NULL, as one allocation. */
static char **copy_words(char *const *words, size_t count, const char *text)
{
	const char *const behind[] = { "-c", text };
	size_t all = count + (text ? 2 : 0), length = text ? strlen(text) + sizeof "-c" + 1 : 0;

	for (size_t i = 0; i < count; i++)
		length += strlen(words[i]) + 1;

	char **argv = malloc((all + 1) * sizeof *argv + length), *to = (char *)(argv + all + 1);

	for (size_t i = 0; argv && i < all; i++) {
		argv[i] = to;
		to = stpcpy(to, i < count ? words[i] : behind[i - count]) + 1;
	}
	if (argv)
		argv[all] = NULL;
	return argv;
}

char **kb_command_arguments(const struct kb_commands_request *request, const char *text)
{
	size_t count;
	char **words = kb_command_words(request->no_shell ? text : request->shell ?: "sh", &count), **argv = NULL;

	if (words && count > 0)
		argv = copy_words(words, count, request->no_shell ? NULL : text);
	free(words);
	return argv;
}

static const char *one_of(const char *const *list, size_t count, size_t index)
{
	return count == 0 ? NULL : list[count == 1 ? 0 : index];
}

static bool fill_hooks(const struct kb_commands_request *request, size_t template, struct kb_timed_command *command)
{
	const char *prepare = one_of(request->prepare, request->prepare_count, template);

	command->prepare = prepare ? fill_in(prepare, command) : NULL;
	command->setup = request->setup ? fill_in(request->setup, command) : NULL;
	command->cleanup = request->cleanup ? fill_in(request->cleanup, command) : NULL;
	return (!prepare || command->prepare) && (!request->setup || command->setup) && (!request->cleanup || command->cleanup);
}

static size_t count_typed(const struct kb_commands_request *request)
{
	size_t typed = request->text_count + (request->reference != NULL);

	for (size_t i = 0; request->vector_words > 0 && i <= request->vector_words; i++)
		typed += i == request->vector_words || !strcmp(request->vectors[i], "--");
	return typed;
}

/* One command more, of the text that was typed at this place, or of words. More names than were typed are those of all combinations. */
static int add_command(const struct kb_commands_request *request, struct kb_commands *job, const char *text, char *const *vector, size_t words,
		       size_t template, const struct kb_timed_command *like, struct kb_failure *failure)
{
	struct kb_timed_command *command = &job->commands[job->count];
	size_t index = request->name_count > count_typed(request) ? job->count : template;
	const char *name = index < request->name_count ? request->names[index] : text;

	if (job->count == KB_COMMANDS_MOST)
		return kb_refuse_typed(failure, "more than %d commands", KB_COMMANDS_MOST);
	*command = *like;
	job->count++;
	command->text = fill_in(text, like);
	command->name = fill_in(name, like);
	if (!command->text || !command->name || !fill_hooks(request, template, command))
		return kb_refuse_memory(failure);
	command->argv = vector ? copy_words(vector, words, NULL) : kb_command_arguments(request, command->text);
	if (!command->argv && !vector)
		return kb_refuse_typed(failure, "'%.60s': %s", command->text, request->no_shell ? "no command, or a quote that is not closed" :
				       "--shell is no command");
	command->word = word_of(command->name, WORD_MOST);
	return command->argv && command->word && name_parameters(command) && tell_apart(job, command) ? 0 : kb_refuse_memory(failure);
}

/* In hyperfine's order: the first parameter varies fastest, and each combination has all commands. */
static int add_texts(const struct kb_commands_request *request, struct kb_commands *job, const struct parameter *parameters, size_t count,
		     struct kb_failure *failure)
{
	size_t at[KB_COMMANDS_MOST] = { 0 }, i;
	int code = 0;

	do {
		struct kb_timed_command like = { .variable_count = (unsigned)count };

		for (i = 0; i < count; i++) {
			like.variables[i] = parameters[i].name;
			like.values[i] = parameters[i].values[at[i]];
		}
		for (i = 0; i < request->text_count && !code; i++)
			code = add_command(request, job, request->texts[i], NULL, 0, i + (request->reference != NULL), &like, failure);
		for (i = 0; i < count && ++at[i] == parameters[i].count; i++)
			at[i] = 0;
	} while (!code && i < count);
	return code;
}

/* Words between two "--". */
static int add_vectors(const struct kb_commands_request *request, struct kb_commands *job, struct kb_failure *failure)
{
	int code = 0;

	for (size_t from = 0, to; from <= request->vector_words && !code; from = to + 1) {
		char *text = NULL;
		size_t length;
		FILE *out = open_memstream(&text, &length);

		for (to = from; to < request->vector_words && strcmp(request->vectors[to], "--"); to++) {
			if (out)
				fprintf(out, "%s%s", to > from ? " " : "", request->vectors[to]);
		}
		if (!out || fclose(out))
			code = kb_refuse_memory(failure);
		else if (to == from)
			code = kb_refuse_typed(failure, "'--' without a command behind it");
		else
			code = add_command(request, job, text, request->vectors + from, to - from, job->count,
					   &(struct kb_timed_command){ .variable_count = 0 }, failure);
		free(text);
	}
	return code;
}

static int read_parameters(const struct kb_commands_request *request, struct kb_commands *job, struct parameter *parameters, size_t *count,
			   struct kb_failure *failure)
{
	if (request->step && !request->scan)
		return kb_refuse_typed(failure, "--parameter-step-size without --parameter-scan");
	if (request->scan && request->list_count)
		return kb_refuse_typed(failure, "--parameter-scan and --parameter-list exclude each other");
	if (request->scan)
		return read_scan(request, job, &parameters[(*count)++], failure);
	if (request->list_count > KB_COMMANDS_MOST)
		return kb_refuse_typed(failure, "more than %d parameters", KB_COMMANDS_MOST);
	for (size_t i = 0; i < request->list_count; i++) {
		if (read_list(&request->lists[2 * i], job, &parameters[(*count)++], failure))
			return failure->code;
		for (size_t k = 0; k < i; k++) {
			if (!strcmp(parameters[k].name, parameters[i].name))
				return kb_refuse_typed(failure, "--parameter-list: '%.40s' stands there twice", parameters[i].name);
		}
	}
	return 0;
}

/* What goes with so many commands, typed and all. */
static int check_counts(const struct kb_commands_request *request, const struct kb_commands *job, struct kb_failure *failure)
{
	size_t typed = count_typed(request);

	if (request->prepare_count > 1 && request->prepare_count != typed)
		return kb_refuse_typed(failure, "--prepare %zu times for %zu commands: once for all, or once for each", request->prepare_count, typed);
	if (request->name_count > typed && request->name_count != job->count)
		return kb_refuse_typed(failure, "--command-name %zu times for %zu commands", request->name_count, job->count);
	return 0;
}

int kb_commands_plan(const struct kb_commands_request *request, struct kb_commands *job, struct kb_failure *failure)
{
	struct parameter parameters[KB_COMMANDS_MOST + 1] = { { .count = 0 } };
	size_t count = 0;
	int code;

	if (request->text_count == 0 && request->vector_words == 0)
		return kb_refuse_typed(failure, "a command is needed, such as 'sleep 0.1'");
	if (request->text_count > 0 && request->vector_words > 0)
		return kb_refuse_typed(failure, "commands before and after '--': those after it are words of commands, and all are, or none");
	if (request->vector_words > 0 && (request->scan || request->list_count))
		return kb_refuse_typed(failure, "parameters are filled into texts of commands, not into the words behind '--'");
	job->commands = calloc(KB_COMMANDS_MOST + 1, sizeof *job->commands);
	if (!job->commands)
		return kb_refuse_memory(failure);
	code = read_parameters(request, job, parameters, &count, failure);
	if (!code && request->reference)
		code = add_command(request, job, request->reference, NULL, 0, 0, &(struct kb_timed_command){ .variable_count = 0 }, failure);
	if (!code)
		code = request->vector_words > 0 ? add_vectors(request, job, failure) : add_texts(request, job, parameters, count, failure);
	for (size_t i = 0; i < count; i++)
		free(parameters[i].values);
	return code ?: check_counts(request, job, failure);
}
