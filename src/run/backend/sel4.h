/*
 * Benchmarks on seL4. sel4.X lies in a root server that `kbench sel4 build` makes for a kernel the user has installed; a process is
 * a boot of it. The variables that seL4 projects use name the kernel: SEL4_PREFIX, or SEL4_KERNEL and SEL4_INCLUDE_DIRS.
 */
#ifndef KB_RUN_BACKEND_SEL4_H
#define KB_RUN_BACKEND_SEL4_H

#include <limits.h>

#include "kbench.h"
#include "run/method.h"
#include "run/process/guardian.h"

#define KB_SEL4 "sel4"                  /* the target, and the domain of its benchmarks */
#define KB_SEL4_WHY 240

/* Made by tools/target-list from bench/sel4; ends with NULL. Their functions are in the root server. */
extern const struct kb_bench *const kb_sel4_benches[];

/* What the variables name. A Microkit SDK's directory of a board and a configuration is a prefix, too. */
struct kb_sel4_prefix {
	char kernel[PATH_MAX];
	char includes[PATH_MAX];        /* directories with colons between them */
	char platform[PATH_MAX];        /* platform_gen.json; "": this architecture has none */
	bool sdk;
};

/* From here on the variables name what was installed into this directory, NULL: what they named, and no kernel that counts. */
void kb_sel4_choose(const char *directory);

/* False with the reason and the remedy: nothing is named, or what is named is not there. */
bool kb_sel4_prefix(struct kb_sel4_prefix *, char why[KB_SEL4_WHY]);

/* Where the image for this kernel is, or is to be: a directory of its own below the user's cache. False without a home. */
bool kb_sel4_directory(const struct kb_sel4_prefix *, char directory[PATH_MAX]);

/* The image that was built for this kernel: its directory, and its architecture. False with the reason: there is none, or the kernel is
   newer. */
#define KB_SEL4_ARCH_NAME 32
bool kb_sel4_image(const struct kb_sel4_prefix *, char directory[PATH_MAX], char arch[KB_SEL4_ARCH_NAME], char why[KB_SEL4_WHY]);

/* Whether there is an image and what boots it. 0, or -errno with the reason; -EPROTO: another version of kbench built the image. */
int kb_sel4_available(char why[KB_SEL4_WHY]);

/* The kernel of SEL4_COUNTED_PREFIX, which tracks utilisation: what it counts is evidence for results of the other. False: none is named.
   why "": it is there. */
bool kb_sel4_counted_prefix(struct kb_sel4_prefix *, char why[KB_SEL4_WHY]);

/* Its image's directory, as kb_sel4_available() found it; NULL: there is none. */
const char *kb_sel4_witness(void);

/* The directory of the image that was found, for the collector; "": none was. */
const char *kb_sel4_device(void);

/* Nothing is probed: a boot is too dear for that, and under an emulator n can be chosen beforehand. */
void kb_sel4_design(const struct kb_bench *, struct kb_design *, enum kb_method);

/* Tests of a process that the root server has room for. */
#define KB_SEL4_TESTS_MAX 4096

/* A fact of the image in that directory, as `kbench sel4 build` found it: arch, kernel, config ... False: not known. */
bool kb_sel4_fact(const char *directory, const char *key, char *value, size_t room);

/* Whether the image in a directory is one that this version can use. */
bool kb_sel4_image_fits(const char *directory);

#endif
