/* Between the files of kbench sel4. */
#ifndef KB_CLI_SEL4_SEL4_H
#define KB_CLI_SEL4_SEL4_H

#include <jansson.h>

#include "cli/cli.h"
#include "cli/counts.h"
#include "run/backend/sel4.h"
#include "run/run.h"

struct kb_sel4_job {
	const struct kb_command *command;
	int argc;                       /* as typed */
	char **argv;
	const char *into;               /* build: the directory; boot: the file */
	struct kb_words sets;           /* -p */
	const char *method, *clock;
	bool flat;                      /* boot: an image for loaders of Linux images */
	struct kb_kanata_options grid;  /* confidence and half-width are for the reader of the table */
	const char *kanata;             /* an option that only method kanata has; NULL: none was given */
	struct kb_counts_request counts;
	struct kb_sel4_prefix prefix;
};

/* The kernel's configuration, which decides what a result means. */
struct kb_sel4_config {
	json_t *kernel, *user;          /* kernel/gen_config.json and sel4/gen_config.json, NULL: not there */
	char path[PATH_MAX];            /* of the former */
	char arch[16];
	unsigned megabytes;             /* of memory that the kernel expects, for QEMU */
};

/* Ends the program where it cannot be found or names no architecture of ours. */
void kb_sel4_config_read(const struct kb_sel4_job *, struct kb_sel4_config *);
void kb_sel4_config_free(struct kb_sel4_config *);

/* An option's value as text: "yes", "no", a number or a word; absent is "no", as in the kernel. */
const char *kb_sel4_config_text(const struct kb_sel4_config *, const char *key);

/* Of all options but those that make the kernel count: a kernel that counts is evidence for one that has the same. */
uint32_t kb_sel4_config_but_counting(const struct kb_sel4_config *);

/* What an option of the kernel means for a benchmark. when: the value that makes the remark; "*": any, "!x": any but x. arch: only
   there; NULL: everywhere. */
enum kb_sel4_weight { KB_SEL4_NOTE, KB_SEL4_WARNING, KB_SEL4_BOARD, KB_SEL4_REFUSED };
struct kb_sel4_rule { const char *key, *when, *arch; enum kb_sel4_weight weight; const char *text; };

/* The next one that applies, of at least this weight; NULL begins, and is behind the last. One that is BOARD: this kernel
   cannot be measured in the emulator; REFUSED: nor on a board. */
const struct kb_sel4_rule *kb_sel4_next_rule(const struct kb_sel4_config *, const struct kb_sel4_rule *, enum kb_sel4_weight);

/* Builds the root server for the kernel of the job, where it goes, and for which architecture. Ends the program where that fails. */
void kb_sel4_build(const struct kb_sel4_job *, char into[PATH_MAX], char arch[KB_SEL4_ARCH_NAME]);

/* Verbs; they return the exit code. */
int kb_sel4_verb_build(struct kb_sel4_job *, int argc, char **argv);
int kb_sel4_verb_boot(struct kb_sel4_job *, int argc, char **argv);
int kb_sel4_verb_insn(struct kb_sel4_job *, int argc, char **argv);

/* `kbench doctor sel4`: prints what the kernel's configuration means, and returns the exit code. */
int kb_sel4_doctor(const struct kb_command *, bool json);

#endif
