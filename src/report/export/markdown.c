/*
 * A table of Markdown as GitHub and others show it, for what one pastes into a pull request: the cells of `kbench show`, a line a result.
 * What is not plain text stands as code, with entities for all that could be markup, an end of the cell, a link or somebody's name.
 */
#define _GNU_SOURCE
#include "report/export/export.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/text/table_cells.h"

/* ---- text -------------------------------------------------------------------------------------------- */

/* Characters that mean nothing to a reader of Markdown in the middle of a line, and in a span of code. */
#define PLAIN " .,:;%()/+-"
#define PLAIN_CODE PLAIN "=_*<>[]{}#@!&~$^\"'?"

static bool is_plain(const char *text, const char *signs)
{
	size_t length = strlen(text);

	if (length == 0 || text[0] == ' ' || text[length - 1] == ' ')
		return false;
	for (const char *at = text; *at; at++) {
		if ((unsigned char)*at < 128 && !isalnum((unsigned char)*at) && !strchr(signs, *at))
			return false;
	}
	return kb_is_visible(text);
}

static void put_entities(FILE *out, const char *text)
{
	struct kb_span rest = kb_span_of(text);

	while (rest.length > 0) {
		struct kb_character c = kb_character_at(rest);
		bool ends = rest.at == text || rest.length == c.length;

		if (!c.visible)
			fputc('?', out);
		else if (c.code < 128 && !isalnum((int)c.code) && (c.code != ' ' || ends))
			fprintf(out, "&#%u;", (unsigned)c.code);
		else
			fwrite(rest.at, 1, c.length, out);
		rest.at += c.length;
		rest.length -= c.length;
	}
}

static void put_as_code(FILE *out, const char *text)
{
	if (is_plain(text, PLAIN_CODE)) {
		fprintf(out, "`%s`", text);
		return;
	}
	fputs("<code>", out);
	put_entities(out, text);
	fputs("</code>", out);
}

/* "1. one", "- one": at its begin a line may become an item of a list. An address would become a link. */
static bool is_words(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return is_plain(text, PLAIN) && !strchr(PLAIN, text[0]) && !(digits > 0 && strchr(".)", text[digits])) &&
	       !strstr(text, "://") && !strcasestr(text, "www.");
}

static void put_words(FILE *out, const char *text)
{
	if (text[0] == '\0' || is_words(text))
		fputs(text, out);
	else
		put_as_code(out, text);
}

/* ---- lines ------------------------------------------------------------------------------------------- */

/* A stream into memory that somebody else fills, and its text in the end. */
struct memory { FILE *out; char *text; size_t length; };

static bool open_memory(struct memory *memory)
{
	*memory = (struct memory){ 0 };
	memory->out = open_memstream(&memory->text, &memory->length);
	return memory->out != NULL;
}

/* One line of it, to be freed; NULL without memory. */
static char *close_memory(struct memory *memory)
{
	if (fclose(memory->out)) {
		free(memory->text);
		return NULL;
	}
	memory->text[strcspn(memory->text, "\n")] = '\0';
	return memory->text;
}

static int print_result(FILE *out, const struct kb_table *table, const struct kb_result *result)
{
	enum { NAME, COST, UNIT, QUALITY, OBSERVED, P99, PROCESSES, VERDICT, CAUSES, CELLS };
	char *cells[CELLS] = { 0 }, *text, *rest;
	struct memory memory;

	if (!open_memory(&memory))
		return -ENOMEM;
	kb_cells_print(memory.out, table, result);
	text = rest = close_memory(&memory);
	for (int i = 0; i < CELLS; i++)
		cells[i] = (rest ? strsep(&rest, "\t") : NULL) ?: (char[]){ "" };
	fputs("| ", out);
	put_as_code(out, cells[NAME]);
	fprintf(out, " | %s %s | ", cells[COST], cells[UNIT]);
	/* What moves bytes is told in bytes. */
	put_words(out, strstr(cells[UNIT], "B/s") ? "-" : result->per);
	fprintf(out, " | %s | %s | %s | %s | ", cells[QUALITY], cells[OBSERVED], cells[P99], cells[VERDICT]);
	put_words(out, cells[CAUSES]);
	fputs(" |\n", out);
	free(text);
	return text ? 0 : -ENOMEM;
}

static void print_without_number(FILE *out, const struct kb_table *table, const struct kb_result *result)
{
	char text[KB_CELL_ROOM];

	kb_cells_name(text, table, result);
	fputs("| ", out);
	put_as_code(out, text);
	fputs(" | - | ", out);
	put_words(out, result->per);
	fprintf(out, " | - | - | - | %s | ", kb_status_name(result->verdict.status));
	kb_cells_reason(text, result, table->style);
	put_words(out, text);
	fputs(" |\n", out);
}

static int print_lines(FILE *out, const struct kb_export *all, const struct kb_table *table)
{
	int error = 0;

	fputs("\n| benchmark | cost | per | ±95 % | observed | p99 | verdict | causes |\n|---|--:|---|--:|--:|--:|---|---|\n", out);
	for (unsigned group = 0; group < kb_group_count; group++) {
		for (size_t i = 0; i < table->count && !error; i++) {
			if (kb_group_of(table->results[i]->benchmark) != group)
				continue;
			if (kb_export_no_number(&all->rows[i]))
				print_without_number(out, table, table->results[i]);
			else
				error = print_result(out, table, table->results[i]);
		}
	}
	fputc('\n', out);
	return error;
}

/* ---- document ---------------------------------------------------------------------------------------- */

static int print_paragraph(FILE *out, char *text)
{
	if (text)
		put_words(out, text);
	fputc('\n', out);
	free(text);
	return text ? 0 : -ENOMEM;
}

static int write(FILE *out, const struct kb_export *all)
{
	const struct kb_style style = { .utf8 = true };
	const struct kb_result **results = calloc(all->count + 1, sizeof *results);
	struct kb_heading heading = kb_heading_of(kb_export_run_text(all, "label"), all->env, kb_export_run_text(all, "started"),
						  kb_export_run_text(all, "finished"));
	struct kb_table table = { .results = results, .count = all->count, .style = &style, .contended = NAN };
	struct memory memory;
	int error = results && open_memory(&memory) ? 0 : -ENOMEM;

	for (size_t i = 0; results && i < all->count; i++)
		results[i] = all->rows[i].result;
	if (!error) {
		kb_table_heading(memory.out, &heading, all->count, &style);
		error = print_paragraph(out, close_memory(&memory)) ?: print_lines(out, all, &table);
	}
	if (!error && open_memory(&memory)) {
		kb_table_count(memory.out, results, all->count, &style);
		error = print_paragraph(out, close_memory(&memory));
	}
	free(results);
	return error;
}

const struct kb_export_format kb_export_markdown = {
	.name = "markdown", .end = write,
};
