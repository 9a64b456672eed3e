/* Lines of the plan from standard input, without stdio: nothing is read ahead while a block runs but what came. */
#ifndef KB_COLLECT_LINUX_PLAN_INPUT_H
#define KB_COLLECT_LINUX_PLAN_INPUT_H

#include "base/plan.h"

/* The next block. 1: there is one, 0: end of input, -EINVAL: not a plan line, -errno of the read. */
int kb_plan_next(int fd, struct kb_block *block);

#endif
