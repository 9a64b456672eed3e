/*
 * kbench_uring.h - io_uring by its raw system calls, for the benchmarks of it: a ring, batches of it, and whether each
 * completion was the next one.
 */
#ifndef KBENCH_URING_H
#define KBENCH_URING_H

#include <linux/io_uring.h>

#include <kbench.h>

#define KB_URING_DEPTH_MAX 128u

struct kb_uring {
	int fd;
	bool polled;                    /* a thread of the kernel takes submissions (SQPOLL) */
	unsigned entries;
	unsigned *sq_head, *sq_tail, *sq_mask, *sq_flags, *sq_array;
	unsigned *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	uint64_t next;                  /* user_data of the next submission */
	uint64_t seen;                  /* of the next completion: they come in order, or the row fails */
	unsigned first;                 /* completions that the kernel had made before the sample, modulo 2^32 */
};

/* A ring of `depth` entries. poll: SQPOLL, its thread on the CPU of `other-cpu`. kb_skip where io_uring is absent or
   disabled. */
int kb_uring_open(struct kb_run *, struct kb_uring *, unsigned depth, bool poll);

/* Submits `count` (at most depth) operations that fill() describes, waits for all, and hands each result to done():
   what it returns other than 0 is the error. Counts KB_SEEN. */
int kb_uring_batch(struct kb_run *, struct kb_uring *, unsigned count,
		   void (*fill)(struct io_uring_sqe *, unsigned slot), int (*done)(int32_t result, unsigned slot));

/* n operations, `depth` at a time: the body of an op. */
int kb_uring_run(struct kb_run *, struct kb_uring *, uint64_t n, unsigned depth,
		 void (*fill)(struct io_uring_sqe *, unsigned slot), int (*done)(int32_t result, unsigned slot));

/* For `check`: the kernel says that it has made n completions. */
int kb_uring_check(struct kb_run *, const struct kb_uring *, uint64_t n);

/* Takes one completion if there is one. */
bool kb_uring_take(struct kb_uring *, struct io_uring_cqe *);

#endif
