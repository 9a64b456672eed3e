/*
 * What the verbs of `kbench yamba` share. Each loads its operand, does one thing with it, and what is wrong in the program
 * is printed once, at the end.
 */
#ifndef KB_CLI_YAMBA_YAMBA_H
#define KB_CLI_YAMBA_YAMBA_H

#include <limits.h>

#include "cli/cli.h"
#include "yamba/emit/emit.h"
#include "yamba/front/class.h"

/* One operand with all classes that it can see. */
struct kb_yamba_job {
	const struct kb_command *command;
	struct kb_words settings;       /* -p, in order */
	const char *start;              /* --start */
	const char *directory;          /* -o; NULL: this one */
	bool emit_c, header;
	size_t limit;                   /* of printed errors, for one operand */
	struct kb_arena arena;
	struct kb_yamba yamba;
	size_t classes, warnings, errors, assembled;
	const char *missing;            /* a platform whose assembler is not here; NULL: none was needed */
	bool missing_compiler;          /* so that C text was not checked */
};

/* ---- load.c ---- */

/* Reads the operand (NULL: none) and the library. Does not return if it cannot be read. */
void kb_yamba_job_load(struct kb_yamba_job *, const char *operand);

/* Whether no error was found so far. */
bool kb_yamba_job_good(struct kb_yamba_job *);

/* Prints what was found and counts it; true if there is no error. */
bool kb_yamba_job_tell(struct kb_yamba_job *);

bool kb_yamba_is_benchmark(const struct kb_yamba_class *);
bool kb_yamba_is_native(const struct kb_yamba_class *);         /* of this machine's platform, or of none */

/* What ends in .yamba or has a slash is a file, everything else a class of the library. */
bool kb_yamba_is_file(const char *operand);

/* Ends the program if there is none. */
struct kb_yamba_class *kb_yamba_job_class(const struct kb_yamba_job *, const char *name);

/* The first class of a file from which others are derived; NULL: it has none such. Ends the program if it has no class. */
struct kb_yamba_class *kb_yamba_job_blueprint(struct kb_yamba_job *, const char *file);

/* The program that an operand means on this machine, checked: --start, the class that fits best, or the only one of the
   file. NULL after an error, which is told. */
struct kb_yamba_class *kb_yamba_job_program(struct kb_yamba_job *, const char *operand);

/* ---- build.c ---- */

/* What the compiler makes of C text: a shared object, or a collector of the program alone. */
struct kb_yamba_product {
	const char *path;
	const char *headers;            /* gets the list of what the text includes, as make reads it; NULL: no list */
	const char *collector;          /* the object that it is linked with to a collector; NULL: a shared object */
	bool host;                      /* by the host's compiler whatever the platform: to compose without calling */
	bool checked;                   /* the text is looked at, and nothing made; path is what a scratch directory is named after */
};

/* False after telling why not. */
bool kb_yamba_job_compile(struct kb_yamba_job *, const struct kb_yamba_class *, const char *text, const struct kb_yamba_product *);

/* Translates a checked program and compiles that, with `tail` behind it; what is fresh stays. False after telling why not. */
bool kb_yamba_job_make(struct kb_yamba_job *, const struct kb_yamba_class *, bool benchmark, const char *tail,
	const struct kb_yamba_product *);

/* ---- show.c ---- */

/* Tells on standard error what is suspicious in what these calls compose. */
void kb_yamba_job_lint(struct kb_yamba_job *, const struct kb_yamba_class *, const struct kb_words *calls);

/* ---- cross.c ---- */

/* Makes a program of another platform known to `kbench run`, with a collector that has this program alone. path: CLASS-HASH.so
   in the cache, next to which that goes. False after telling why not. */
bool kb_yamba_job_cross(struct kb_yamba_job *, const struct kb_yamba_class *, const char *path);

/* ---- run.c ---- */

/* The program as a plug-in in the cache, made if need be. False after telling why not. */
bool kb_yamba_job_plugin(struct kb_yamba_job *, const struct kb_yamba_class *, char path[PATH_MAX]);

/* Whether this product is there, and nothing that it was made of was changed since, its sources aside: they are in its name. */
bool kb_yamba_is_fresh(const struct kb_yamba_product *);

/* ---- the verbs; each returns an exit code ---- */

int kb_yamba_verb_check(struct kb_yamba_job *, int argc, char **argv);
int kb_yamba_verb_build(struct kb_yamba_job *, int argc, char **argv);
int kb_yamba_verb_show(struct kb_yamba_job *, int argc, char **argv);
int kb_yamba_verb_port(struct kb_yamba_job *, int argc, char **argv);

/* All words of the command: yamba run FILE-or-CLASS, and then those of `kbench run`. */
int kb_yamba_verb_run(struct kb_yamba_job *, int argc, char **argv);

/* Commands with options of their own, behind the words `paper`, `table` and `pipes`. */
extern const struct kb_command kb_command_yamba_paper, kb_command_yamba_table, kb_command_yamba_pipes;

#endif
