/* See arena.h. Blocks come from malloc, each large enough for many nodes; a big request gets a block of its own. */
#include "assemble/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES (64u << 10)
#define ALIGN 16

struct kb_arena_block {
	struct kb_arena_block *next;
	size_t used, room;
	_Alignas(ALIGN) char bytes[];
};

static _Noreturn void no_memory(struct kb_arena *arena)
{
	if (arena->no_memory)
		arena->no_memory(arena);
	abort();
}

static struct kb_arena_block *add_block(struct kb_arena *arena, size_t bytes)
{
	size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	struct kb_arena_block *block = NULL;

	if (!arena->limit || (room <= arena->limit && arena->taken <= arena->limit - room))
		block = calloc(1, sizeof *block + room);
	if (!block)
		no_memory(arena);
	block->room = room;
	block->next = arena->blocks;
	arena->blocks = block;
	arena->taken += room;
	return block;
}

void *kb_arena_take(struct kb_arena *arena, size_t bytes)
{
	struct kb_arena_block *block = arena->blocks;
	void *taken;

	if (bytes > SIZE_MAX / 2)
		no_memory(arena);
	bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	if (!block || block->room - block->used < bytes)
		block = add_block(arena, bytes);
	taken = block->bytes + block->used;
	block->used += bytes;
	return taken;
}

char *kb_arena_string(struct kb_arena *arena, struct kb_span span)
{
	char *copy = kb_arena_take(arena, span.length + 1);

	if (span.length)
		memcpy(copy, span.at, span.length);
	return copy;
}

char *kb_arena_format(struct kb_arena *arena, const char *format, ...)
{
	va_list arguments, again;
	char *text;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		length = 0;
	text = kb_arena_take(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void *kb_arena_room(struct kb_arena *arena, void *list, size_t count, size_t *room, size_t element)
{
	void *longer;

	if (count < *room)
		return list;
	*room = *room ? 2 * *room : 16;
	longer = kb_arena_take(arena, *room * element);
	if (count)
		memcpy(longer, list, count * element);
	return longer;
}

void kb_arena_free(struct kb_arena *arena)
{
	while (arena->blocks) {
		struct kb_arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	arena->taken = 0;
}
