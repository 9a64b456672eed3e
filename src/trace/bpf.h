/*
 * What all programs for the kernel's virtual machine share: loading, attaching, and why the kernel refused.
 * Programs, maps and links belong to the process: they are gone when it is, also after kill -9. Nothing is ever pinned.
 * bpf_libbpf.c is the real thing, bpf_none.c refuses where the build has none.
 */
#ifndef KB_TRACE_BPF_H
#define KB_TRACE_BPF_H

#include "types.h"

struct bpf_map;
struct bpf_program;

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

/* Loads a program of two instructions: 0 if this process may use BPF at all; otherwise -errno and why. Keeps libbpf from
   printing. Call it first. */
int kb_bpf_begin(struct kb_bpf_refusal *);

/* Of a map with BPF_F_MMAPABLE, so many bytes, readable and writable. NULL: errno. To be unmapped by munmap. */
void *kb_bpf_map_memory(struct bpf_map *, size_t bytes);

/* Runs of the program that the kernel left out since it was already running there (5.12; 0 before). */
uint64_t kb_bpf_missed(const struct bpf_program *);

#endif
