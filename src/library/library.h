/* What kb_main and kb_measure share. */
#ifndef KB_LIBRARY_LIBRARY_H
#define KB_LIBRARY_LIBRARY_H

#include "kbench_measure.h"
#include "workflow/workflow.h"

/* As `kbench run` without options, with these benchmarks and this program as their collector. */
struct kb_workflow_request kb_library_request(const struct kb_bench *const *benches);

#endif
