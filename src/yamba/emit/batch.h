/*
 * The asm blocks of many classes, also of several files, in one run of each platform's assembler: what `check` needs, which
 * writes no code. A run costs milliseconds, a block next to nothing.
 */
#ifndef KB_YAMBA_EMIT_BATCH_H
#define KB_YAMBA_EMIT_BATCH_H

#include "assemble/assemble.h"
#include "yamba/front/yamba.h"

#define KB_BATCH_PLATFORMS 8

struct kb_batch_block { struct kb_yamba *yamba; const struct kb_yamba_class *owner; };

struct kb_batch {
	struct kb_batch_platform {
		const struct kb_target *target;
		struct kb_assemble_block *blocks;
		struct kb_batch_block *owners;  /* of each block */
		unsigned count, room;
		bool assembled;
	} platforms[KB_BATCH_PLATFORMS];
	unsigned platform_count;
};

/* The blocks that are written in this class itself. -ENOMEM. */
int kb_batch_add(struct kb_batch *, struct kb_yamba *, const struct kb_yamba_class *);

/* Assembles and checks them; what is wrong becomes diagnostics where it stands. A platform without an assembler here is
   left out: *missing is its name then. -ENOMEM, or 0 whatever was found. */
int kb_batch_run(struct kb_batch *, const char **missing);
void kb_batch_free(struct kb_batch *);

#endif
