/*
 * The guardian: one small process that outlives the run by a moment. When the run ends, by kill -9 too, it kills what
 * the run started and undoes what the run changed. Settings change only after their undo is journalled here.
 */
#ifndef KB_RUN_PROCESS_GUARDIAN_H
#define KB_RUN_PROCESS_GUARDIAN_H

#include <sys/types.h>

#include "types.h"

struct kb_guardian {
	int lifeline;
	int settings;           /* for collectors: on it they journal what they are about to change (collect/linux/settings.h) */
	pid_t pid;
};

/* Starts it. Every process of the run must carry KBENCH_RUN=run_id in its environment. 0 or -errno. */
int kb_guardian_start(struct kb_guardian *, const char *run_id);

/* Journal entries; the guardian acknowledges each, so that it is safe to change things on return. 0 or -errno
   (-EPIPE: the guardian is gone; do not change anything then). Paths without newlines. */
int kb_guardian_group(struct kb_guardian *, pid_t group);       /* of the process in flight; 0: none (ids are reused) */
int kb_guardian_remove(struct kb_guardian *, const char *path); /* a file or directory with all in it */

/* Loads a kernel module for as long as the run goes on: run/backend/module.h, whose answers it gives, and -EPIPE. keep: one that is to stay,
   which it does once all of them are there. */
int kb_guardian_load(struct kb_guardian *, const char *module, const char *path, bool keep);
int kb_guardian_keep_modules(struct kb_guardian *);

/* A process has ended: what it changed is put back, unless another that lives has changed it, too. */
int kb_guardian_settle(struct kb_guardian *, pid_t group);

/* Lets it clean up now and waits for it (at most 10 s). */
void kb_guardian_stop(struct kb_guardian *);

#endif
