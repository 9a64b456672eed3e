/*
 * Memory that is given back all at once: what one file of Yamba, or one run of the assembler, becomes lives exactly as long as its
 * check. Not in src/base, which is freestanding and has no allocator.
 */
#ifndef KB_ASSEMBLE_ARENA_H
#define KB_ASSEMBLE_ARENA_H

#include "base/text.h"

struct kb_arena {
	struct kb_arena_block *blocks;
	size_t taken, limit;            /* bytes; limit 0: none */
	/* Called when there is no more; must not return. NULL: abort(). */
	void (*no_memory)(struct kb_arena *);
	void *context;                  /* for no_memory */
};

/* Zeroed and aligned for anything. Never NULL. */
void *kb_arena_take(struct kb_arena *, size_t bytes);

/* A copy that ends with a null byte. */
char *kb_arena_string(struct kb_arena *, struct kb_span);
char *kb_arena_format(struct kb_arena *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The list of `count` elements with room for one more: itself, or a copy of twice the room. */
void *kb_arena_room(struct kb_arena *, void *list, size_t count, size_t *room, size_t element);

/* Everything at once; the arena may be used again. */
void kb_arena_free(struct kb_arena *);

#endif
