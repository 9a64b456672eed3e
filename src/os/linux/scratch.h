/* Directories that go when their work is done. */
#ifndef KB_OS_SCRATCH_H
#define KB_OS_SCRATCH_H

#include <sys/types.h>

/* Removes a file, or a directory with all that is in it; what is not there is no error. 0 or -errno. */
int kb_remove_tree(const char *path);

/*
 * A directory for what other programs read and write: an assembler and a compiler work on files. It goes with all in it when it
 * is closed, and also where this process ends before that, by an error, by Ctrl-C or by kill -9: a second process, the keeper, waits for
 * either. Where both are killed, it goes when the next one of its name is made: those two hold its lock, which nobody has then.
 */
struct kb_scratch {
	const char *path;
	int line;                       /* the keeper ends when its other end does */
	int lock;
	pid_t keeper;                   /* -1: there is none, and the directory goes when it is closed */
};

/* Makes the directory: `path` ends in XXXXXX, as for mkdtemp(), which fills it in, and must stay. 0 or -errno. */
int kb_scratch_open(struct kb_scratch *, char *path);

/* Returns when the directory is gone. */
void kb_scratch_close(struct kb_scratch *);

#endif
