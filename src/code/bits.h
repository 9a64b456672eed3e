/*
 * Bit strings: exact machine code, composed at run time from fragments made when the program was built.
 *
 *	fragment        48 8b 83 00 00 00 00 8a 00      what the assembler made of one asm block
 *	holes                    ^^ ^^ ^^ ^^            32S, value 0 of the fragment
 *	composed        ... 48 8b 83 08 00 00 00 8a 00 | 48 8b 83 10 00 00 00 8a 00 ...
 *
 * The first error sticks and everything after it does nothing, so that a composer needs no checks between its steps;
 * kb_bits_finish tells. Fragments, scopes and their strings belong to the caller and outlive the bits.
 */
#ifndef KB_CODE_BITS_H
#define KB_CODE_BITS_H

#include "code/target.h"

#define KB_BITS_LIMIT (64u << 20)       /* bytes: the default of the setting yamba.max_code */

/* Where a relocation of the assembler left a place in a fragment. */
struct kb_hole {
	const struct kb_relocation *relocation;
	int64_t addend;
	uint32_t offset;                /* in the fragment */
	uint32_t value;                 /* which of the fragment's values; of a label hole: which of its labels */
	uint32_t line;
	bool paired;                    /* a KB_HOLE_LOW whose KB_HOLE_HIGH checks the number */
};

/* A label of the composed function that the fragment uses or defines. */
struct kb_label {
	const char *name;               /* without the @ */
	uint32_t offset, line;
	bool defined;                   /* here, at the offset */
};

struct kb_fragment {
	const char *class, *member;     /* where it is written, for messages and listings */
	const char *file;
	uint32_t line;
	uint32_t count;                 /* bytes, in memory order */
	const uint8_t *bytes;
	const struct kb_hole *holes;
	const struct kb_label *labels;
	uint32_t hole_count, label_count;
};

/* A Yamba function, or an unroll: what a composer enters with a value for each name. An unroll has no member. */
struct kb_scope {
	const char *class, *member;
	const char *const *names;
	uint32_t name_count;
};

/* Where literal bytes and casts are written. */
struct kb_place { const char *class, *member, *file; uint32_t line; };

struct kb_bits_error {
	unsigned number;                /* 301 is Y301; 0: none */
	const char *file;
	uint32_t line;
	char text[256];                 /* one sentence with the values */
	char where[256];                /* "C.touch(i=17), unroll i=17", "" if nothing was entered */
};

struct kb_bits {
	const struct kb_target *target;
	uint8_t *at;
	size_t used, room, limit;       /* bytes */
	bool own;                       /* at is ours and grows */
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

/* Bytes in a buffer that grows up to limit. */
void kb_bits_init(struct kb_bits *, const struct kb_target *, size_t limit);

/* Bytes in the caller's buffer. */
void kb_bits_into(struct kb_bits *, const struct kb_target *, void *buffer, size_t room);

/* Empty again, with the memory that it has. */
void kb_bits_reset(struct kb_bits *);
void kb_bits_free(struct kb_bits *);

/* Around what a Yamba function, or one turn of an unroll, appends. One value for each name of the scope. */
void kb_bits_enter(struct kb_bits *, const struct kb_scope *, const struct kb_value *values);
void kb_bits_leave(struct kb_bits *);

/* A fragment with its holes filled: one value for each number that its holes name. */
void kb_bits_append(struct kb_bits *, const struct kb_fragment *, const struct kb_value *values);

/* Literal bytes: 0x8B83 is 8B, then 83. */
void kb_bits_bytes(struct kb_bits *, const struct kb_place *, const uint8_t *bytes, size_t count);

/* le8 .. le64, be16 .. be64. A value that fits neither as signed nor as unsigned is Y301. */
void kb_bits_le(struct kb_bits *, const struct kb_place *, unsigned width_bits, struct kb_value);
void kb_bits_be(struct kb_bits *, const struct kb_place *, unsigned width_bits, struct kb_value);

/* Nops up to the next multiple of n, a power of two, counted from the start of the composed function. */
void kb_bits_align(struct kb_bits *, const struct kb_place *, struct kb_value n);

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

#endif
