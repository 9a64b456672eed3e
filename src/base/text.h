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
bool kb_span_is(struct kb_span, const char *word);
bool kb_span_starts(struct kb_span, const char *prefix);

/* The whole span as a decimal number without sign; false on anything else or on overflow. */
bool kb_span_u64(struct kb_span, uint64_t *value);

/* "key=value" split at the first '='; false without one. */
bool kb_span_pair(struct kb_span word, struct kb_span *key, struct kb_span *value);

/* Undoes kb_text_quoted. Returns the length, or -1 if it is malformed or does not fit. */
int kb_span_unquote(struct kb_span, char *buffer, size_t room);

size_t kb_strlen(const char *);
bool kb_streq(const char *, const char *);

/* Control bytes become the byte `instead`: what somebody typed, or a log said, stays one line and moves no cursor. */
void kb_make_visible(char *text, char instead);

/* Whether `word` stands in a comma separated list. */
bool kb_list_has(const char *list, const char *word);

#endif
