/* Programs that run while we do something else: started with their files, looked at, ended. */
#ifndef KB_RUN_PROCESS_CHILD_H
#define KB_RUN_PROCESS_CHILD_H

#include <sys/types.h>

#include "types.h"

struct kb_child_files {
	const char *input;      /* NULL: /dev/null */
	const char *output;     /* what it prints is added to this file */
	const char *error;      /* the same for its errors; NULL: they go to the output */
};

enum kb_child_bond {
	KB_CHILD_GROUP,         /* a process group of its own: Ctrl-C is ours to hand on */
	KB_CHILD_BOUND,         /* the same, and it ends with us, however we end */
	KB_CHILD_FREE           /* a session of its own, which goes on when we end */
};

/* The program is looked for in PATH. 0 or -errno, also where a file cannot be opened. */
int kb_child_start(const char *const *words, const struct kb_child_files *, enum kb_child_bond, pid_t *child);

/* Waits so long for its end, then kills its group. The exit code, 128 and the number of the signal that ended it, or -errno. */
int kb_child_wait(pid_t child, uint64_t limit_ns);

/* Whether it has ended, and how; *code as above. */
bool kb_child_ended(pid_t child, int *code);

/* All children of this thread, strays that came to it as the subreaper among them: at most so many. 0: there are none, or no such list. */
unsigned kb_child_list(pid_t *children, unsigned room);

#endif
