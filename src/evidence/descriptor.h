/* What a benchmark says of itself, looked over once when it is loaded: everything that follows relies on it. */
#ifndef KB_EVIDENCE_DESCRIPTOR_H
#define KB_EVIDENCE_DESCRIPTOR_H

#include "types.h"
#include "kbench.h"
#include "base/text.h"

/* 0, or -KB_EINVAL with one line in error: what is wrong, and what would be right. */
int kb_descriptor_check(const struct kb_bench *, struct kb_text *error);

#endif
