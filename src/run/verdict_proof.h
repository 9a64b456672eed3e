/* What the proof saw of the operation, beside what the benchmark claims. */
#ifndef KB_RUN_VERDICT_PROOF_H
#define KB_RUN_VERDICT_PROOF_H

#include "run/result.h"
#include "run/samples.h"

void kb_proof_judge(const struct kb_samples *proof, struct kb_result *);

#endif
