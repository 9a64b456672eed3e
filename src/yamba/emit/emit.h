/*
 * From checked classes to C text: the asm blocks of a program become fragments, a class flattened over its bases and
 * imports becomes one translation unit that calls include/kbench_yamba.h.
 *
 *   kb_yamba_assemble   asm blocks -> fragments, with the assembler's messages as diagnostics
 *   kb_yamba_emit       class and fragments -> C
 */
#ifndef KB_YAMBA_EMIT_EMIT_H
#define KB_YAMBA_EMIT_EMIT_H

#include "assemble/assemble.h"
#include "yamba/front/yamba.h"

struct kb_emit_options {
	bool benchmark;                 /* with the descriptor that makes it a benchmark; it must define benchmark() */
	bool exported;                  /* with the constant that the header declares, for use from other C */
	bool described;                 /* nothing but a descriptor is written, and no datum with it */
	bool embedded;                  /* the text of the run time stands before: no #include of kbench_yamba.h */
	const char *prefix;             /* put before relative paths of sources in #line and tables; NULL: none */
	const char *name;               /* of the C file, for #line; NULL: CLASS.c */
	unsigned line;                  /* of the C file on which this text begins; 0: the first */
};

/*
 * All asm blocks of the class, its bases and imports, in one run of the assembler, after the checks of those of them that
 * were not checked yet. 0, -EINVAL with diagnostics, -ENOSYS
 * where the assembler or libelf is missing (Y201 is a diagnostic, too), -ENOMEM. A class without asm needs no assembler.
 * Free the assembly in either case, and before the arena.
 */
int kb_yamba_assemble(struct kb_yamba *, const struct kb_yamba_class *, struct kb_assembly *);

/* The C text of a concrete class that was checked and assembled without an error. Errors of the file stay in the file. */
void kb_yamba_emit(FILE *, struct kb_yamba *, const struct kb_yamba_class *program, const struct kb_assembly *,
	const struct kb_emit_options *);

/*
 * What the C compiler printed of that text, as diagnostics (Y230): at the places of the sources where #line led, without names that the
 * translation made; what has no place there stands at the other one. Returns how many it found.
 */
size_t kb_yamba_take_c_errors(struct kb_yamba *, struct kb_place otherwise, const char *output, size_t length);

/*
 * `static const struct kb_bench y_CLASS`: what a benchmark's user must know of a program that other code has: its name, its
 * params and their values. Needs no assembly, so it can be of any platform. Before the first one stands what they share.
 */
void kb_yamba_emit_described(FILE *);
void kb_yamba_emit_description(FILE *, struct kb_yamba *, const struct kb_yamba_class *program);

/*
 * The header of the same program: types, and `extern const struct yamba_CLASS CLASS`, of which each entry is a member:
 * CLASS.entry(arguments) composes as in Yamba.
 */
void kb_yamba_emit_header(FILE *, struct kb_yamba *, const struct kb_yamba_class *program);

#endif
