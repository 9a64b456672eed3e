/* io_uring without liburing; see kbench_uring.h. The tail of a ring is published with release, the other side's is
   acquired. */
#define _GNU_SOURCE
#include "kbench_uring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kbench_channel.h"

static int enter(const struct kb_uring *ring, unsigned submit, unsigned wait, unsigned flags)
{
	long done = syscall(SYS_io_uring_enter, ring->fd, submit, wait, flags, NULL, 0);

	return done < 0 ? -errno : (int)done;
}

/* What the kernel lays out: offsets into three mappings. */
static int map(struct kb_uring *ring, const struct io_uring_params *p)
{
	size_t sq_bytes = p->sq_off.array + p->sq_entries * sizeof(unsigned);
	size_t cq_bytes = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	int access = PROT_READ | PROT_WRITE, how = MAP_SHARED | MAP_POPULATE;
	char *sq = mmap(NULL, sq_bytes, access, how, ring->fd, IORING_OFF_SQ_RING);
	char *cq = mmap(NULL, cq_bytes, access, how, ring->fd, IORING_OFF_CQ_RING);

	ring->sqes = mmap(NULL, p->sq_entries * sizeof *ring->sqes, access, how, ring->fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || ring->sqes == MAP_FAILED)
		return -errno;
	ring->sq_head = (unsigned *)(void *)(sq + p->sq_off.head);
	ring->sq_tail = (unsigned *)(void *)(sq + p->sq_off.tail);
	ring->sq_mask = (unsigned *)(void *)(sq + p->sq_off.ring_mask);
	ring->sq_flags = (unsigned *)(void *)(sq + p->sq_off.flags);
	ring->sq_array = (unsigned *)(void *)(sq + p->sq_off.array);
	ring->cq_head = (unsigned *)(void *)(cq + p->cq_off.head);
	ring->cq_tail = (unsigned *)(void *)(cq + p->cq_off.tail);
	ring->cq_mask = (unsigned *)(void *)(cq + p->cq_off.ring_mask);
	ring->cqes = (struct io_uring_cqe *)(void *)(cq + p->cq_off.cqes);
	return 0;
}

static int refused(struct kb_run *run, int error)
{
	if (error == ENOSYS)
		return kb_skip(run, "this kernel has no io_uring");
	if (error == EPERM || error == EACCES)
		return kb_skip(run, "io_uring is refused; see kernel.io_uring_disabled, or the container's filter");
	return kb_fail(run, error, "io_uring_setup");
}

int kb_uring_open(struct kb_run *run, struct kb_uring *ring, unsigned depth, bool poll)
{
	struct io_uring_params params = { 0 };
	int cpu = kb_cpu(run, 1), error;

	if (poll && cpu < 0)
		return kb_skip(run, "submission=polled needs a second CPU for the thread that polls");
	if (poll) {
		params.flags = IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF;
		params.sq_thread_cpu = (unsigned)cpu;
		params.sq_thread_idle = 2000; /* ms: it stays awake over the pause between two blocks */
	}
	*ring = (struct kb_uring){ .polled = poll, .entries = depth };
	ring->fd = (int)syscall(SYS_io_uring_setup, depth, &params);
	if (ring->fd < 0)
		return refused(run, errno);
	error = map(ring, &params);
	kb_wait_watch(run); /* nothing may wait for ever for a completion */
	return error ? kb_fail(run, -error, "mapping the rings") : 0;
}

static unsigned load(const unsigned *index)
{
	return __atomic_load_n(index, __ATOMIC_ACQUIRE);
}

static void prepare(struct kb_uring *ring, unsigned count, void (*fill)(struct io_uring_sqe *, unsigned))
{
	unsigned tail = *ring->sq_tail;

	for (unsigned slot = 0; slot < count; slot++, tail++) {
		unsigned index = tail & *ring->sq_mask;
		struct io_uring_sqe *sqe = &ring->sqes[index];

		memset(sqe, 0, sizeof *sqe);
		fill(sqe, slot);
		sqe->user_data = ring->next++;
		ring->sq_array[index] = index;
	}
	__atomic_store_n(ring->sq_tail, tail, __ATOMIC_RELEASE);
}

bool kb_uring_take(struct kb_uring *ring, struct io_uring_cqe *cqe)
{
	unsigned head = *ring->cq_head;

	if (head == load(ring->cq_tail))
		return false;
	*cqe = ring->cqes[head & *ring->cq_mask];
	__atomic_store_n(ring->cq_head, head + 1, __ATOMIC_RELEASE);
	return true;
}

/* The polling thread may have gone to sleep, and must then be told. The fence orders the tail before the look at its
   flag. */
static int wake_poller(struct kb_uring *ring)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return load(ring->sq_flags) & IORING_SQ_NEED_WAKEUP ? enter(ring, 0, 0, IORING_ENTER_SQ_WAKEUP) : 0;
}

static int submit(struct kb_uring *ring, unsigned count)
{
	int done = ring->polled ? wake_poller(ring) : enter(ring, count, count, IORING_ENTER_GETEVENTS);

	if (done < 0 && done != -EINTR)
		return done;
	return ring->polled || done == (int)count || done == -EINTR ? 0 : -EIO;
}

/* Reaps one, which must be the next. After an interruption some may be missing: then it waits, as a poller's ring
   does. */
static int reap(struct kb_uring *ring, struct io_uring_cqe *cqe)
{
	unsigned since = kb_wait_begin();
	int error = 0;

	while (!error && !kb_uring_take(ring, cqe))
		error = kb_wait_over(since);
	return error ? error : cqe->user_data == ring->seen++ ? 0 : -EBADMSG;
}

int kb_uring_batch(struct kb_run *run, struct kb_uring *ring, unsigned count,
	void (*fill)(struct io_uring_sqe *, unsigned slot), int (*done)(int32_t result, unsigned slot))
{
	struct io_uring_cqe cqe;
	int error;

	prepare(ring, count, fill);
	error = submit(ring, count);
	if (error)
		return kb_fail(run, -error, "io_uring_enter");
	for (unsigned slot = 0; slot < count; slot++) {
		error = reap(ring, &cqe);
		if (error)
			return kb_fail(run, -error, "a completion is missing, or not the next one");
		error = done(cqe.res, slot);
		if (error)
			return kb_fail(run, -error, "a completion brings %d", cqe.res);
	}
	kb_count(run, KB_SEEN, count);
	return 0;
}

int kb_uring_run(struct kb_run *run, struct kb_uring *ring, uint64_t n, unsigned depth,
		 void (*fill)(struct io_uring_sqe *, unsigned slot), int (*done)(int32_t result, unsigned slot))
{
	int error = 0;

	ring->first = load(ring->cq_tail);
	for (uint64_t left = n; left > 0 && !error;) {
		unsigned count = left < depth ? (unsigned)left : depth;

		error = kb_uring_batch(run, ring, count, fill, done);
		left -= count;
	}
	return error;
}

int kb_uring_check(struct kb_run *run, const struct kb_uring *ring, uint64_t n)
{
	unsigned made = load(ring->cq_tail) - ring->first;

	return made == (unsigned)n ? 0 : kb_fail(run, EILSEQ, "the kernel made %u completions of %llu", made, (unsigned long long)n);
}
