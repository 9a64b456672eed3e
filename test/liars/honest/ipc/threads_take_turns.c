/* Two threads of one CPU hand a token to each other by futexes. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_parties.h>

#define END 2u

/* Whose turn it is. The token is taken by whoever finds its own number in it. */
static uint32_t token;
static uint64_t handed;

static void hand(uint32_t to)
{
	__atomic_store_n(&token, to, __ATOMIC_RELEASE);
	syscall(SYS_futex, &token, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The value that ended the wait. */
static uint32_t await(uint32_t other)
{
	uint32_t value;

	while ((value = __atomic_load_n(&token, __ATOMIC_ACQUIRE)) == other)
		syscall(SYS_futex, &token, FUTEX_WAIT_PRIVATE, other, NULL, NULL, 0);
	return value;
}

static void *serve(void *data)
{
	while (await(0) != END) {
		handed++;
		hand(0);
	}
	return data;
}

static int setup(struct kb_run *run)
{
	return kb_companion_start(run, serve, NULL, "same-cpu");
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	handed = 0;
	for (uint64_t i = 0; i < n; i++) {
		hand(1);
		await(1);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return handed == n ? 0 : kb_fail(run, EPROTO, "the token was handed on %llu times", (unsigned long long)handed);
}

static void teardown(struct kb_run *run)
{
	(void)run;
	hand(END);
	kb_companions_join();
}

/* Whoever is woken while the other one is about to sleep finds the token without a call, or too late for the value it waits for. */
KB_BENCHMARK(
	.summary = "a token between two threads", .per = "round-trip", .errors = "EAGAIN",
	.expect = { { KB_SYSCALLS, 3, 0, 1.1, KB_ALL, NULL }, { KB_SWITCHES, 1, 0, 0.5, KB_SELF, NULL } },
	.setup = setup, .op = op, .check = check, .teardown = teardown,
);
