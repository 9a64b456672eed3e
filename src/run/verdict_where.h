/* Whether the operation ran where it was said to, with the partners it was said to have, and nobody else's help. */
#ifndef KB_RUN_VERDICT_WHERE_H
#define KB_RUN_VERDICT_WHERE_H

#include "run/result.h"
#include "run/summary.h"

void kb_where_judge(const struct kb_summary *, struct kb_result *);

#endif
