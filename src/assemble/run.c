/* One run of GNU as, and its messages in the words of the program: places of the .yamba file, expressions for symbols. */
#define _GNU_SOURCE
#include "assemble/inside.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assemble/command.h"

#define LIMIT_MS 10000  /* some thousand times what a large program takes; a macro of the program may loop for ever */

static int write_file(const char *path, const struct kb_assemble_text *text)
{
	FILE *file = fopen(path, "we");
	size_t written;

	if (!file)
		return -errno;
	written = fwrite(text->at, 1, text->used, file);
	return fclose(file) == 0 && written == text->used ? 0 : -EIO;
}

/* Replaces generated symbols by what the program wrote. */
static void put_symbols(const struct kb_assembling *work, const char *from, struct kb_assemble_text *out)
{
	size_t length = strlen(work->prefix);

	while (*from) {
		unsigned block, index;
		char kind;

		if (strncmp(from, work->prefix, length) || !kb_assemble_symbol(work, from, &block, &kind, &index)) {
			from = kb_assemble_private(work, from);
			kb_assemble_put(out, from++, 1);
			continue;
		}
		const struct kb_assemble_source *source = &work->sources[block];

		if (kind == 'h' && index < source->use_count) {
			const struct kb_assemble_value *value =
				&work->assembly->blocks[block].values[source->uses[index].value];

			kb_assemble_print(out, "$(%.*s)", (int)value->length, value->at);
		} else if (index < source->mark_count) {
			kb_assemble_print(out, "@%s", source->marks[index].name);
		}
		for (from += length; isalnum((unsigned char)*from); from++)
			;
	}
}

/* What the assembler quotes, "no such instruction: `bogus rax'", where the line has it: all of it, or its first word. */
static const char *quoted_at(const struct kb_assemble_block *block, uint32_t number, const char *message)
{
	const char *quote = strchr(message, '`'), *line = kb_assemble_line_at(block, number), *found, *stop;
	size_t room = (size_t)(block->text + block->length - line);

	if (!quote++)
		return NULL;
	stop = memchr(line, '\n', room);
	room = stop ? (size_t)(stop - line) : room;
	found = kb_assemble_find(line, room, quote, strcspn(quote, "'"));
	return found ? found : kb_assemble_find(line, room, quote, strcspn(quote, " '"));
}

static void report_placed(struct kb_assembling *work, unsigned number, uint32_t line, const char *text, bool warning)
{
	const struct kb_assemble_source *source = &work->sources[number];
	struct kb_assemble_message *message =
		kb_assemble_report(work->assembly, 200, source->block, quoted_at(source->block, line, text), line, "%s", text);

	work->assembly->error_count -= warning;
	if (!message)
		return;
	message->warning = warning;
	/* Where a hole stands on the line, a message most probably means the hole. */
	for (uint32_t i = 0; i < source->use_count && !work->target->intel; i++)
		if (source->uses[i].line == line)
			message->remedy = "an operand without a relocation takes no $( ): compute the instruction word, as in "
				"le32(0xd4000001 | n << 5), or write the number";
}

/* "Yb3:14: Error: no such instruction: `bogus rax'": true for an error. */
static bool report_line(struct kb_assembling *work, const char *line)
{
	struct kb_assemble_text text = { .arena = &work->assembly->arena };
	unsigned number, line_number;
	int past = 0;
	bool warning;
	const char *message;

	if (strncmp(line, work->prefix, strlen(work->prefix)) ||
	    sscanf(line + strlen(work->prefix), "%u:%u: %n", &number, &line_number, &past) != 2 || !past || number >= work->count)
		return false;
	message = line + strlen(work->prefix) + past;
	warning = !strncmp(message, "Warning: ", 9);
	if (!warning && strncmp(message, "Error: ", 7))
		return false;
	put_symbols(work, strchr(message, ' ') + 1, &text);
	report_placed(work, number, line_number, text.at ? text.at : "", warning);
	return !warning;
}

