/* Loads a plug-in: a shared object with one benchmark, `kb_plugin`. Only collectors do. */
#ifndef KB_OS_PLUGIN_H
#define KB_OS_PLUGIN_H

#include "kbench.h"

/* The benchmark lives until the program ends; its name becomes plugin.BASENAME unless it has one.
   -ENOENT, -ENOEXEC (not a shared object, or without kb_plugin), -EPROTO (another ABI), -ENOMEM; error gets one line. What it says of
   itself is not looked over (evidence/descriptor.h). */
int kb_plugin_load(const char *path, struct kb_bench *bench, char error[256]);

#endif
