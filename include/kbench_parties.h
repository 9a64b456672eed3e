/*
 * kbench_parties.h - what a benchmark of several tasks needs: partners, threads, programs to start, CPUs to put them on, and
 * namespaces in which what they make is gone with them. Functions return 0 or -errno, as in kbench.h.
 */
#ifndef KBENCH_PARTIES_H
#define KBENCH_PARTIES_H

#include <kbench.h>

/* The CPUs that may be used: 0 is the one that measures, 1 the one of `other-cpu`, then the rest; -1 beyond the last. */
int kb_cpu(const struct kb_run *, unsigned index);

/* Starts the partner: a child that runs serve() until its channel closes. placement: same-cpu, other-cpu, idle-cpu.
   It dies with its parent and is reaped after teardown; a result other than 0 fails the process. Up to KB_PEERS_MAX. */
#define KB_PEERS_MAX 32
int kb_peer_start(struct kb_run *, int (*serve)(struct kb_run *), const char *placement);

/* Zeroed memory, touched, that partners started later see. NULL after kb_fail. */
void *kb_shared_memory(struct kb_run *, size_t bytes);

/* ---- threads ------------------------------------------------------------------------------------------ */

/* Starts an ordinary thread on a CPU of that placement (same-cpu, other-cpu, idle-cpu). The benchmark tells it to end, in
   teardown, and joins all that it started. kb_skip with one CPU. */
#define KB_COMPANIONS_MAX 512
int kb_companion_start(struct kb_run *, void *(*serve)(void *), void *data, const char *placement);
void kb_companions_join(void);

/* A thread that runs on kb_cpu(index) until the process ends. */
int kb_thread_on(struct kb_run *, unsigned index, void *(*serve)(void *), void *data);

/* Starts a thread of SCHED_FIFO on the caller's CPU; priority 1 is the lowest, KB_THREADS_MAX the highest. The caller
   is put above them all, so it can always stop them: kb_threads_stop ends each wherever it is, and joins it.
   kb_skip where the system refuses; a thread that does not sleep for 3 s ends the process. */
#define KB_THREADS_MAX 4
int kb_thread_start(struct kb_run *, void (*serve)(struct kb_run *), unsigned priority);
void kb_threads_stop(struct kb_run *);
uint64_t kb_thread_switches(void);      /* context switches of the calling thread so far, for kb_count */

/* ---- programs ------------------------------------------------------------------------------------------ */

/* Path of a small program that comes with the collector: "hello" writes a line and exits with KB_HELLO_EXIT, a code that no
   shell or loader uses; "hello-static" the same without shared libraries. NULL after kb_fail: it is not there. */
#define KB_HELLO_EXIT 87
const char *kb_program(struct kb_run *, const char *name);

/* Waits for the child and holds its exit code against the one expected: 0, or kb_fail. */
int kb_reap(struct kb_run *, int child, int code);

/* Starts a program (with a slash its path, without a name in PATH) in a new process, its input and output /dev/null, and
   waits for it to exit with the code: 0, or kb_fail. KB_EXECUTE_FAILED: it was not found. */
#define KB_EXECUTE_FAILED 127
int kb_execute(struct kb_run *, char *const argv[], int code);

/* ---- names of one's own -------------------------------------------------------------------------------- */

/* From here on this process and its partners have things of their own, which are gone with them: System V and POSIX
   queues; a network with nothing but a loopback, where nobody else's traffic is counted; mounts. Before any thread or
   partner starts. kb_skip where the system refuses. */
enum kb_private { KB_PRIVATE_IPC = 1, KB_PRIVATE_NETWORK = 2, KB_PRIVATE_MOUNTS = 4 };
int kb_private(struct kb_run *, unsigned what);

#endif
