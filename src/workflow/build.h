/*
 * What other programs build: they work in a directory next to the one that is to be there, which goes whatever happens, and what they
 * made is put in its place in one step. There is never half of it.
 */
#ifndef KB_WORKFLOW_BUILD_H
#define KB_WORKFLOW_BUILD_H

#include <limits.h>

#include "run/process/guardian.h"
#include "workflow/exit.h"

struct kb_build {
	char into[PATH_MAX];    /* the caller's: what is to be there, an absolute path */
	char work[PATH_MAX];    /* where it is made */
	char made[PATH_MAX];    /* in it: what becomes `into` */
	char log[PATH_MAX];     /* what the programs printed */
	struct kb_guardian guardian;
};

/* A part of kbench's sources, next to this program or where they are installed. what: "sources of the modules". */
int kb_build_sources(const char *part, const char *what, char path[PATH_MAX], struct kb_failure *);

/* Makes `work`. Signals end what runs there from then on. */
int kb_build_begin(struct kb_build *, struct kb_failure *);

/* Runs a program, with what it starts, to its end: 0, or a failure of `what` with the line of the log that has the reason. status,
   unless NULL: its exit code then. */
int kb_build_run(struct kb_build *, const char *const *words, const char *what, int *status, struct kb_failure *);

/* A failure of `what` with the first line of the log that has an error, else its last. */
int kb_build_refuse(const struct kb_build *, const char *what, struct kb_failure *);

/* Puts what was made in its place. */
int kb_build_put(struct kb_build *, struct kb_failure *);

/* Removes `work`, and ends what still runs there. */
void kb_build_end(struct kb_build *);

/* "DIRECTORY/NAME"; "" where that is too long. */
void kb_build_path(char path[PATH_MAX], const char *directory, const char *name);

/* The first line that a program prints, without its newline; "" where it cannot be had. */
void kb_build_line(const char *const *words, char *line, size_t room);

/* The SHA-256 of a file in hexadecimal digits; "" where it cannot be had. */
void kb_build_hash(const char *path, char hash[72]);

/* The release of the kernel whose headers these are, as uname reports it. */
bool kb_kernel_headers_release(const char *headers, char release[65]);

/* What compiles the modules of benchmarks inside a kernel. */
struct kb_kernel_build {
	struct kb_build build;          /* into: before kb_kernel_build() */
	const char *const *own;         /* benchmarks of the user's, `own_count` files */
	unsigned own_count;
	struct kb_notes notes;          /* what was left out where nothing is named, and what modules are without */
	const char *only;               /* names of ours that are wanted, with blanks between them; NULL: all */
	char root[PATH_MAX];            /* of the sources: kmod/, src/ and include/ */
	char headers[PATH_MAX], release[65];    /* of the kernel */
	const struct kb_kernel_platform *cross; /* it is for another machine than this; NULL: for this one */
};

/* Finds sources, compiler and the kernel's headers; headers NULL: of this kernel. The user's files can be used. */
int kb_kernel_build_find(struct kb_kernel_build *, const char *headers, struct kb_failure *);

/* Replaces what is at `into`: modules and descriptions. count: modules. A module of ours that needs what this kernel does not have is left out,
   and a failure if it was named. */
int kb_kernel_build(struct kb_kernel_build *, unsigned *count, struct kb_failure *);

#endif
