/* Why the kernel refuses a program for its virtual machine, for people. */
#ifndef KB_TRACE_BPF_H
#define KB_TRACE_BPF_H

#include "types.h"

/* One refusal, for people: "fentry of vfs_read: EPERM: ...". */
struct kb_bpf_refusal {
	char what[96];          /* "fentry of vfs_read" */
	int error;              /* errno, positive; 0: nothing was refused */
	char why[240];          /* the cause as far as the kernel tells it, and what to do */
};

/* Fills it and returns -error. error: positive or negative. why NULL: what this errno means for BPF, see kb_bpf_why. */
int kb_bpf_refuse(struct kb_bpf_refusal *, int error, const char *why, const char *what, ...)
	__attribute__((format(printf, 4, 5)));

/* "fentry of vfs_read: EPERM: needs root". Stands until the next call, as does a number below. */
const char *kb_bpf_refusal_text(const struct kb_bpf_refusal *);

/* The errno's own name, "EPERM"; a number where it has none. */
const char *kb_bpf_errno_name(int error);

/* What an errno of bpf(2) or of attaching means. lockdown: the word of /sys/kernel/security/lockdown, NULL: unreadable.
   root: who asks may do everything. */
const char *kb_bpf_why(int error, bool root, const char *lockdown);

#endif
