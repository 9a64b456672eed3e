/* kbench kernel: its verbs share the options. */
#ifndef KB_CLI_KERNEL_KERNEL_H
#define KB_CLI_KERNEL_KERNEL_H

#include "cli/cli.h"
#include "cli/counts.h"

#define KB_KERNEL_USER_MAX 16u

struct kb_kernel_job {
	const struct kb_command *command;
	int argc;                       /* as typed */
	char **argv;
	const char *headers, *into;     /* directories; NULL: the usual ones */
	const char *own[KB_KERNEL_USER_MAX];     /* files with benchmarks of the user's; NULL behind the last, if there is room */
	const char *against_headers;
	struct kb_words sets;           /* -p */
	struct kb_counts_request counts;
};

/* Names of our benchmarks as the build takes them, with blanks between, in text; NULL: all of them, since nothing is named. Ends the program
   where one is none. */
const char *kb_kernel_named(const struct kb_kernel_job *, int argc, char **argv, char *text, size_t room);
unsigned kb_kernel_own_count(const struct kb_kernel_job *);


/* Each gets the words behind it, and returns the exit code. */
int kb_kernel_verb_load(struct kb_kernel_job *, int argc, char **argv);
int kb_kernel_verb_unload(struct kb_kernel_job *, int argc, char **argv);
int kb_kernel_verb_insn(struct kb_kernel_job *, int argc, char **argv);

/* `kbench doctor kernel`: prints it, and returns the exit code. */
int kb_kernel_doctor(bool json);

/* 3 where this kernel or this user cannot, 5 where it could have. error: -errno of run/backend/kernel.h. */
int kb_kernel_exit(int error);

#endif
