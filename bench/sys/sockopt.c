/*
 * sys.sockopt: read or write one option of a socket. The option is SO_KEEPALIVE, a bit of any socket; of a local one it
 * has no effect. call=set turns it on and off by turns.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <kbench.h>

static int pair[2];
static bool sets;
static uint64_t calls, sum;

static int setup(struct kb_run *run)
{
	int on = 1;

	sets = kb_param_is(run, "call", "set");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || setsockopt(pair[0], SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on))
		return kb_fail(run, errno, "making a pair of sockets");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		int value = i % 2 == 0;
		socklen_t length = sizeof value;

		if (sets ? setsockopt(pair[0], SOL_SOCKET, SO_KEEPALIVE, &value, length)
			 : getsockopt(pair[0], SOL_SOCKET, SO_KEEPALIVE, (value = 0, &value), &length))
			return kb_fail(run, errno, "option of a socket");
		sum += (uint64_t)value;
		calls++;
	}
	return 0;
}

/* Reading: it was on each time. Writing: on in every second call, and as the last one left it. */
static int check(struct kb_run *run, uint64_t n)
{
	int value = -1, last = sets ? (int)(n % 2) : 1;
	socklen_t length = sizeof value;
	bool right = calls == n && sum == (sets ? (n + 1) / 2 : n);

	calls = 0;
	if (!right || getsockopt(pair[0], SOL_SOCKET, SO_KEEPALIVE, &value, &length) || value != last)
		return kb_fail(run, EPROTO, "the option was not handled %llu times", (unsigned long long)n);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(pair[0]);
	close(pair[1]);
}

KB_BENCHMARK(
	.summary = "getsockopt or setsockopt of one option", .per = "call",
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.params = { { "call", "which", KB_CHOICE, "get,set", .choices = "get,set" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
