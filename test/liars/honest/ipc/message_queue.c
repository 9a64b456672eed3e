/* System V messages to oneself, in a name space that goes with the process. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/ipc.h>
#include <sys/msg.h>

#include <kbench.h>
#include <kbench_parties.h>

struct message { long type; char text[32]; };

static int queue = -1;

static int setup(struct kb_run *run)
{
	int error = kb_private(run, KB_PRIVATE_IPC);

	if (error)
		return error;
	queue = msgget(IPC_PRIVATE, 0600);
	return queue < 0 ? kb_fail(run, errno, "a queue") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct message message = { .type = 1 };

		if (msgsnd(queue, &message, 32, 0) || msgrcv(queue, &message, 32, 1, 0) != 32)
			return kb_fail(run, errno, "a message");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "a System V message to oneself", .per = "message",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
