/* Text of C with its places: #line lets the compiler and the debugger point into the .yamba file. */
#define _GNU_SOURCE
#include "yamba/emit/inside.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- plain --------------------------------------------------------------------------------------------- */

void kb_put(struct kb_emit *e, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		e->line += bytes[i] == '\n';
	fwrite(bytes, 1, count, e->out);
}

void kb_print(struct kb_emit *e, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		abort();
	kb_put(e, text, (size_t)length);
	free(text);
}

/* Octal, for behind a hexadecimal escape a digit would be taken as its part. */
void kb_put_string(struct kb_emit *e, struct kb_span text)
{
	kb_put(e, "\"", 1);
	for (size_t i = 0; i < text.length; i++) {
		unsigned char c = (unsigned char)text.at[i];

		if (c == '"' || c == '\\')
			kb_print(e, "\\%c", c);
		else if (c < ' ' || c == 0x7f || c == '?')
			kb_print(e, "\\%03o", c);
		else
			kb_put(e, text.at + i, 1);
	}
	kb_put(e, "\"", 1);
}

void kb_put_text(struct kb_emit *e, const char *text)
{
	kb_put_string(e, (struct kb_span){ text, strlen(text) });
}

/* ---- places -------------------------------------------------------------------------------------------- */

const char *kb_emit_path(const struct kb_emit *e, const struct kb_yamba_source *source)
{
	if (!e->options->prefix || source->path[0] == '/')
		return source->path;
	return kb_arena_format(e->yamba->arena, "%s%s", e->options->prefix, source->path);
}

/* Counts on from the last place, not from the start of the file: that would take its square in time. */
unsigned kb_emit_line(struct kb_emit *e, struct kb_place place)
{
	if (e->last.source != place.source || e->last.at > place.at) {
		e->last = (struct kb_place){ place.source, place.source->text };
		e->last_line = 1;
	}
	for (; e->last.at < place.at; e->last.at++)
		e->last_line += *e->last.at == '\n';
	return e->last_line;
}

static void line_directive(struct kb_emit *e, unsigned line, const char *path)
{
	kb_print(e, "#line %u ", line);
	kb_put_text(e, path);
	kb_put(e, "\n", 1);
}

/* Blanks for what stands on the line before, with its tabs. */
static void indent(struct kb_emit *e, const char *at, size_t less)
{
	const char *start = at;

	while (start > e->source->text && start[-1] != '\n')
		start--;
	for (; start < at; start++) {
		if (*start != '\t' && (size_t)(at - start) <= less)
			continue;
		kb_put(e, *start == '\t' ? "\t" : " ", 1);
	}
}

void kb_emit_at(struct kb_emit *e, const char *at, const char *before)
{
	struct kb_place place = { e->source, at };

	line_directive(e, kb_emit_line(e, place), kb_emit_path(e, place.source));
	indent(e, at, strlen(before));
	kb_put(e, before, strlen(before));
	e->away = true;
}

void kb_emit_back(struct kb_emit *e)
{
	if (e->away)
		line_directive(e, e->line + 1, e->file);
	e->away = false;
}

/* ---- C text -------------------------------------------------------------------------------------------- */

struct rewriting { struct kb_emit *e; const char *copied; FILE *out; };

static void found_word(void *context, const struct kb_c_word *word)
{
	struct rewriting *rewriting = context;
	const char *name = kb_emit_renamed(rewriting->e, word);

	if (!name)
		return;
	fwrite(rewriting->copied, 1, (size_t)(word->name.at - rewriting->copied), rewriting->out);
	fputs(name, rewriting->out);
	rewriting->copied = word->end;
}

/* In the arena. */
static struct kb_span rewritten(struct kb_emit *e, struct kb_span text)
{
	struct rewriting rewriting = { .e = e, .copied = text.at };
	struct kb_span result;
	char *bytes = NULL;
	size_t length = 0;

	rewriting.out = open_memstream(&bytes, &length);
	if (!rewriting.out)
		abort();
	kb_c_names(e->yamba, e->owner, e->scope, text, found_word, &rewriting);
	if (text.length)
		fwrite(rewriting.copied, 1, (size_t)(text.at + text.length - rewriting.copied), rewriting.out);
	fclose(rewriting.out);
	result = (struct kb_span){ kb_arena_string(e->yamba->arena, (struct kb_span){ bytes, length }), length };
	free(bytes);
	return result;
}

void kb_emit_c(struct kb_emit *e, struct kb_span text)
{
	struct kb_span result = rewritten(e, text);

	kb_put(e, result.at, result.length);
	if (memmem(result.at, result.length, "//", 2))
		kb_put(e, "\n", 1);
}

void kb_emit_c_at(struct kb_emit *e, const char *before, struct kb_span text)
{
	kb_emit_at(e, text.at, before);
	kb_emit_c(e, text);
}

void kb_emit_tokens(struct kb_emit *e, struct kb_span text, const char *without)
{
	struct kb_span result = rewritten(e, text);
	struct kb_yamba_source source = { .path = "", .text = result.at, .length = result.length };
	struct kb_lexer lexer;
	const char *end = NULL; /* of the token before: what was written without a blank, as "...", stays so */

	kb_lexer_start(&lexer, &source, NULL, result);
	lexer.skip_hash = true;
	for (; lexer.token.kind != KB_TOKEN_END; kb_lexer_next(&lexer)) {
		if (kb_token_in(&lexer.token, without))
			continue;
		if (end && end != lexer.token.text.at)
			kb_put(e, " ", 1);
		kb_put(e, lexer.token.text.at, lexer.token.text.length);
		end = lexer.token.text.at + lexer.token.text.length;
	}
}
