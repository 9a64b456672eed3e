/* What the traced child of a proof does: see evidence/proof.h. */
#ifndef KB_COLLECT_LINUX_PROVE_H
#define KB_COLLECT_LINUX_PROVE_H

#include "kbench.h"

/* Rehearses samples as a process has them, then marks those of n and 2n operations, and of the empty loop. Fewer than n where these
   would take long. 0, or what a hook of the benchmark returned. */
int kb_prove_samples(struct kb_run *, uint64_t n);

#endif
