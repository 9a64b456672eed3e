/* The papers' figures for results that measure what the papers did: stored ones, of any run. */
#ifndef KB_STUDY_PAPERS_H
#define KB_STUDY_PAPERS_H

#include <jansson.h>

#include "result/result.h"

/* {"kanata", "yamba"} of `papers` in kbench-report/1 (doc/result.md), each null where no result is of its kind; NULL where both are. */
json_t *kb_papers_json(const struct kb_result *const *results, size_t count);

#endif
