/* Loads a plug-in: a shared object with one benchmark, `kb_plugin`. Parent and collector use it. */
#ifndef KB_OS_PLUGIN_H
#define KB_OS_PLUGIN_H

#include "kbench.h"

/* The benchmark lives until the program ends; its name becomes plugin.BASENAME unless it has one.
   -ENOENT, -ENOEXEC (not a shared object, or without kb_plugin), -EPROTO (another ABI), -EINVAL (a name that is not one plain
   word of at most 63 bytes), -ENOMEM; error gets one line. */
int kb_plugin_load(const char *path, struct kb_bench *bench, char error[256]);

#endif
