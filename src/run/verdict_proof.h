/* What the proof saw of the operation, beside what the benchmark claims. */
#ifndef KB_RUN_VERDICT_PROOF_H
#define KB_RUN_VERDICT_PROOF_H

#include "run/result.h"
#include "run/samples.h"

/* from: a process that says what the benchmark claims. */
void kb_proof_judge(const struct kb_proof *, const struct kb_samples *from, struct kb_result *);

#endif
