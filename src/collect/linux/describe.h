/* Plug-ins: loaded, looked over, described. */
#ifndef KB_COLLECT_LINUX_DESCRIBE_H
#define KB_COLLECT_LINUX_DESCRIBE_H

#include "kbench.h"

/* Its code runs from here on: a shared object may have constructors. 0, or -errno with one line in error. */
int kb_collect_load(const char *plugin, struct kb_bench *, char error[256]);

/* Its description, or why there is none, on standard output, where nothing of its own goes. Returns the exit code. */
int kb_collect_describe(const char *plugin);

#endif
