/* Types of C as the rule of overrides needs them: words in one order, names and blanks taken away. */
#ifndef KB_YAMBA_FRONT_TYPE_H
#define KB_YAMBA_FRONT_TYPE_H

#include "yamba/front/ast.h"

enum kb_sameness { KB_SAME, KB_SAME_BUT_SIGN, KB_DIFFERENT };

/* `name` is where the name stands in the text, which is left out; NULL: nowhere. */
struct kb_typed { const struct kb_yamba_source *source; struct kb_span text; const char *name; };

/* `int` and `signed` are one type; `unsigned` makes the difference of sign. */
enum kb_sameness kb_types_compare(struct kb_arena *, struct kb_typed, struct kb_typed);

/* What may be set from outside: integers, double, char * and names of types that only the C compiler knows. */
enum kb_param_type {
	KB_PARAM_INTEGER,
	KB_PARAM_UNSIGNED,
	KB_PARAM_DOUBLE,
	KB_PARAM_STRING,
	KB_PARAM_BOOLEAN,
	KB_PARAM_OTHER,
	KB_PARAM_REFUSED
};

enum kb_param_type kb_type_of_param(struct kb_arena *, struct kb_typed);

/* Whether a datum of this type never changes: const, and the pointer itself where it is one. */
bool kb_type_is_const(struct kb_typed);

#endif
