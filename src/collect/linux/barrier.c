/*
 * See barrier.h. Each copy counts its rounds in a place of its own and reads those of the others, so nothing is written
 * by two and a copy that dies leaves nothing half done.
 */
#define _GNU_SOURCE
#include "collect/linux/barrier.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io.h"
#include "stamp.h"

#define SPINS 4000u             /* some 50 us: longer than copies that do the same work are apart */
#define LOOK_NS UINT64_C(20000000)      /* who waits so long asks whether the others live */
#define NAP_NS UINT64_C(50000)  /* of who would keep all others from the CPU by yielding it */
#define LATE_NS UINT64_C(5000000000)
#define FIRST_NS UINT64_C(30000000000)  /* for the set-up of all copies, which get in each other's way */

int kb_barrier_open(struct kb_barrier *barrier, int descriptor, unsigned copies, unsigned copy)
{
	size_t bytes = copies * sizeof *barrier->places;
	struct stat info;

	*barrier = (struct kb_barrier){ .copies = copies, .copy = copy, .limit_ns = FIRST_NS };
	if (copies == 0 || copy >= copies)
		return -EINVAL;
	if (fstat(descriptor, &info) < 0)
		return -errno;
	if ((uint64_t)info.st_size < bytes)
		return -EINVAL; /* a touch behind its end would be a SIGBUS */
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);

	if (memory == MAP_FAILED)
		return -errno;
	barrier->places = memory;
	__atomic_store_n(&barrier->places[copy].pid, (int32_t)getpid(), __ATOMIC_RELEASE);
	return 0;
}

/* 1: all stand on this line or beyond, 0: not yet. */
static int look(const struct kb_barrier *barrier)
{
	int all = 1;

	for (unsigned i = 0; i < barrier->copies; i++) {
		if (__atomic_load_n(&barrier->places[i].gone, __ATOMIC_ACQUIRE))
			return -ECANCELED;
		all &= __atomic_load_n(&barrier->places[i].round, __ATOMIC_ACQUIRE) >= barrier->round;
	}
	return all;
}

/* A killed process leaves no mark in its place, but its descriptor tells, before anybody has reaped it. */
static bool is_dead(int32_t pid)
{
	struct pollfd end = { .fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1, .events = POLLIN };
	bool dead = end.fd >= 0 ? poll(&end, 1, 0) > 0 : pid > 0 && errno == ESRCH;

	if (end.fd >= 0)
		close(end.fd);
	return dead;
}

static int late(const struct kb_barrier *barrier)
{
	bool any = false;

	for (unsigned i = 0; i < barrier->copies; i++)
		any |= is_dead(__atomic_load_n(&barrier->places[i].pid, __ATOMIC_ACQUIRE));
	/* It may have come to this line, ended and gone in good order since. */
	int seen = look(barrier);

	return any && seen == 0 ? -ECANCELED : seen;
}

/* Waits on, asking seldom: the first ones who ask have waited 20 ms already. */
static int wait_long(const struct kb_barrier *barrier)
{
	uint64_t now = kb_wall_ns(), deadline = now + barrier->limit_ns, next = now + LOOK_NS;
	int seen = 0, policy = sched_getscheduler(0);
	bool is_real_time = policy == SCHED_FIFO || policy == SCHED_RR;

	while (!seen) {
		/* The other one may be waiting for this very CPU, and in a lower class a yield would not give it to him. */
		if (is_real_time)
			kb_sleep_ns(NAP_NS);
		else
			sched_yield();
		seen = look(barrier);
		now = kb_wall_ns();
		if (!seen && now > deadline)
			return -ETIME;
		if (!seen && now > next) {
			seen = late(barrier);
			next = now + LOOK_NS;
		}
	}
	return seen;
}

static int stand(struct kb_barrier *barrier)
{
	int seen;

	__atomic_store_n(&barrier->places[barrier->copy].round, ++barrier->round, __ATOMIC_RELEASE);
	for (unsigned spins = 0; (seen = look(barrier)) == 0 && spins < SPINS; spins++)
		kb_pause();
	if (!seen)
		seen = wait_long(barrier);
	return seen < 0 ? seen : 0;
}

/* Twice: who waited long comes late out of its last yield; then all are awake, and the second line is short. */
int kb_barrier_wait(void *context)
{
	struct kb_barrier *barrier = context;
	int error = stand(barrier) ?: stand(barrier);

	barrier->limit_ns = LATE_NS;
	return error;
}

void kb_barrier_leave(struct kb_barrier *barrier)
{
	if (barrier->places)
		__atomic_store_n(&barrier->places[barrier->copy].gone, 1, __ATOMIC_RELEASE);
}
