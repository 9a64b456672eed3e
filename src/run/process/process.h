/* The transport to kbench-collect. */
#ifndef KB_RUN_PROCESS_PROCESS_H
#define KB_RUN_PROCESS_PROCESS_H

#include "run/process/guardian.h"
#include "run/process/transport.h"

struct kb_process;

/* The process transport of one run; scratch is its folder. NULL without memory. */
struct kb_process *kb_process_new(const struct kb_run_options *, struct kb_guardian *, const char *scratch);
struct kb_transport kb_process_transport(struct kb_process *);

/* Others that are alive at the same time, as copies or as sides of a comparison: what runs for them is no stray when a launch of this
   one ends. One of them may be this one. The array stays the caller's. */
void kb_process_with(struct kb_process *, struct kb_process *const *all, unsigned count);

/* The next launch is a copy (from 0) of so many, which share the memory of `line`; copies 0: it is a launch by itself. line
   below 0: one without a line that still carries the number in its name, a proof. */
void kb_process_line(struct kb_process *, int line, unsigned copies, unsigned copy);
void kb_process_free(struct kb_process *);

#endif
