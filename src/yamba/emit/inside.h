/*
 * What the parts of the emitter share. An instance is a class that lives in the program, flattened over its bases: the
 * program itself, whose members keep their names in C, and each class that it imports, whose members get one of their
 * own. Names that begin with y_ are ours.
 *
 *   member `m`           of the program `P`       of the import `X`       what super.m means, of the base `B`
 *   datum, C function,   m                        y_X__m                  y_P__B__m, y_X__B__m
 *   entry called from C
 *   composer             y_bits_m                 y_bits_X__m             y_bits_P__B__m, y_bits_X__B__m
 *   plain bitstring      y_plain_m                y_plain_X__m            y_plain_P__B__m, y_plain_X__B__m
 */
#ifndef KB_YAMBA_EMIT_INSIDE_H
#define KB_YAMBA_EMIT_INSIDE_H

#include "yamba/emit/batch.h"
#include "yamba/emit/emit.h"
#include "yamba/front/c_names.h"
#include "yamba/front/class.h"
#include "yamba/front/type.h"

/* For %.*s. */
#define SPAN(span) (int)(span).length, (span).at

struct kb_instance {
	const struct kb_yamba_class *class;
	bool program;
	struct kb_instance *next, *older;
};

/* A definition that a derived class replaced, and that its own still calls as super.NAME. */
struct kb_reached { const struct kb_instance *instance; const struct kb_member *member; struct kb_reached *next; };

struct kb_emit {
	FILE *out;
	struct kb_yamba *yamba;
	const struct kb_yamba_class *program;
	const struct kb_assembly *assembly;
	const struct kb_emit_options *options;
	const char *file;                       /* of the C text */
	struct kb_instance *met;                /* the newest first */
	struct kb_instance *instances;          /* imports before those that import them, the program last */
	struct kb_reached *reached;             /* by what was written */
	const struct kb_instance *instance;     /* what is being written: a member of this, */
	const struct kb_yamba_class *owner;     /* written in this class */
	const struct kb_yamba_source *source;         /* of this source */
	const struct kb_scope_name *scope;      /* parameters and unroll variables of that member */
	unsigned line;                          /* of the C text, from 1 */
	bool away;                              /* #line points into a source */
	bool has_values;                        /* some bitstring takes another as an argument */
	unsigned count;                         /* gives scopes names of their own */
	struct kb_place last;                   /* whose line was found last, for the next one is mostly near */
	unsigned last_line;
	unsigned mark;                          /* of the sources whose C text is taken in */
};

/* ---- text.c ---- */

void kb_put(struct kb_emit *, const char *bytes, size_t count);
void kb_print(struct kb_emit *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kb_put_string(struct kb_emit *, struct kb_span);   /* in quotes, as C writes it */
void kb_put_text(struct kb_emit *, const char *);       /* the same */

/* The path of a source as the compiler and messages should print it. */
const char *kb_emit_path(const struct kb_emit *, const struct kb_yamba_source *);
unsigned kb_emit_line(struct kb_emit *, struct kb_place);

/*
 * On a new line: what follows stands, to the compiler, where `at` is in the source; `before` goes in front of it,
 * so far to the left that columns agree.
 */
void kb_emit_at(struct kb_emit *, const char *at, const char *before);
/* On a new line: back to the C text itself. */
void kb_emit_back(struct kb_emit *);

/* C text of the owner with its names rewritten: as it stands, or as tokens with a blank between them. */
void kb_emit_c(struct kb_emit *, struct kb_span);
void kb_emit_tokens(struct kb_emit *, struct kb_span, const char *without);     /* without: words, a list with commas */
/* The same with kb_emit_at before and a line of its own. */
void kb_emit_c_at(struct kb_emit *, const char *before, struct kb_span);

/* ---- name.c ---- */

/* The instance of this class; never NULL for the program, its bases and its imports. */
const struct kb_instance *kb_instance_of(const struct kb_emit *, const struct kb_yamba_class *);
const char *kb_c_name(const struct kb_emit *, const struct kb_instance *, const struct kb_member *);
const char *kb_composer_name(const struct kb_emit *, const struct kb_instance *, const struct kb_member *);
/* Of one that kb_is_plain. */
const char *kb_plain_name(const struct kb_emit *, const struct kb_instance *, const struct kb_member *);
/* Of one that is an argument. */
const char *kb_value_name(const struct kb_emit *, const struct kb_instance *, const struct kb_member *);
/* What the name of a parameter is in C, where it may be that of a member, too. */
const char *kb_local_name(const struct kb_emit *, struct kb_span name);
/* What a word of C text becomes; NULL: it stays. */
const char *kb_emit_renamed(struct kb_emit *, const struct kb_c_word *);
/* What super.NAME means in the owner, which is reached then; NULL: nothing. */
const struct kb_member *kb_emit_super(struct kb_emit *, struct kb_span name);

/* Sets the class in which that stands which is written next. */
void kb_emit_of(struct kb_emit *, const struct kb_yamba_class *);

/* Walks over all members of an instance, bases first. The owner is set. */
typedef void kb_emit_member(struct kb_emit *, const struct kb_member *);
void kb_emit_members(struct kb_emit *, kb_emit_member *);
/* The same of all instances, which become that which is being written in turn. Then back to the C text itself. */
void kb_emit_all(struct kb_emit *, kb_emit_member *);
/* Whether it is what the instance means by its name, not what a derived class replaced. */
bool kb_most_derived(const struct kb_instance *, const struct kb_member *);
/* Whether anything can call it. */
bool kb_is_reached(const struct kb_emit *, const struct kb_instance *, const struct kb_member *);

/* The init of a datum in the instance: a new value of a derived class, or that of the declaration; at == NULL: none.
   *owner: the class in which it stands. */
struct kb_span kb_data_init(const struct kb_instance *, const struct kb_member *, const struct kb_yamba_class **owner);

/* ---- the other parts ---- */

void kb_emit_fragments(struct kb_emit *);
void kb_emit_composer_head(struct kb_emit *, const struct kb_member *); /* up to its ')' */
void kb_emit_composer(struct kb_emit *, const struct kb_member *);
/* Whether it is written as data: nothing but asm blocks without a number. */
bool kb_is_plain(const struct kb_emit *, const struct kb_member *);
void kb_emit_plain(struct kb_emit *, const struct kb_member *);
void kb_emit_parameter(struct kb_emit *, const struct kb_yamba_parameter *);
void kb_emit_parameters(struct kb_emit *, const struct kb_member *);    /* with names, "void" if none */
void kb_emit_entry_type(struct kb_emit *, const struct kb_member *);
void kb_emit_entry_head(struct kb_emit *, const struct kb_member *);    /* up to its ')' */
void kb_emit_entry(struct kb_emit *, const struct kb_member *);
/* C text outside of classes, of all files that the program takes from, in order of need. */
typedef void kb_emit_text(struct kb_emit *, struct kb_span);
void kb_emit_texts(struct kb_emit *, kb_emit_text *);
/* The C function of this name that the program has; NULL: none. */
const struct kb_member *kb_emit_function_of(const struct kb_emit *, const char *name);
void kb_emit_params(struct kb_emit *);
void kb_emit_constant(struct kb_emit *);        /* what the header declares */
void kb_emit_descriptor(struct kb_emit *);
void kb_emit_start(struct kb_emit *);   /* finds instances */

/* Numbers the asm blocks of all classes of the program; `found` (may be NULL) gets each, in that order. */
unsigned kb_emit_blocks(const struct kb_emit *, kb_block_found *found, void *context);

#endif
