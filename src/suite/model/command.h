/* A command of the user's, run under a limit: what it asks of the kernel, and how long it takes untraced. */
#ifndef KB_SUITE_MODEL_COMMAND_H
#define KB_SUITE_MODEL_COMMAND_H

#include "types.h"

enum { KB_COMMAND_CALLS = 1024 };       /* numbers of system calls, above those of all architectures */

struct kb_command_how {
	char *const *argv;              /* ends with NULL; without a slash it is looked for in PATH */
	unsigned cpu;                   /* it stays there, with all it starts */
	uint64_t limit_ns;              /* then it is killed, with all of its process group */
};

/* By ptrace, of all its processes and threads, from its first instruction on. */
struct kb_command_counts {
	uint64_t calls[KB_COMMAND_CALLS];       /* by number; [KB_COMMAND_CALLS - 1]: all others */
	uint64_t starts;                /* programs: execve that succeeded, its own first */
	uint64_t processes, threads;    /* that it made */
	int status;                     /* of waitpid */
};

/* As the kernel accounts it, with all children that were waited for. */
struct kb_command_time {
	uint64_t wall_ns, user_ns, system_ns;
	uint64_t minor, major, switches;
	int status;
};

/* 0, or -errno: -ETIME past the limit, -EINTR when the run is to stop, -EPERM if tracing is refused; of exec its own
   (-ENOENT). Input, output and errors of the command are /dev/null. Counting waits for any child: the caller has no other. */
int kb_command_count(const struct kb_command_how *, struct kb_command_counts *);
int kb_command_measure(const struct kb_command_how *, struct kb_command_time *);

#endif
