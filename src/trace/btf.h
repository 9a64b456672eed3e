/* The kernel's own description of its types, /sys/kernel/btf/vmlinux. */
#ifndef KB_TRACE_BTF_H
#define KB_TRACE_BTF_H

#include "types.h"

/* Byte offset of a member of a structure of the running kernel; -ENOENT: no such one. */
int kb_btf_offset(const char *structure, const char *member);

/* The number of a function, or of a named type; -ESRCH: no such one. */
int kb_btf_id(const char *name);

/* The same of such a file's bytes, which begin at a place that is aligned for anything; NULL: there are none. */
int kb_btf_offset_in(const char *bytes, size_t length, const char *structure, const char *member);
int kb_btf_id_in(const char *bytes, size_t length, const char *name);

#endif
