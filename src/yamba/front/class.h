/* Names of classes and members, inheritance, imports and platforms: what follows from the declarations alone. */
#ifndef KB_YAMBA_FRONT_CLASS_H
#define KB_YAMBA_FRONT_CLASS_H

#include "yamba/front/lexer.h"
#include "yamba/front/yamba.h"

/* Bases above a class, at most: lookups go through all of them. */
#define KB_CLASS_DEPTH_MAX 64

struct kb_place kb_class_place(const struct kb_yamba_class *);
struct kb_place kb_member_place(const struct kb_member *);
const char *kb_member_kind_name(const struct kb_member *); /* "bitstring", "entry", "param", "datum", "C function" */

/* Of the class itself; of it and its bases, the most derived; NULL: none. */
struct kb_member *kb_class_own(const struct kb_yamba_class *, struct kb_span name);
struct kb_member *kb_class_member(const struct kb_yamba_class *, struct kb_span name);

/* f_t is the type of the entry f, which this finds; NULL: none. */
struct kb_member *kb_class_entry_of(const struct kb_yamba_class *, struct kb_span type_name);

/* A bitstring of the language itself, le8 to be64: its width in bits, else 0. */
unsigned kb_intrinsic(struct kb_span name, bool *big_endian);

/* The import of this name, its own or inherited. NULL: none, or the imported class is unknown. */
struct kb_yamba_class *kb_class_imported(const struct kb_yamba_class *, struct kb_span name, bool *named);

/* The text between the quotes of all literals of an init, as they stand there; false if it is something else, too. */
bool kb_c_literal(struct kb_yamba *, const struct kb_yamba_source *, struct kb_span init, struct kb_span *text);

/* Of a datum of the class or those above it: "" if there is none such. */
struct kb_span kb_class_literal(struct kb_yamba *, const struct kb_yamba_class *, const char *name);

/* What the assembler is told before each block of the class: `assembler` of all that it imports, a line each. */
const char *kb_class_directives(struct kb_yamba *, const struct kb_yamba_class *);

/* Whether `class` is `base` or extends it at some distance. */
bool kb_class_is(const struct kb_yamba_class *, const struct kb_yamba_class *base);

/* The class and those above it, itself first. Returns how many. */
unsigned kb_class_line(const struct kb_yamba_class *, const struct kb_yamba_class *line[KB_CLASS_DEPTH_MAX + 1]);

/* A name for %.*s: long ones are cut. */
#define KB_SHORT(name) (name).length < 80 ? (int)(name).length : 80, (name).at

/* ---- the parts of the check of one class, which check.c puts together ---- */

/* Own bodies: Y123, Y124, Y125, Y151, Y161. */
void kb_check_bodies(struct kb_yamba *, const struct kb_yamba_class *);
/* Y121, with names bound as in this class. */
void kb_check_recursion(struct kb_yamba *, const struct kb_yamba_class *);
/* Types and defaults of params, and new values: Y162. */
void kb_check_values(struct kb_yamba *, const struct kb_yamba_class *);

#endif
