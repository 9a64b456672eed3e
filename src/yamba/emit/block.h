/* What every user of the assembler shares: which asm blocks a member has, and what a message about one of them says. */
#ifndef KB_YAMBA_EMIT_BLOCK_H
#define KB_YAMBA_EMIT_BLOCK_H

#include "assemble/assemble.h"
#include "yamba/front/yamba.h"

/* In the order in which they stand, until one returns not 0, which is returned. */
typedef int kb_block_found(void *context, const struct kb_member *, struct kb_item *);
int kb_member_blocks(const struct kb_member *, kb_block_found *, void *context);

/* For the assembler. line: of the first character of its text. */
struct kb_assemble_block kb_block_of(struct kb_yamba *, const struct kb_member *, const struct kb_item *, unsigned line);

/* Where only a line is known: the first word on it that belongs to the block. */
struct kb_place kb_block_place(const struct kb_assemble_block *, struct kb_yamba_source *, const struct kb_assemble_message *);

/* Cause and remedy of a message, one for each number that has none of its own. */
void kb_block_diagnose(struct kb_yamba *, const struct kb_target *, struct kb_place, const struct kb_assemble_message *);

#endif
