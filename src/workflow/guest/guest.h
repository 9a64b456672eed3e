/*
 * Benchmarks inside a Linux kernel that is booted in QEMU, where the clock counts instructions: the modules are built for it, one boot
 * measures all results, each boot is a process of each, and the records become a run of the store. Nothing of this machine's kernel is used.
 */
#ifndef KB_WORKFLOW_GUEST_GUEST_H
#define KB_WORKFLOW_GUEST_GUEST_H

#include <limits.h>

#include "workflow/exit.h"

#define KB_GUEST_BOOTS_MAX 100

struct kb_guest_platform;

struct kb_guest_kernel {
	const struct kb_guest_platform *platform;
	const char *name;               /* as the user named it */
	char image[PATH_MAX], headers[PATH_MAX];
};

struct kb_guest_request {
	const char *const *patterns;    /* of benchmarks; none: all of the kernel's whose number of instructions means something */
	size_t pattern_count;
	const char *const *sets;        /* -p */
	size_t set_count;
	const char *const *own;         /* files of the user's benchmarks */
	unsigned own_count;
	unsigned boots;
	const char *store, *command;
	char directory[PATH_MAX];       /* where it works: nobody else may write there */
	struct kb_notes notes;
};

/* path: the directory that a kernel was built in, or its image. headers NULL: that directory, or those of the image's release in
   /lib/modules. What does not fit together is a failure. */
int kb_guest_find(struct kb_guest_kernel *, const char *path, const char *headers, struct kb_failure *);

/* Builds, boots and stores; id: of the run. A boot without all records is a failure. */
int kb_guest_count(const struct kb_guest_kernel *, const struct kb_guest_request *, char id[37], struct kb_failure *);

#endif
