/*
 * What is to be undone at the end of a run, in a file. So it outlives the guardian, for which another one is started, and both of them: then
 * the next run of the same user undoes it. An entry is in the file before the change is made, and is taken out
 * after it is undone. Whoever holds the lock of the file has the journal: the run and its guardian together, or who cleans up behind them.
 */
#ifndef KB_RUN_PROCESS_JOURNAL_H
#define KB_RUN_PROCESS_JOURNAL_H

#include <limits.h>
#include <sys/types.h>

#include "run/backend/module.h"

/* "remove PATH", "unload MODULE" or "restore PATH\tVALUE". */
struct kb_journal_entry {
	char *line;
	pid_t owner;            /* the group of the process that asked; 0: the run itself */
	struct kb_module_hold hold;     /* on the module, where it is about one */
};

struct kb_journal {
	int file;
	char path[PATH_MAX];    /* "": in memory alone, for no directory takes files */
	bool nameless;          /* it gets its name when it is published */
	char run_id[64];
	struct kb_journal_entry *entries;
	size_t count;
	pid_t group;            /* of the process in flight */
};

/* The directory for what a run keeps in files, and for its journal: TMPDIR, else /var/tmp. Whole, so that it means the same from everywhere. */
void kb_run_directory(char directory[PATH_MAX]);

/* A new one, in a file or, where none can be made, in memory. 0 or -errno. The file has no name, so that nothing is left of a run that is killed before
   its guardian lives; then it is published. */
int kb_journal_create(struct kb_journal *, const char *run_id);
void kb_journal_publish(struct kb_journal *);

/* Reads the entries of the file, in place of what was in memory, and relies on modules again. 0 or -errno. */
int kb_journal_read(struct kb_journal *);

/* -EINVAL: what is no single line; -ENOSPC and the like: it is not written, so nothing may be changed. */
int kb_journal_add(struct kb_journal *, const char *line, pid_t owner);
void kb_journal_drop(struct kb_journal *, size_t entry);
void kb_journal_set_group(struct kb_journal *, pid_t group);

/* Undoes one entry and takes it out. */
void kb_journal_undo(struct kb_journal *, size_t entry);

/* The end of a run: kills what is left of its processes, but for `spared`, undoes all entries, newest first, and removes the file. */
void kb_journal_finish(struct kb_journal *, pid_t spared);

/* Finishes journals of this user whose run and guardian are both gone. */
void kb_journal_sweep(void);

/* Frees what it has in memory. */
void kb_journal_release(struct kb_journal *);

#endif
