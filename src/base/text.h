/* Bounded text building and small text parsing, without libc. */
#ifndef KB_BASE_TEXT_H
#define KB_BASE_TEXT_H

#include "types.h"

/* A caller-owned buffer being filled; always terminated by a null byte. `cut` is set once something did not fit. */
struct kb_text {
	char *at;
	size_t room, used;
	bool cut;
};

struct kb_text kb_text_in(char *buffer, size_t room);
void kb_text_bytes(struct kb_text *, const char *bytes, size_t count);
void kb_text_str(struct kb_text *, const char *string);
void kb_text_u64(struct kb_text *, uint64_t value);
void kb_text_i64(struct kb_text *, int64_t value);
void kb_text_hex(struct kb_text *, uint64_t value, unsigned min_digits);

/* As it is if it is a plain word, else in double quotes with \" \\ \n \r \t \xHH escapes. "" becomes "\"\"". */
void kb_text_quoted(struct kb_text *, const char *string);

/* A view of bytes that somebody else owns. */
struct kb_span { const char *at; size_t length; };

/* Takes the next blank-separated word off *rest (quotes are part of the word). An empty span at the end. */
struct kb_span kb_span_word(struct kb_span *rest);
struct kb_span kb_span_of(const char *text);    /* NULL is an empty one */
bool kb_span_is(struct kb_span, const char *word);
bool kb_span_equal(struct kb_span, struct kb_span);
bool kb_span_starts(struct kb_span, const char *prefix);

/* The whole span as a decimal number without sign; false on anything else or on overflow. */
bool kb_span_u64(struct kb_span, uint64_t *value);

/* "key=value" split at the first '='; false without one. */
bool kb_span_pair(struct kb_span word, struct kb_span *key, struct kb_span *value);

/* "HOST", "HOST:PORT", "ADDRESS" of IPv6 or "[ADDRESS]:PORT": what names the host, without brackets, and the port; 0: none is named. False: it
   is none of them. Whether there is such a host is not asked. */
bool kb_span_host(struct kb_span text, struct kb_span *host, uint64_t *port);

/* The value of a parameter in "op=add size=64K"; an empty span: it has none of that name. */
struct kb_span kb_params_value(const char *params, struct kb_span name);

/* Undoes kb_text_quoted. Returns the length, or -1 if it is malformed or does not fit. */
int kb_span_unquote(struct kb_span, char *buffer, size_t room);

size_t kb_strlen(const char *);

/* Bytes of the text, at most `most`, that end no UTF-8 character half-way: readers of a record hand it to JSON. */
size_t kb_clipped(const char *text, size_t most);

bool kb_streq(const char *, const char *);

/* The character of UTF-8 at the start of a text that is not empty; a byte that begins none is one by itself, and not visible. */
struct kb_character {
	unsigned length;        /* bytes, from 1 */
	uint32_t code;          /* code point; where the text is no UTF-8, the byte */
	bool visible;           /* it ends no line, moves no cursor and turns no text round; blanks are visible, tabs are not */
};
struct kb_character kb_character_at(struct kb_span text);

/*
 * The one place that knows what may reach a terminal. Every character that is not visible becomes the byte `instead`, every byte
 * that is no UTF-8 too, in place; the rest moves up. For what somebody typed, or a file said: it stays one line.
 */
void kb_make_visible(char *text, char instead);

/* As much of the text as fits, made visible with '?'. Returns buffer; room is 1 or more. */
const char *kb_visible_copy(char *buffer, size_t room, const char *text);

/* Whether kb_make_visible would change nothing. */
bool kb_is_visible(const char *text);
bool kb_span_is_visible(struct kb_span);

/* Whether it can name a benchmark: letters, digits, '_', '-' and '.', at most so many bytes, and no '.' at the end. In records, in the
   store and on command lines a row is "NAME PARAMETER=VALUE ...", so a name is one plain word. */
#define KB_BENCH_NAME_MAX 63
bool kb_is_bench_name(const char *name);

/* Whether `word` stands in a comma separated list. */
bool kb_list_has(const char *list, const char *word);

#endif
