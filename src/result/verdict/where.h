/* Whether the operation ran where it was said to, with the partners it was said to have, and nobody else's help. */
#ifndef KB_RESULT_VERDICT_WHERE_H
#define KB_RESULT_VERDICT_WHERE_H

#include "result/result.h"
#include "result/summary/summary.h"

void kb_where_judge(const struct kb_summary *, struct kb_result *);

#endif