/* "blocks.s: Error: local label `1' is not defined", "blocks.s: Fatal error: can't write ...: No space left on device": the end of
   a message without a place; NULL if it is none. */
static const char *without_place(const char *line)
{
	const char *message = strstr(line, ": Error: "), *fatal = strstr(line, ": Fatal error: ");

	return message ? message + strlen(": Error: ") : fatal ? fatal + strlen(": Fatal error: ") : NULL;
}

/* A failure without a message that we can read must not pass: then its first line is told. */
static void report_output(struct kb_assembling *work, char *output, bool failed)
{
	bool any = false;
	char *rest = NULL;
	const char *first = NULL, *message = NULL;

	for (char *line = strtok_r(output, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		first = first ? first : line;
		message = message ? message : without_place(line);
		any |= report_line(work, line);
	}
	if (!failed || any)
		return;
	const struct kb_assemble_block *block = kb_assemble_only(work);

	kb_assemble_report(work->assembly, 200, block, NULL, block ? block->line : 0, "%s%s", message ? "" : "the assembler failed: ",
		message ? message : first ? first : "without a message");
}

/* What has such a directive is the most probable cause; of others nobody knows which it was. */
static void report_limit(struct kb_assembling *work, bool size)
{
	const struct kb_assemble_block *block = kb_assemble_only(work);
	const char *at = NULL;

	for (unsigned i = 0; i < work->count && !at; i++) {
		at = kb_assemble_find_any(work->sources[i].block, kb_assemble_fills);
		block = at ? work->sources[i].block : block;
	}
	if (size)
		kb_assemble_report(work->assembly, 213, block, at, block ? block->line : 0,
			"the code emits more than %u MB; repeat a block with unroll", KB_ASSEMBLE_OBJECT_MAX >> 20);
	else
		kb_assemble_report(work->assembly, 213, block, at, block ? block->line : 0,
			"the assembler did not end within %u s; a macro may repeat itself", LIMIT_MS / 1000);
}

int kb_assemble_try(struct kb_assembling *work, const char *name, const struct kb_assemble_text *text, char **output)
{
	char source[160], object[160], tool[64];
	const char *words[KB_COMMAND_WORDS] = { tool };
	struct kb_command_output printed = { NULL, 0 };
	unsigned count = 1;
	int status;

	*output = NULL;
	snprintf(source, sizeof(source), "%s/%s.s", work->directory, name);
	snprintf(object, sizeof(object), "%s/%s.o", work->directory, name);
	kb_command_tool(work->target, work->target->assembler[0], tool, sizeof(tool));
	for (const char *const *option = work->target->assembler + 1; *option; option++)
		words[count++] = *option;
	words[count++] = "-o";
	words[count++] = object;
	words[count++] = source;
	status = write_file(source, text);
	if (status)
		return status;
	status = kb_command_within(words, LIMIT_MS, &(struct kb_command_bounds){ .file_bytes = KB_ASSEMBLE_OBJECT_MAX }, &printed);
	*output = printed.text;
	return status;
}

int kb_assemble_run(struct kb_assembling *work, const char *name, const struct kb_assemble_text *text, bool probe)
{
	char tool[64], *output;
	int status = kb_assemble_try(work, name, text, &output);

	if (status == -ENOENT) {
		kb_command_tool(work->target, work->target->assembler[0], tool, sizeof(tool));
		kb_assemble_report(work->assembly, 201, NULL, NULL, 0, "the assembler %s is missing; install binutils for %s", tool,
			work->target->name);
		status = -ENOSYS;
	} else if (status == -ETIMEDOUT || status == -EFBIG) {
		report_limit(work, status == -EFBIG);
		status = -EINVAL;
	} else if (!probe && status >= 0 && output) {
		report_output(work, output, status != 0);
	}
	free(output);
	return status > 0 ? -EINVAL : status;
}
