/* The kernel's own description of its types, /sys/kernel/btf/vmlinux. */
#ifndef KB_TRACE_BTF_H
#define KB_TRACE_BTF_H

#include "types.h"

/* Byte offset of a member of a structure of the running kernel; -ENOENT: no such one. */
int kb_btf_offset(const char *structure, const char *member);

/* The number of a function, or of a named type; -ESRCH: no such one. */
int kb_btf_id(const char *name);

#endif
