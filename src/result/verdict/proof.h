/* What the proof saw of the operation, beside what the benchmark claims. */
#ifndef KB_RESULT_VERDICT_PROOF_H
#define KB_RESULT_VERDICT_PROOF_H

#include "result/result.h"
#include "result/samples.h"

/* from: a process that says what the benchmark claims. */
void kb_proof_judge(const struct kb_proof *, const struct kb_samples *from, struct kb_result *);

#endif
