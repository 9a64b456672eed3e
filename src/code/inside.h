/* What the parts of composing share: what bits.c notes while it composes and bits_words.c tells of it. */
#ifndef KB_CODE_INSIDE_H
#define KB_CODE_INSIDE_H

#include <string.h>

#include "code/bits.h"

/* One append: of a fragment, or of literal bytes written at a place. It ends where the next one begins. */
struct kb_bits_piece {
	const struct kb_fragment *fragment;
	const struct kb_bits_place *place;
	uint32_t offset, scope;
};

/* One entering of a scope; parent counts from 1. */
struct kb_bits_scope {
	const struct kb_scope *scope;
	uint32_t parent, value;
};

struct kb_bits_label {
	const char *name;
	const struct kb_fragment *fragment;     /* that defines it; NULL: none so far */
	uint32_t offset, scope;                 /* where */
};

struct kb_bits_use {
	const struct kb_hole *hole;
	const struct kb_fragment *fragment;
	uint32_t label, offset, scope;
};

/* A register's number that cannot be chosen: Y301 with those that can. */
void kb_bits_no_register(struct kb_bits *, const char *file, uint32_t line, struct kb_value, uint32_t allowed);

/* The first error is kept, with the scope that is entered now, or that of a piece. */
void kb_bits_fail(struct kb_bits *, unsigned number, const char *file, uint32_t line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* "C.touch(i=17), unroll i=17" of a scope, counted from 1; "" for 0. */
void kb_bits_scope_words(const struct kb_bits *, uint32_t scope, char *text, size_t room);

/* A number that a place does not take, "hole value 32768": what it was, and the limits in words. */
void kb_bits_misfit(struct kb_bits *, const char *file, uint32_t line, const char *what, struct kb_value, int64_t addend,
	int64_t min, uint64_t max, unsigned step);

#endif
