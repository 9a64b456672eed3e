/* Whether the run of an id is being measured right now. The kernel keeps the mark of a process and takes it away with it, however it ends. */
#ifndef KB_RUN_PROCESS_LIVE_H
#define KB_RUN_PROCESS_LIVE_H

#include <stdbool.h>

/* Marks the run as alive until the descriptor is closed. -errno: it cannot be marked here, or is already; the run can go on without. */
int kb_live_mark(const char *run_id);

/* Of a process in the same network namespace; another one is not seen. */
bool kb_live_is_marked(const char *run_id);

#endif
