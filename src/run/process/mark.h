/*
 * Every process of a run carries a mark, by which it is found when nobody knows it as a child any more: a daemon, or what a run that was
 * killed had started. It is the soft limit of file locks, which Linux has not looked at since 2.4.25: children inherit it, no program and no
 * change of user clears it by accident, as they clear an environment, and everybody may read it.
 */
#ifndef KB_RUN_PROCESS_MARK_H
#define KB_RUN_PROCESS_MARK_H

#include <sys/types.h>

/* Marks this process and what it starts from now on as of that run; NULL: as of none. 0 or -errno. */
int kb_mark(const char *run_id);

/* Kills all of that run, but for this process and another one, `spared`; what they start meanwhile, too. */
void kb_mark_hunt(const char *run_id, pid_t spared);

#endif
