/*
 * The front end of the Yamba compiler, from files to classes that are known to fit together:
 *
 *   read (files, #transclude) -> parse -> resolve (names, bases, imports, platforms) -> check (one class)
 *   -> choose (a program)
 *
 * All that is wrong is collected in `diagnostics`; a function that finds nothing returns NULL. Everything lives in
 * the arena.
 */
#ifndef KB_YAMBA_FRONT_YAMBA_H
#define KB_YAMBA_FRONT_YAMBA_H

#include "yamba/front/ast.h"

/* One file, and one with all that it transcludes, in bytes. A program is written by hand; a larger file is
   something else, and checks may take time by the square of it: each class looks at all members above it. */
#define KB_YAMBA_FILE_MAX (4u << 20)
#define KB_YAMBA_ALL_MAX (16u << 20)

struct kb_yamba {
	struct kb_arena *arena;
	struct kb_diagnostics diagnostics;
	struct kb_yamba_source *sources, **sources_end;
	unsigned source_count;
	size_t bytes;
	struct kb_yamba_class **classes;      /* after kb_yamba_resolve: by name, each name once */
	size_t class_count;
	unsigned marks;                 /* given to walks so far */
	/* The content of a file, in the arena, or -errno; kb_yamba_start sets one that reads files of the system. */
	int (*read)(struct kb_arena *, const char *path, const char **text, size_t *length);
};

void kb_yamba_start(struct kb_yamba *, struct kb_arena *);

/* A regular file of at most KB_YAMBA_FILE_MAX bytes; -errno if it is none. */
int kb_yamba_read_file(struct kb_arena *, const char *path, const char **text, size_t *length);

/* Reads and parses the file given, and what it transcludes; -errno if it cannot be read (-EFBIG: too large). */
int kb_yamba_add_file(struct kb_yamba *, const char *path);
/* The same for text that is there. It must stay. */
void kb_yamba_add_text(struct kb_yamba *, const char *path, const char *text, size_t length, bool shipped);
/* All *.yamba of a directory, by name, as shipped classes. A directory that is not there has none. */
int kb_yamba_add_directory(struct kb_yamba *, const char *directory);

/* Once, after the last file. */
void kb_yamba_resolve(struct kb_yamba *);

/* All checks of one class that need no assembler. */
void kb_yamba_check_class(struct kb_yamba *, struct kb_yamba_class *);

struct kb_yamba_class *kb_yamba_find(const struct kb_yamba *, struct kb_span name);

/* ---- choosing a program (section 5 of the language) ---- */

/* `machine` and `system` are names of library classes, such as x86_64 and linux. Y141, Y152 and Y153 are
   reported at the class. */
struct kb_yamba_class *kb_yamba_choose(
	struct kb_yamba *, struct kb_yamba_class *, const char *machine, const char *system);

/* Whether this program is for them, for a concrete class is chosen wherever it runs. Y153 if not. */
bool kb_yamba_fits(struct kb_yamba *, const struct kb_yamba_class *program, const char *machine, const char *system);

/* What a port of this class must supply: the abstract members that it sees, in order of declaration, ended by NULL. */
struct kb_member **kb_yamba_missing(struct kb_yamba *, const struct kb_yamba_class *);

/* The porting sheet. */
void kb_yamba_port(FILE *, struct kb_yamba *, const struct kb_yamba_class *);

/* ---- params (section 6) ---- */

/* As before a start of `program`: Y160 for each param without a value, Y162 for a setting NAME=VALUE that fits none. A
   setting has no place in a file: the class name stands for it. */
void kb_yamba_check_start(struct kb_yamba *, struct kb_yamba_class *program, const char *const *settings, size_t count);

#endif
