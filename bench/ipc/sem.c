/*
 * ipc.sem: two semaphores hand a token over and back. SysV: a system call each; POSIX: none where nobody sleeps, so
 * one-process with posix is atomic operations only, and a side that is preempted by the one it woke makes fewer calls.
 */
#include <errno.h>
#include <semaphore.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include <kbench_channel.h>

static sem_t *posix;            /* of each way, in shared memory */
static int sysv = -1;

static int change(enum kb_way way, short by)
{
	struct sembuf one = { .sem_num = (unsigned short)way, .sem_op = by };

	if (posix)
		return (by > 0 ? sem_post(&posix[way]) : sem_wait(&posix[way])) ? -errno : 0;
	return semop(sysv, &one, 1) ? -errno : 0;
}

static int pass(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	(void)c;
	(void)number;
	return change(way, 1);
}

static int await(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	unsigned since = kb_wait_begin();
	int error;

	(void)c;
	(void)number;
	while ((error = change(way, -1)) == -EINTR && !(error = kb_wait_over(since)))
		;
	return error;
}

static struct kb_channel channel = { .pass = pass, .await = await };

static int setup(struct kb_run *run)
{
	if (kb_param_is(run, "api", "posix")) {
		posix = kb_shared_memory(run, 2 * sizeof *posix);
		if (!posix)
			return -ENOMEM;
		if (sem_init(&posix[0], 1, 0) || sem_init(&posix[1], 1, 0))
			return kb_fail(run, errno, "sem_init");
		return kb_channel_start(run, &channel);
	}
	if (kb_private(run, KB_PRIVATE_IPC))
		return -EOPNOTSUPP;
	sysv = semget(IPC_PRIVATE, 2, 0600);
	return sysv < 0 ? kb_fail(run, errno, "semget") : kb_channel_start(run, &channel);
}

/* POSIX: a wake and a sleep of each side at the most, or a single pair. */
KB_BENCHMARK(
	.summary = "token handed over and back by semaphores", .per = "round-trip", .lmbench = "lat_sem",
	.portability = KB_ASSUMING, .assumes = "both sides stay on the CPUs of their placement",
	.params = { { "api", "of semaphores", KB_CHOICE, "sysv,posix", .choices = "sysv,posix" },
		{ "placement", "of sides", KB_CHOICE, "same-cpu,one-process",
			.choices = "same-cpu,idle-cpu,one-process" } },
	.expect = { KB_EXPECT_ASLEEP(KB_SWITCHES, 2, 0.4), { KB_SEEN, .per_op = 1 },
		{ KB_SYSCALLS, 4, 0, 0.05, KB_ALL, "api=sysv placement=same-cpu" },
		{ KB_SYSCALLS, 4, 0, 0.05, KB_ALL, "api=sysv placement=idle-cpu" },
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "api=sysv placement=one-process" },
		{ KB_SYSCALLS, 0, 0, 0, KB_ALL, "api=posix placement=one-process" } },
	.setup = setup, .op = kb_channel_op, .check = kb_channel_check, .teardown = kb_channel_end,
);
