/*
 * Benchmarks inside this kernel. kernel.X lies in the module kbench_X, on top of the module kbench, whose device runs the plan.
 * A run loads what it needs and the guardian unloads it again, unless the user had loaded it.
 */
#ifndef KB_RUN_BACKEND_KERNEL_H
#define KB_RUN_BACKEND_KERNEL_H

#include <limits.h>

#include "kbench.h"
#include "run/process/guardian.h"

#define KB_KERNEL "kernel"              /* the target, and the domain of its benchmarks */
#define KB_KERNEL_MODULE "kbench"       /* what all others need */
#define KB_KERNEL_MODULE_MAX 56         /* bytes of a module's name, as in the kernel */
#define KB_KERNEL_WHY 240

/* Made by tools/target-list from kmod/bench; ends with NULL. Their functions are in the kernel. */
extern const struct kb_bench *const kb_kernel_benches[];

/* Benchmarks of the user's own, by number from 0: each has its description (description.h) next to its module in the directory that the
   module kbench of this kernel is found in. NULL: no more. */
const struct kb_bench *kb_kernel_user(unsigned number);
/* From here on those of another directory, which modules were built into. */
void kb_kernel_users_in(const char *directory);
/* The file of such a description. NULL: it is none of those. */
const char *kb_kernel_user_file(const struct kb_bench *);

/* What the first of them was refused for that another version of kbench built; NULL: there is none. */
const char *kb_kernel_user_refused(void);

/* /dev/kbench; tests have one of their own. */
const char *kb_kernel_device(void);

/* "kbench_X" of "kernel.X". */
void kb_kernel_module_of(const char *bench, char module[KB_KERNEL_MODULE_MAX]);

/* "/lib/modules/6.1.0" and the like for `kbench kernel build`: where modules that it made are put, and found first. False
   without a home. */
bool kb_kernel_directory(const char *release, char directory[PATH_MAX]);

/* The file of a module that was built for this kernel, which nobody else could have put there. 0; -ENOENT: there is none; -EPERM:
   others can exchange it. With the reason and the remedy. */
int kb_kernel_find(const char *module, char path[PATH_MAX], char why[KB_KERNEL_WHY]);
/* Loads it, with the kernel's own modules that it depends on, unless it is there already; the guardian unloads what was
   loaded, once no other run relies on it. keep: it is to stay (kb_guardian_keep_modules), which it cannot where a run relies on it
   already. One of another build is no module of ours. 0, or -errno with the reason and the remedy. */
int kb_kernel_load(struct kb_guardian *, const char *module, bool keep, char why[KB_KERNEL_WHY]);

/* Unloads it now. 0, also if it was not there, or -errno with the reason: a run may rely on it. */
int kb_kernel_unload(const char *module, char why[KB_KERNEL_WHY]);

/* Whether modules can be loaded here at all, by handing the kernel an empty one. 0 or -errno with the reason and the remedy. */
int kb_kernel_try(char why[KB_KERNEL_WHY]);

/* Whether what compiles modules is here: make and a C compiler. 0 or -ENOENT with what is missing. */
int kb_kernel_tools(char why[KB_KERNEL_WHY]);

/* Whether any of the benchmarks can run: what can be known without loading anything. 0, or -errno with the reason and the remedy;
   -EPROTO: another version of kbench built what is there. */
int kb_kernel_available(char why[KB_KERNEL_WHY]);

/* All that a process needs is loaded, or why it is not. */
int kb_kernel_ready(struct kb_guardian *, const struct kb_bench *, char why[KB_KERNEL_WHY]);

#endif
