/*
 * Which asm blocks a member has, and a message about one of them; and the asm blocks of many classes, also of several files, in one run of each platform's assembler: what `check` needs, which
 * writes no code. A run costs milliseconds, a block next to nothing.
 */
#ifndef KB_YAMBA_EMIT_BATCH_H
#define KB_YAMBA_EMIT_BATCH_H

#include "assemble/assemble.h"
#include "yamba/front/yamba.h"

/* In the order in which they stand. */
typedef void kb_block_found(void *context, const struct kb_member *, struct kb_item *);
void kb_member_blocks(const struct kb_member *, kb_block_found *, void *context);

/* For the assembler. line: of the first character of its text. */
struct kb_assemble_block kb_block_of(struct kb_yamba *, const struct kb_member *, const struct kb_item *, unsigned line);

/* Where only a line is known: the first word on it that belongs to the block. */
struct kb_place kb_block_place(const struct kb_assemble_block *, struct kb_yamba_source *, const struct kb_assemble_message *);

/* Cause and remedy of a message, one for each number that has none of its own. */
void kb_block_diagnose(struct kb_yamba *, const struct kb_target *, struct kb_place, const struct kb_assemble_message *);

/* ---- many classes ---- */

#define KB_BATCH_PLATFORMS 8

struct kb_batch_block { struct kb_yamba *yamba; const struct kb_yamba_class *owner; };

struct kb_batch {
	struct kb_batch_platform {
		const struct kb_target *target;
		struct kb_assemble_block *blocks;
		struct kb_batch_block *owners;  /* of each block */
		unsigned count;
		size_t block_room, owner_room;
		bool assembled;
	} platforms[KB_BATCH_PLATFORMS];
	unsigned platform_count;
	struct kb_arena arena;
};

/* The blocks that are written in this class itself. */
void kb_batch_add(struct kb_batch *, struct kb_yamba *, const struct kb_yamba_class *);

/* Assembles and checks them; what is wrong becomes diagnostics where it stands. A platform without an assembler here is
   left out: *missing is its name then. -ENOMEM, or 0 whatever was found. */
int kb_batch_run(struct kb_batch *, const char **missing);
void kb_batch_free(struct kb_batch *);

#endif
