/*
 * kbench_track.h - what the kernel does with a program: CPU time from switch to switch, and kernel entries. The counterparts
 * of seL4's benchmark system calls, with their semantics; doc/trace-kernel.md. Link with -lkbench; libc only. Linux, and root
 * or CAP_BPF with CAP_PERFMON: where the kernel refuses, the calls say -EPERM and what it takes; -ENOTSUP in another PID
 * namespace than the first, where thread ids are not the kernel's. All are for one thread at a time. Threads go by their id
 * (gettid); 0 is the caller.
 */
#ifndef KBENCH_TRACK_H
#define KBENCH_TRACK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Between kb_track_reset() and kb_track_finalise(), in nanoseconds. */
struct kb_track_utilisation {
	uint64_t thread_ns;     /* that the thread ran; since kb_track_reset_thread(), if it was not reset since */
	uint64_t idle_ns;       /* that CPUs were idle, all of them together */
	uint64_t total_ns;      /* elapsed time x CPUs */
	uint64_t elapsed_ns;
	uint64_t switches;      /* how often the thread left a CPU */
	int64_t unaccounted_ns; /* total less idle and all threads; more than 0.1 % of total: do not believe the rest */
};

/* Clears the counters of a thread, which kb_track_reset() does not. 0 or -errno; -EBUSY between reset and finalise, whose
   sums would not close. */
int kb_track_reset_thread(uint32_t tid);

/* Clears idle and total and the index of the log, and starts: utilisation, and entries if there is a log buffer. 0 or -errno;
   of -EPERM and the like kb_track_refusal() tells more. While it runs: -EBUSY. */
int kb_track_reset(void);

/* Stops, and keeps all counters. Returns the index behind the last entry of the log buffer, which is the number of entries;
   0 without a buffer. Without a reset before, it has no effect and returns 0. */
uint64_t kb_track_finalise(void);

/* What a thread had. -EINVAL before the first kb_track_finalise(), -EBUSY while it runs. */
int kb_track_get(uint32_t tid, struct kb_track_utilisation *use);

/* An entry of the log: begin and end are entries of their own, in the order of their CPU. */
struct kb_track_entry {
	uint64_t ns;            /* CLOCK_MONOTONIC */
	uint64_t value;         /* begin: number of system call, vector or interrupt; fault: error code; end of a call: result */
	uint64_t thread;        /* process id in the upper half, thread id in the lower */
	uint16_t cpu, point;
	uint32_t lost;
};

/* Where entries of this process, its threads and its children go, so many as there is room for; a full one stays as it is.
   0; -EINVAL (not aligned to 8, too small for one, above 512 MiB); -EBUSY while it runs. NULL and 0: none any more. */
int kb_track_set_log_buffer(void *buffer, size_t bytes);

/* What found no room, in the buffer or on its way. */
uint64_t kb_track_lost(void);

/* "syscall", "vector", "irq", "fault_user", "fault_kernel", "nmi"; and 'B' begin, 'E' end, 'I' there is no other, 'X' the end,
   with the duration as value. */
const char *kb_track_entry_kind(const struct kb_track_entry *entry);
char kb_track_entry_edge(const struct kb_track_entry *entry);

/* What the kernel refused last, in words; "" if nothing. */
const char *kb_track_refusal(void);

/* Takes everything out of the kernel; the end of the process does, too. A child of fork() begins without it. */
void kb_track_release(void);

#ifdef __cplusplus
}
#endif

#endif
