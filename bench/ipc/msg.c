/*
 * ipc.msg: a message of `bytes` through queues of System V or POSIX, and one back. The queues are in a namespace of
 * their own. The message carries the number of its turn, its length is checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>

#include <kbench_channel.h>

static struct message { long type; unsigned char bytes[8192]; } message = { .type = 1 };
static int sysv[2] = { -1, -1 };
static mqd_t posix[2] = { -1, -1 };
static bool is_posix;

static int pass(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	message.bytes[0] = (unsigned char)number;
	if (is_posix)
		return mq_send(posix[way], (const char *)message.bytes, c->bytes, 0) ? -errno : 0;
	return msgsnd(sysv[way], &message, c->bytes, 0) ? -errno : 0;
}

static ssize_t receive(enum kb_way way)
{
	return is_posix ? mq_receive(posix[way], (char *)message.bytes, sizeof message.bytes, NULL)
			: msgrcv(sysv[way], &message, sizeof message.bytes, 0, 0);
}

static int await(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	unsigned since = kb_wait_begin();
	ssize_t got;

	while ((got = receive(way)) < 0) {
		int error = errno == EINTR ? kb_wait_over(since) : -errno;

		if (error)
			return error;
	}
	return (uint64_t)got == c->bytes && message.bytes[0] == (unsigned char)number ? 0 : -EBADMSG;
}

static struct kb_channel channel = { .pass = pass, .await = await };

static int setup(struct kb_run *run)
{
	static const char *const names[] = { "/kbench-there", "/kbench-back" };
	struct mq_attr attributes = { .mq_maxmsg = 4, .mq_msgsize = sizeof message.bytes };
	int error = kb_private(run, KB_PRIVATE_IPC);

	is_posix = kb_param_is(run, "api", "posix");
	channel.bytes = kb_param_number(run, "bytes");
	for (int way = KB_THERE; way <= KB_BACK && !error; way++) {
		if (is_posix)
			posix[way] = mq_open(names[way], O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
		else
			sysv[way] = msgget(IPC_PRIVATE, 0600);
		if (is_posix ? posix[way] < 0 : sysv[way] < 0)
			error = errno == ENOSYS || errno == EOVERFLOW
				? kb_skip(run, "no such queues in this kernel or for this user; try as root")
				: kb_fail(run, errno, "a message queue");
	}
	return error ? error : kb_channel_start(run, &channel);
}

KB_BENCHMARK(.summary = "round trip through message queues", .per = "round-trip", .portability = KB_ASSUMING,
	.assumes = "both sides stay on the CPUs of their placement",
	.params = { { "api", "of queues", KB_CHOICE, "sysv,posix", .choices = "sysv,posix" },
		{ "placement", "of sides", KB_CHOICE, "same-cpu,one-process",
			.choices = "same-cpu,idle-cpu,one-process" },
		{ "bytes", "of a message", KB_SIZE, "64", 1, 8192, NULL } },
	.expect = { KB_EXPECT_ASLEEP(KB_SWITCHES, 2, 0.4), KB_EXPECT_ASLEEP(KB_SYSCALLS, 4, 0.05),
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 } },
	.setup = setup, .op = kb_channel_op, .check = kb_channel_check, .teardown = kb_channel_end, );
