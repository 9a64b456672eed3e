/* What program.c, which composes functions, and made.c, which looks after them, share. */
#ifndef KB_CODE_MADE_H
#define KB_CODE_MADE_H

#include "code/memory.h"
#include "code/program.h"

/* A function, of any entry. Signal handlers walk along all of them: none ever goes, and what is forgotten has no bytes. */
struct kb_program_code {
	struct kb_program_code *older;
	const struct kb_yamba_program *program;
	struct kb_yamba_entry *entry;
	struct kb_mapped_code mapped;
	struct kb_mapped_code behind;           /* the function itself, while a gate stands in its place */
	size_t words;                           /* of the arguments */
	uint64_t arguments[];
};

extern struct kb_program_code *kb_code_newest;
extern size_t kb_code_composed_bytes;

/* Around all that changes something; readers look at what is complete. A composer may ask for other functions, so that its thread may
   hold it more than once. */
void kb_code_hold(void);
void kb_code_release(void);

/* To the handler of errors; whatever is held is released. */
void kb_code_give_up(const char *text) __attribute__((noreturn));

/* What is there already, composed again with notes of who wrote what, until kb_code_release_scratch. NULL: it comes out differently, or a
   composer that was interrupted has the memory for it. */
const struct kb_bits *kb_code_recall(const struct kb_program_code *);
void kb_code_release_scratch(void);

/* To its place, or behind a gate. */
int kb_code_map_gated(struct kb_program_code *, const struct kb_bits *, const struct kb_code_options *);

/* The function itself, wherever it is. */
static inline const void *kb_code_bytes_of(const struct kb_program_code *code)
{
	return code->behind.entry ? code->behind.entry : code->mapped.entry;
}

/* More than an address can tell is as much as it can: a limit still, or refused. */
static inline size_t kb_code_size_of(uint64_t bytes)
{
	return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

#endif
