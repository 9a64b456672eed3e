/* From text to trees: one pass, by recursive descent. What is wrong is reported and skipped, so that the rest is
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
	struct kb_member **members_end; /* of the class; also below */
	struct kb_class_import **imports_end;
	struct kb_yamba_value **values_end;
	unsigned depth;                 /* of items */
	/* "#transclude "FILE"": reads it, or reports why not. NULL: every file is missing. */
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
/* The same unless the present token is this mark; kb_take_mark goes behind it, kb_take_group behind its partner. */
bool kb_need_mark(struct kb_parser *, char mark, const char *remedy);
bool kb_take_mark(struct kb_parser *, char mark, const char *remedy);
bool kb_take_group(struct kb_parser *, char mark, const char *remedy, struct kb_span *inside);

bool kb_at_mark(const struct kb_parser *, char mark);
/* Goes behind this mark or word if it is the present token. */
bool kb_skip_mark(struct kb_parser *, char mark);
bool kb_skip_word(struct kb_parser *, const char *word);
/* Words of C with which a type begins. */
#define KB_C_TYPE_WORDS "void,char,short,int,long,float,double,signed,unsigned,const,volatile,restrict,_Bool,bool,struct,union," \
	"enum,register,_Complex,_Atomic"

/* A word that only a class may hold, first on its line: what stood above was never closed. */
bool kb_at_member(const struct kb_parser *);

/* A name that uses something, with dashes corrected (Y101); empty with Y100 if there is none. */
struct kb_span kb_parse_name(struct kb_parser *, const char *what);
/* The same where something is defined: reserved ones are Y103. */
struct kb_span kb_parse_new_name(struct kb_parser *, const char *what);
/* The check alone, of a name that may have been corrected: `at` is where it stands. */
void kb_check_defined(struct kb_parser *, struct kb_span name, const char *at);
bool kb_is_keyword(struct kb_span);

/* From `start` to the end of the token before the present one: without blanks and comments behind it. */
struct kb_span kb_text_since(const struct kb_parser *, const char *start);

#endif
