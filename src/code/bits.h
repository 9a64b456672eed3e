/*
 * Bit strings: exact machine code, composed at run time from fragments made when the program was built.
 *
 *	fragment        48 8b 83 00 00 00 00 8a 00      what the assembler made of one asm block
 *	holes                    ^^ ^^ ^^ ^^            32S, value 0 of the fragment
 *	composed        ... 48 8b 83 08 00 00 00 8a 00 | 48 8b 83 10 00 00 00 8a 00 ...
 *
 * The first error sticks and everything after it does nothing, so that a composer needs no checks between its steps;
 * kb_bits_finish tells. Who wrote which byte is noted on demand only, for noting takes longer than composing: whoever wants to
 * know, or has an error to tell, composes again with notes. Fragments, scopes and their strings belong to the caller and outlive the bits. The callers are
 * the composers that a translated program consists of; what they call and pass is in kbench_yamba.h.
 */
#ifndef KB_CODE_BITS_H
#define KB_CODE_BITS_H

#include "code/target.h"

#define KB_BITS_LIMIT (64u << 20)       /* bytes: more is a composer that does not end */
#define KB_BITS_STEPS (1u << 20)        /* scopes that any limit allows to enter */

struct kb_bits_error {
	unsigned number;                /* 301 is Y301; 0: none */
	const char *file;
	uint32_t line;
	char text[256];                 /* one sentence with the values */
	char where[256];                /* "C.touch(i=17), unroll i=17", "" if nothing was entered */
};

struct kb_bits {
	struct kb_bits_head head;
	const struct kb_target *target;
	size_t limit;                   /* of the bytes: the room in the head is no more */
	size_t reserved;                /* of the buffer, which may be larger */
	bool noting;
	uint64_t steps;                 /* that are left while noting; else they are in the head */
	struct kb_bits_piece *pieces;   /* in order of offset */
	struct kb_bits_scope *scopes;
	struct kb_value *values;        /* of the scopes */
	struct kb_bits_label *labels;
	struct kb_bits_use *uses;
	uint32_t piece_count, scope_count, value_count, label_count, use_count;
	uint32_t piece_room, scope_room, value_room, label_room, use_room;
	uint32_t scope;                 /* the innermost entered, from 1; 0: none */
	struct kb_bits_error error;
};

/* Begins with no bytes, in a buffer that grows up to limit. Bits that were in use keep their memory; bits that are all zeros have none.
   Without noting there are no spans, and an error has no place. */
void kb_bits_again(struct kb_bits *, const struct kb_target *, size_t limit, bool noting);
void kb_bits_free(struct kb_bits *);

/* Joins labels with their uses. 0, or -EINVAL with the error filled in. */
int kb_bits_finish(struct kb_bits *);

/* "pf.yamba:106: error Y301: hole value 32768 does not fit (max 32760, step 8)\n    in C.touch(i=4096)". Returns its length. */
int kb_bits_message(const struct kb_bits *, char *text, size_t room);

/* One append of the composed code. */
struct kb_bits_span {
	size_t offset, count;
	const char *class, *member, *file;
	uint32_t line;
	char scope[256];                /* as in an error */
};

/* That which holds the byte at the offset; false beyond the end. Go on with offset + count for the next. */
bool kb_bits_span_at(const struct kb_bits *, size_t offset, struct kb_bits_span *);

/* The innermost call alone, "C.touch(i=17)", or, where none was entered last, "C.member, unroll i=17". */
struct kb_text;
void kb_bits_span_words(const struct kb_bits_span *, struct kb_text *);

/* A line of a listing, "C.touch(i=3), unroll i=3  pf.yamba:94". */
void kb_bits_list_head(FILE *, const struct kb_bits_span *);

/* Every append with its head and its bytes, a few a line: a listing without a disassembler. */
#define KB_BITS_SHOWN 10        /* bytes a line; longer instructions push their text to the right */
void kb_bits_list_bytes(FILE *, const struct kb_bits *);

#endif
