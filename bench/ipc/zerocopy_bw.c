/*
 * ipc.zerocopy_bw: chunks that are copied once, not twice as through a pipe. vmsplice: the pipe gets the partner's
 * pages, the reader copies them; process_vm_readv: the reader copies out of the partner; shared: the partner copies
 * into memory that the reader sees. A byte through a pipe tells of each of the last two. Checked like ipc.pipe_bw: no
 * page stays unread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <kbench_channel.h>

enum { SLOTS = 8, PIPE_BYTES = 65536 };        /* chunks on their way, other than in the pipe */

static struct kb_channel channel;
static struct { pid_t partner; } *shared;
static unsigned char *slots;

/* The pages are the pipe's until they are read: the ring has more chunks than fit into the pipe. */
static int give_pages(struct kb_channel *c)
{
	struct iovec from = { c->chunk, c->bytes };

	while (from.iov_len > 0) {
		ssize_t taken = vmsplice(c->end[KB_BACK][1], &from, 1, 0);

		if (taken < 0 && errno != EINTR)
			return -errno;
		from.iov_base = (char *)from.iov_base + (taken > 0 ? taken : 0);
		from.iov_len -= taken > 0 ? (size_t)taken : 0;
	}
	return 0;
}

static int give_notice(struct kb_channel *c)
{
	return kb_channel_send(c, KB_BACK, "", 1);
}

static int take_from_partner(struct kb_channel *c)
{
	struct iovec mine = { c->chunk, c->bytes }, theirs = mine;
	int error = kb_channel_receive(c, KB_BACK, &(char){ 0 }, 1);

	if (error)
		return error;
	return process_vm_readv(shared->partner, &mine, 1, &theirs, 1, 0) == (ssize_t)c->bytes ? 0 : -errno;
}

static int give_copy(struct kb_channel *c)
{
	memcpy(slots + (c->number - 1) % SLOTS * c->bytes, c->chunk, c->bytes);
	return give_notice(c);
}

static int take_slot(struct kb_channel *c)
{
	c->chunk = slots + c->number % SLOTS * c->bytes;
	return kb_channel_receive(c, KB_BACK, &(char){ 0 }, 1);
}

static int join(struct kb_channel *c)
{
	(void)c;
	shared->partner = getpid();
	return 0;
}

static int setup(struct kb_run *run)
{
	uint64_t bytes = kb_param_number(run, "chunk");

	shared = kb_shared_memory(run, sizeof *shared);
	slots = kb_shared_memory(run, SLOTS * bytes);
	channel = (struct kb_channel){ .join = join, .window = SLOTS, .give = give_copy, .take = take_slot };
	if (kb_param_is(run, "by", "vmsplice"))
		channel = (struct kb_channel){ .give = give_pages, .chunks = (unsigned)(PIPE_BYTES / bytes) + 2 };
	else if (kb_param_is(run, "by", "process_vm_readv"))
		channel = (struct kb_channel){ .join = join, .window = SLOTS, .chunks = SLOTS, .give = give_notice,
			.take = take_from_partner };
	if (!shared || !slots || pipe(channel.end[KB_BACK]))
		return kb_fail(run, errno, "memory and a pipe for two sides");
	return kb_stream_start(run, &channel);
}

#define WAYS "vmsplice,process_vm_readv,shared"
KB_BENCHMARK(
	.summary = "bandwidth of transfers that copy the bytes once", .per = "chunk",
	.portability = KB_PLATFORM, .assumes = "the reader touches the data that it receives",
	.params = { { "by", "way of a chunk", KB_CHOICE, WAYS, .choices = WAYS },
		{ "placement", "of sides", KB_CHOICE, "same-cpu,idle-cpu", .choices = "same-cpu,idle-cpu" },
		{ "chunk", "handed over at once", KB_SIZE, "64K", 4096, KB_MESSAGE_MAX, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SWITCHES, 50, 0, 50, KB_ALL, NULL } },
	.setup = setup, .op = kb_stream_op, .check = kb_stream_check, .teardown = kb_stream_end,
);
