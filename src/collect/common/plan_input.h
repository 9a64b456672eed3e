/* Lines of the plan, without stdio: nothing is read ahead while a block runs but what came. */
#ifndef KB_COLLECT_COMMON_PLAN_INPUT_H
#define KB_COLLECT_COMMON_PLAN_INPUT_H

#include "base/plan.h"

/* The next line, without its newline; it stands until the next call. 1: there is one, 0: end of input, -EINVAL: it is too long, -errno of
   the read. */
int kb_plan_line(int fd, struct kb_span *line);

#endif
