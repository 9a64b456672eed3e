/* perf software events of this thread and its children; no PMU needed. */
#ifndef KB_EVIDENCE_PERF_H
#define KB_EVIDENCE_PERF_H

#include "kbench.h"

/* A descriptor that counts KB_SW_FAULTS, _SWITCHES or _MIGRATIONS; -errno where the kernel refuses. */
int kb_perf_open(enum kb_counter counter);
uint64_t kb_perf_read(int fd);

#endif
