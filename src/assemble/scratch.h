/*
 * A folder for what other programs read and write: an assembler and a compiler work on files. It goes with all in it when it
 * is closed, and also where this process ends before that, by an error, by Ctrl-C or by kill -9: a second process waits for
 * either.
 */
#ifndef KB_ASSEMBLE_SCRATCH_H
#define KB_ASSEMBLE_SCRATCH_H

#include <sys/types.h>

struct kb_scratch {
	const char *path;
	int line;                       /* the keeper ends when its other end does */
	pid_t keeper;                   /* -1: there is none, and the folder goes when it is closed */
};

/* Makes the folder: `path` ends in XXXXXX, as for mkdtemp(), which fills it in, and must stay. 0 or -errno. */
int kb_scratch_open(struct kb_scratch *, char *path);

/* Returns when the folder is gone. */
void kb_scratch_close(struct kb_scratch *);

#endif
