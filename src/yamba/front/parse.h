/* From text to trees: one pass, by recursive descent. What is wrong is said and skipped, so that the rest is
   still read. */
#ifndef KB_YAMBA_FRONT_PARSE_H
#define KB_YAMBA_FRONT_PARSE_H

#include "yamba/front/ast.h"
#include "yamba/front/lexer.h"

struct kb_parser {
	struct kb_arena *arena;
	struct kb_diagnostics *diagnostics;
	struct kb_yamba_source *source;
	struct kb_lexer lexer;
	struct kb_yamba_class *class;         /* that is being read */
	struct kb_member *last_member;  /* of the class; also below */
	struct kb_class_import *last_import;
	struct kb_yamba_value *last_value;
	unsigned depth;                 /* of items */
	/* "#transclude "FILE"": reads it, or says why not. NULL: every file is missing. */
	void (*transclude)(struct kb_parser *, struct kb_place at, struct kb_span name);
	void *context;                  /* for transclude */
};

/* The whole file. */
void kb_parse(struct kb_parser *);

/* Between the files of the parser: a member of a class, the items of a body at '{'. */
void kb_parse_member(struct kb_parser *);
bool kb_parse_items(struct kb_parser *, struct kb_item **items);

/* Y100: "X expected" at the present token. */
void kb_expected(struct kb_parser *, const char *what, const char *remedy);
bool kb_take_mark(struct kb_parser *, char mark, const char *remedy);

/* A name that uses something, with dashes corrected (Y101); empty with Y100 if there is none. */
struct kb_span kb_parse_name(struct kb_parser *, const char *what);
/* The same where something is defined: reserved ones are Y103. */
struct kb_span kb_parse_new_name(struct kb_parser *, const char *what);
void kb_check_new_name(struct kb_parser *, struct kb_span name);
/* The same for a name that may have been corrected: `at` is where it stands. */
void kb_check_defined(struct kb_parser *, struct kb_span name, const char *at);
bool kb_is_keyword(struct kb_span);

/* From `start` to the end of the token before the present one: without blanks and comments behind it. */
struct kb_span kb_text_since(const struct kb_parser *, const char *start);

#endif
