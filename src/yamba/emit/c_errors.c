/*
 * What the C compiler says of a translated program, as diagnostics of that program: the places are its own already, by #line; names
 * that the translation made become those that the program has. Understood is what gcc and clang print, a line a message.
 */
#define _GNU_SOURCE
#include "yamba/emit/emit.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- places ------------------------------------------------------------------------------------------------ */

static const char *line_of(const struct kb_yamba_source *source, unsigned long number)
{
	const char *at = source->text, *end = at + source->length;

	while (--number && at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		at = next ? next + 1 : end;
	}
	return at;
}

/* A column past the end of the line is its end. */
static struct kb_place place_of(const struct kb_yamba_source *source, unsigned long line, unsigned long column)
{
	const char *at = line_of(source, line), *end = source->text + source->length;

	while (column > 1 && at < end && *at != '\n') {
		at++;
		column--;
	}
	return (struct kb_place){ source, at };
}

/* "PATH:LINE:COLUMN: " of a file of the program; false for another line. */
static bool find_place(const struct kb_yamba *yamba, const char *line, struct kb_place *place)
{
	for (const struct kb_yamba_source *source = yamba->sources; source; source = source->next) {
		size_t length = strlen(source->path);
		char *end;

		if (strncmp(line, source->path, length) || line[length] != ':')
			continue;
		unsigned long number = strtoul(line + length + 1, &end, 10), column = *end == ':' ? strtoul(end + 1, &end, 10) : 1;

		if (number) {
			*place = place_of(source, number, column);
			return true;
		}
	}
	return false;
}

/* ---- words ------------------------------------------------------------------------------------------------- */

/* y_bits_touch is touch, y_X__touch is X.touch, y_P__B__touch is B.touch. */
static void put_name(FILE *out, const char *name, size_t length)
{
	const char *start = name + 2, *end = name + length, *at;
	const char *parts[2] = { NULL, NULL };

	if (end - start > 5 && !strncmp(start, "bits_", 5))
		start += 5;
	for (at = start; at + 2 < end; at++) {
		if (at[0] == '_' && at[1] == '_') {
			parts[1] = parts[0];
			parts[0] = at;
		}
	}
	if (parts[0]) {
		const char *class = parts[1] ? parts[1] + 2 : start;

		fprintf(out, "%.*s.", (int)(parts[0] - class), class);
		start = parts[0] + 2;
	}
	fwrite(start, 1, (size_t)(end - start), out);
}

/* Quotes of a locale are plain ones; the name of a warning goes. */
static const char *in_own_words(struct kb_yamba *yamba, const char *text, size_t length)
{
	static const char first_use[] = " (first use in this function)", argument[] = "argument ";
	const char *end = text + length, *option = memmem(text, length, " [-W", 4);
	char *words = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&words, &size);

	if (!out)
		abort();
	for (end = option ? option : end; text < end;) {
		size_t name = 0;

		while (text + name < end && (isalnum((unsigned char)text[name]) || text[name] == '_'))
			name++;
		if (kb_span_starts((struct kb_span){ text, (size_t)(end - text) }, first_use)) {
			name = strlen(first_use);
		} else if (kb_span_starts((struct kb_span){ text, (size_t)(end - text) }, argument) && memmem(text, (size_t)(end - text), "y_bits_", 7)) {
			/* The first one is what is composed. */
			unsigned long number = strtoul(text + strlen(argument), (char **)(uintptr_t)&text, 10);

			fprintf(out, "%s%lu", argument, number - (number > 1));
			name = 0;
		} else if (name > 2 && !strncmp(text, "y_", 2)) {
			put_name(out, text, name);
		} else if (end - text >= 3 && !strncmp(text, "\xe2\x80\x98", 3)) {
			fputc('\'', out);
			name = 3;
		} else if (end - text >= 3 && !strncmp(text, "\xe2\x80\x99", 3)) {
			fputc('\'', out);
			name = 3;
		} else {
			name = name ? name : 1;
			fwrite(text, 1, name, out);
		}
		text += name;
	}
	fclose(out);
	const char *kept = kb_arena_string(yamba->arena, (struct kb_span){ words, size });

	free(words);
	return kept;
}

