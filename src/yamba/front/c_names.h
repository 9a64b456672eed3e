/* Names in C text: those that Yamba gives a meaning to (members, Imported.name, super.name), told apart from fields,
   tags and locals. For the checks, and for the translation, which must see the same. */
#ifndef KB_YAMBA_FRONT_C_NAMES_H
#define KB_YAMBA_FRONT_C_NAMES_H

#include "yamba/front/class.h"

/* Names that are in scope in front of members: parameters, unroll variables, locals of C. */
struct kb_scope_name { struct kb_span name; const struct kb_scope_name *above; };

/* A name that does not stand behind '.' or '->'. */
struct kb_c_word {
	struct kb_span name;
	struct kb_span member;          /* behind "name ." where name is no local; else empty */
	const char *end;                /* of name, or of member */
	bool declared;                  /* it is declared here */
	bool local;                     /* it was declared in this text before */
	bool imported;                  /* a class of this name is imported; where declared: it is hidden from here on */
	bool tag;                       /* behind struct, union or enum */
	bool field;                     /* declared in the braces of a struct or union */
};

typedef void kb_c_word_found(void *context, const struct kb_c_word *);

/* In order. `class` is the one in which the text stands. */
void kb_c_names(struct kb_yamba *, const struct kb_yamba_class *, const struct kb_scope_name *, struct kb_span text,
	kb_c_word_found *, void *context);

/* The name that an unroll header declares: the last one before its '='; empty: none. */
struct kb_span kb_c_declared(const struct kb_yamba_source *, struct kb_span init);

/* The parameters of a member, the last one innermost. */
const struct kb_scope_name *kb_scope_of(struct kb_yamba *, const struct kb_member *);
bool kb_in_scope(const struct kb_scope_name *, struct kb_span name);

#endif
