/* The command that `kbench trace VERB -- CMD` traces: it is started and waits, so that tracing begins right before its exec. */
#ifndef KB_WORKFLOW_TRACEE_H
#define KB_WORKFLOW_TRACEE_H

#include <sys/types.h>

#include "types.h"
#include "workflow/exit.h"

struct kb_tracee {
	pid_t pid;              /* 0: there is no command, and tracing ends by Ctrl-C */
	int go, failed;         /* pipes: what lets it run; the errno of its exec */
	const char *name;
	int status;             /* of waitpid, once it ended */
	int signal;             /* that ended the tracing of a command before its end; 0: none */
	bool ended;
	long poll_ns;           /* how often enough() is asked, set behind kb_tracee_start(); 0: every 50 ms */
};

/* From here on SIGINT, SIGTERM and SIGHUP end the waiting and not this process. argv NULL or empty: no command. quiet: its output is
   thrown away. */
int kb_tracee_start(struct kb_tracee *, char **argv, bool quiet, struct kb_failure *);

/* Lets it run. What cannot be executed is a failure, too. */
int kb_tracee_go(struct kb_tracee *, struct kb_failure *);

/* Until the command ended, a signal came, so many ns are over (0: no limit) or enough() is true (NULL: never). A command
   that goes on then is ended: SIGTERM, and after a second SIGKILL. */
void kb_tracee_wait(struct kb_tracee *, uint64_t ns, bool (*enough)(void *context), void *context);

/* Ends a command that was never let run: tracing was refused. */
void kb_tracee_cancel(struct kb_tracee *);

/* How it ended, for one line; "" if it went well or there is none. Stands until the next call. */
const char *kb_tracee_ending(const struct kb_tracee *);

/* 0, or 128 + the signal that cut a command's tracing short. */
int kb_tracee_exit(const struct kb_tracee *);

#endif
