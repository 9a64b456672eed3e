/* Control groups of this process, of both versions (cgroups(7)), and what they leave of memory. Below `root`; "": this machine. */
#ifndef KB_OS_LINUX_CONTROL_GROUPS_H
#define KB_OS_LINUX_CONTROL_GROUPS_H

#include "types.h"

/* Calls visit for each group from the process's own up to the highest that is mounted, with its directory below `root`: of version 2 (unified),
   and of the hierarchy of version 1 that has the controller. A limit may stand at any of them. */
typedef void kb_control_group_visit(void *context, const char *root, const char *directory, bool unified);
void kb_control_groups_each(const char *root, const char *controller, kb_control_group_visit *visit, void *context);

/* Bytes below the lowest limit of the groups, caches that can be dropped included; UINT64_MAX: there is no limit. */
uint64_t kb_control_groups_memory_left(const char *root);

#endif
