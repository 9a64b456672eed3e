/*
 * The guardian: one small process that outlives the run by a moment. When the run ends, by kill -9 too, it kills what
 * the run started and undoes what the run changed. Settings change only after their undo is journalled. Killed itself, it is replaced; killed
 * together with the run, its journal (journal.h) tells the next run what to undo.
 */
#ifndef KB_RUN_PROCESS_GUARDIAN_H
#define KB_RUN_PROCESS_GUARDIAN_H

#include <sys/types.h>

#include "run/process/journal.h"

struct kb_guardian {
	int lifeline;
	int settings;           /* for collectors: on it they journal what they are about to change (collect/linux/settings.h) */
	int heard;              /* its other end: while there is no guardian, what they say waits for the next one */
	pid_t pid;              /* below 0: there is none */
	unsigned revivals;
	struct kb_journal journal;
};

/* Starts it, after what runs left that were killed together with theirs is undone. Every process of the run must carry its mark
   (run/process/mark.h). 0 or -errno, and then nothing has to be stopped. */
int kb_guardian_start(struct kb_guardian *, const char *run_id);

/* Where it was killed, the next one takes its place: whoever waits for something of the run looks from time to time, so that a kill of
   the run finds one. What is said to it starts one, too. */
void kb_guardian_look(struct kb_guardian *);

/* Journal entries; the guardian acknowledges each, so that it is safe to change things on return. 0 or -errno (do not change anything then;
   -EPIPE: there is no guardian any more). Paths without newlines. */
int kb_guardian_group(struct kb_guardian *, pid_t group);       /* of the process in flight; 0: none (ids are reused) */
int kb_guardian_remove(struct kb_guardian *, const char *path); /* a file or directory with all in it */

/* Loads a kernel module for as long as the run goes on: run/backend/module.h, whose answers it gives, and -EPIPE. keep: one that is to stay,
   which it does once all of them are there. */
int kb_guardian_load(struct kb_guardian *, const char *module, const char *path, bool keep);
int kb_guardian_keep_modules(struct kb_guardian *);

/* A process has ended: what it changed is put back, unless another that lives has changed it, too. */
int kb_guardian_settle(struct kb_guardian *, pid_t group);

/* In a fork of the run that goes on as one of its processes: what the run holds would outlive it there. The line for settings stays. */
void kb_guardian_leave(struct kb_guardian *);

/* Lets it clean up now and waits for it (at most 10 s). Of one that was not started nothing happens. */
void kb_guardian_stop(struct kb_guardian *);

#endif
