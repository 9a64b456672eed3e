/* What a system call is called. */
#ifndef KB_OS_SYSCALL_NAME_H
#define KB_OS_SYSCALL_NAME_H

#include "types.h"

/* Static text; NULL for a number that is in no list of ours. */
const char *kb_syscall_name(uint64_t number);

#endif