/* What is said by the text of a header of ours, or by the table of the program's functions, in words of the program. */
static const char *cause_of(struct kb_yamba *yamba, const char *text)
{
	const char *from = strstr(text, " from incompatible pointer type ");

	if (strstr(text, "kb_value_"))
		return "an integer or an address is expected here";
	if (from && !strncmp(text, "initialization of ", 18) && strstr(text, "(*)(void)"))
		return kb_arena_format(yamba->arena, "this function is called as one of type %.*s, and has the type %s", (int)(from - text - 18),
			text + 18, from + strlen(" from incompatible pointer type "));
	return text;
}

static const char *remedy_of(const char *text)
{
	static const struct { const char *part, *remedy; } known[] = {
		{ "implicit declaration", "write the function, or include the header that declares it" },
		{ "undeclared function", "write the function, or include the header that declares it" },
		{ "undeclared", "declare it, or correct the name" },
		{ "arguments to function", "write as many as it is declared with; f(n) composes, and f(n)(...) calls what was composed" },
		{ "is called as one of type", "write it as the table of functions in the reference has it" },
		{ "makes ", "f(n) composes, and f(n)(...) calls what was composed; else convert it" },
		{ "incompatible", "f(n) composes, and f(n)(...) calls what was composed; else convert it" },
		{ "Resource temporarily unavailable", "raise the limit of processes (ulimit -u, pids.max), or end others" },
		{ "cannot execute", "install all of the compiler, and set PATH" },
		{ "No such file", "correct the name, or install the package that has it" },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strstr(text, known[i].part))
			return known[i].remedy;
	return "correct the C text here";
}

/* ---- messages ---------------------------------------------------------------------------------------------- */

static bool has(const char *line, size_t length, const char *word, const char **behind)
{
	const char *at = memmem(line, length, word, strlen(word));

	*behind = at ? at + strlen(word) : NULL;
	return at != NULL;
}

/* "expected 'int *' but argument is of type 'int'", whose place is in generated text. */
static const char *expectation(struct kb_yamba *yamba, const char *line, size_t length)
{
	const char *text;

	if (!has(line, length, ": note: expected ", &text))
		return NULL;
	text -= strlen("expected ");
	return in_own_words(yamba, text, (size_t)(line + length - text));
}

size_t kb_yamba_take_c_errors(struct kb_yamba *yamba, struct kb_place otherwise, const char *output, size_t length)
{
	const char *end = output + length, *next, *text, *unplaced = NULL;
	struct kb_diagnostic *last = NULL;
	size_t count = 0;

	for (const char *line = output; line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line)), *more;
		size_t room = (size_t)((stop ? stop : end) - line);
		struct kb_place place;

		next = stop ? stop + 1 : end;
		more = last ? expectation(yamba, line, room) : NULL;
		if (more) {
			last->cause = kb_arena_format(yamba->arena, "%s: %s", last->cause, more);
			last = NULL;
		}
		if (!has(line, room, ": error: ", &text) && !has(line, room, ": fatal error: ", &text))
			continue;
		const char *words = cause_of(yamba, in_own_words(yamba, text, (size_t)(line + room - text)));

		last = NULL;
		if (!find_place(yamba, kb_arena_string(yamba->arena, (struct kb_span){ line, room }), &place)) {
			unplaced = unplaced ? unplaced : words;
			continue;
		}
		last = kb_diagnose(&yamba->diagnostics, 230, place, remedy_of(words), "%s", words);
		count++;
	}
	/* In generated text, most often a consequence of those that have a place. */
	if (!count && unplaced) {
		kb_diagnose(&yamba->diagnostics, 230, otherwise, remedy_of(unplaced), "%s", unplaced);
		count++;
	}
	return count;
}
