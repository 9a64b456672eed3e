/* What the parts of the assembling share: text that grows, messages, and the names of generated symbols. */
#include "assemble/inside.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kb_assemble_put(struct kb_assemble_text *text, const char *bytes, size_t count)
{
	if (text->room - text->used <= count) {
		char *longer = kb_arena_take(text->arena, text->room = 2 * text->room + count + 256);

		if (text->used)
			memcpy(longer, text->at, text->used);
		text->at = longer;
	}
	memcpy(text->at + text->used, bytes, count);
	text->used += count;
	text->at[text->used] = '\0';
}

void kb_assemble_print(struct kb_assemble_text *text, const char *format, ...)
{
	char buffer[512];
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(buffer, sizeof(buffer), format, list);
	va_end(list);
	kb_assemble_put(text, buffer, length < (int)sizeof(buffer) ? (size_t)length : sizeof(buffer) - 1);
}

uint32_t kb_assemble_line(const struct kb_assemble_block *block, const char *at)
{
	uint32_t line = block->line;

	for (const char *c = block->text; c < at; c++)
		line += *c == '\n';
	return line;
}

const char *kb_assemble_line_at(const struct kb_assemble_block *block, uint32_t line)
{
	const char *at = block->text, *end = block->text + block->length;

	for (uint32_t here = block->line; here < line && at < end; at++)
		here += *at == '\n';
	return at;
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

const char *kb_assemble_find(const char *text, size_t room, const char *wanted, size_t length)
{
	for (const char *at = text; length && at + length <= text + room; at++) {
		bool left = at > text && is_word_char(*wanted) && (is_word_char(at[-1]) || at[-1] == '@');
		bool right = at + length < text + room && is_word_char(wanted[length - 1]) && is_word_char(at[length]);

		if (!memcmp(at, wanted, length) && !left && !right)
			return at;
	}
	return NULL;
}

const char *const kb_assemble_fills[] = { ".org", ".fill", ".skip", ".space", ".zero", ".rept", ".irp", ".irpc", NULL };

const char *kb_assemble_find_any(const struct kb_assemble_block *block, const char *const *words)
{
	const char *at = NULL;

	for (; *words && !at; words++)
		at = kb_assemble_find(block->text, block->length, *words, strlen(*words));
	return at;
}

struct kb_assemble_message *kb_assemble_report(struct kb_assembly *assembly, unsigned number, const struct kb_assemble_block *block,
	const char *at, uint32_t line, const char *format, ...)
{
	struct kb_assemble_message *message;
	va_list list;

	assembly->error_count++;
	if (assembly->message_count++ >= KB_ASSEMBLE_MESSAGES)
		return NULL;
	message = &assembly->messages[assembly->message_count - 1];
	*message = (struct kb_assemble_message){ .number = number, .block = block, .at = at, .line = line };
	message->file = block ? block->file : NULL;
	if (at)
		message->line = kb_assemble_line(block, at);
	va_start(list, format);
	vsnprintf(message->text, sizeof(message->text), format, list);
	va_end(list);
	return message;
}

const struct kb_assemble_block *kb_assemble_only(const struct kb_assembling *work)
{
	return work->count == 1 ? work->sources[0].block : NULL;
}

const char *kb_assemble_private(const struct kb_assembling *work, const char *name)
{
	size_t length = strlen(work->prefix), digits = 0;

	if (!strncmp(name, work->prefix, length))
		digits = strspn(name + length, "0123456789");
	return digits && name[length + digits] == '_' ? name + length + digits + 1 : name;
}

bool kb_assemble_symbol(const struct kb_assembling *work, const char *name, unsigned *block, char *kind, unsigned *index)
{
	size_t length = strlen(work->prefix);

	return !strncmp(name, work->prefix, length) && sscanf(name + length, "%u%c%u", block, kind, index) == 3 &&
		*block < work->count && strchr("hdue", *kind);
}
