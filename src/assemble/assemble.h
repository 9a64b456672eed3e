/*
 * Turns asm blocks into fragments, when a program is built: one run of GNU as, whose relocations are the holes. A block
 * is the text between the braces, as written: `$(c_expr)` is a number known at composition, `@name:` and `@name` define
 * and use a label of the composed function. For the translation of a program, and for its check.
 */
#ifndef KB_ASSEMBLE_H
#define KB_ASSEMBLE_H

#include "assemble/arena.h"
#include "code/bits.h"

struct kb_assemble_block {
	const char *class, *member;
	const char *file;
	uint32_t line;                  /* of the first character of the text */
	const char *text;
	size_t length;
	const char *directives;         /* of the class, before the text; NULL: none */
};

/* The C text between $( and ), in the block's own text. Equal expressions of a block are one value. */
struct kb_assemble_value { const char *at; size_t length; uint32_t line; };

struct kb_assembled {
	struct kb_fragment fragment;    /* class, member and file are the block's strings */
	struct kb_assemble_value *values;
	uint32_t value_count;           /* values that kb_bits_append takes, in this order */
};

struct kb_assemble_message {
	unsigned number;                /* 200 is Y200 */
	bool warning;
	const struct kb_assemble_block *block;          /* NULL: one of several, nobody knows which */
	const char *file;               /* of the block */
	uint32_t line;
	const char *at;                 /* in the block's text; NULL where only the line is known */
	char text[512];                 /* the cause; of all but Y200 with the remedy after "; " */
	const char *remedy;             /* of Y200; NULL: none that is known */
};

#define KB_ASSEMBLE_MESSAGES 64         /* more than these are counted only */

struct kb_assembly {
	struct kb_arena arena;          /* of all below */
	struct kb_assembled *blocks;    /* one for each given */
	unsigned block_count;
	struct kb_assemble_message messages[KB_ASSEMBLE_MESSAGES];
	unsigned message_count;         /* all, also those not kept */
	unsigned error_count;           /* those that are no warnings */
};

/*
 * 0 if every block became a fragment, -EINVAL with messages if not, -ENOMEM. Without the assembler, or built without
 * libelf: -ENOSYS and Y201. Free it in either case. The texts must outlive the assembly.
 */
int kb_assemble(struct kb_assembly *, const struct kb_target *, const struct kb_assemble_block *, unsigned count);
void kb_assemble_free(struct kb_assembly *);

#endif
