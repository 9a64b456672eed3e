/*
 * Words of Yamba and of the C text inside it: one lexer for both, since the hard part of finding the end of C
 * text is what it has inside: comments, literals, line splices, digit separators, lines of the preprocessor.
 */
#ifndef KB_YAMBA_FRONT_LEXER_H
#define KB_YAMBA_FRONT_LEXER_H

#include "yamba/front/diagnostic.h"

enum kb_token_kind { KB_TOKEN_END, KB_TOKEN_NAME, KB_TOKEN_NUMBER, KB_TOKEN_STRING, KB_TOKEN_CHARACTER, KB_TOKEN_MARK };

struct kb_token {
	enum kb_token_kind kind;
	char mark;                      /* of KB_TOKEN_MARK; digraphs are what they stand for */
	bool first;                     /* on its line */
	struct kb_span text;
	struct kb_span comment;         /* that stands before it on lines of its own, without a blank line between */
};

struct kb_lexer {
	const struct kb_yamba_source *source;
	struct kb_diagnostics *diagnostics;     /* NULL: nothing is reported */
	const char *at, *end;           /* behind the token; of what is read */
	const char *behind;             /* the token before */
	struct kb_token token;
	bool skip_hash;                 /* lines of the preprocessor are blanks: inside C text */
	bool broken;                    /* something unterminated swallowed the rest: no second complaint */
	bool newline;                   /* only blanks since the last one */
};

/* At the first token. A span must lie in the text of the source. */
void kb_lexer_start(struct kb_lexer *, const struct kb_yamba_source *, struct kb_diagnostics *, struct kb_span);
void kb_lexer_next(struct kb_lexer *);

/* The token behind the present one. */
struct kb_token kb_lexer_peek(const struct kb_lexer *);

/* At '#': to the first token behind that line, its continuations and comments. */
void kb_lexer_skip_line(struct kb_lexer *);

/* Past a comment or a literal in quotes at `at`; `end` and *closed = false if it has no end. `at` if there is none. */
const char *kb_skip_comment(const char *at, const char *end, bool *closed);
const char *kb_skip_quoted(const char *at, const char *end, bool *closed);

bool kb_token_is(const struct kb_token *, const char *word);
bool kb_token_in(const struct kb_token *, const char *words);   /* is one of a list with commas */
bool kb_token_mark(const struct kb_token *, char mark);
bool kb_token_marks(const struct kb_token *, const char *marks); /* is one of them */
bool kb_is_blank(char c);
bool kb_is_letter(char c);      /* of a name, digits included */
bool kb_is_digit(char c);
bool kb_span_in(struct kb_span, const char *words);             /* is one of a list with commas */
struct kb_place kb_token_place(const struct kb_lexer *);

/* A comment as one line without its marks, in the arena; first: up to the end of its first sentence. */
const char *kb_comment_text(struct kb_arena *, struct kb_span comment, bool first);

#endif
