/*
 * ipc.pipe_latency: a numbered message to the partner and its inverted answer: a lost, repeated or unread one is seen.
 * same-cpu: two switches a round trip; idle-cpu: the partner sleeps on another CPU; other-cpu: both sides spin on reads
 * that do not block; one-process: write and read of one pipe, no partner.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <kbench.h>

static int ours[2], theirs[2];          /* pipes to the partner and back: read end, write end */
static unsigned char message[PIPE_BUF], number, inverted;
static size_t bytes;

static int send_message(int fd, unsigned value)
{
	errno = EIO;                    /* a short write sets none */
	message[0] = (unsigned char)value;
	return write(fd, message, bytes) == (ssize_t)bytes ? 0 : -errno;
}

/* A pipe never splits a message of up to PIPE_BUF bytes. Its end ends the spinning, too: -EPIPE. */
static int receive_message(int fd, unsigned value)
{
	ssize_t got;

	while ((got = read(fd, message, bytes)) < 0 && (errno == EAGAIN || errno == EINTR))
		;
	if (got <= 0)
		return got ? -errno : -EPIPE;
	return (size_t)got == bytes && message[0] == (unsigned char)value ? 0 : -EBADMSG;
}

static int serve(struct kb_run *run)
{
	int error;

	(void)run;
	close(ours[1]);
	close(theirs[0]);
	while (!(error = receive_message(ours[0], number) ?: send_message(theirs[1], ~number)))
		number++;
	return error == -EPIPE ? 0 : error;
}

static int setup(struct kb_run *run)
{
	int flags = kb_param_is(run, "placement", "other-cpu") ? O_NONBLOCK : 0, error;

	bytes = kb_param_number(run, "bytes");
	if (pipe(ours) || pipe(theirs) || fcntl(ours[0], F_SETFL, flags) || fcntl(theirs[0], F_SETFL, flags))
		return kb_fail(run, errno, "making two pipes");
	if (kb_param_is(run, "placement", "one-process"))
		return dup2(ours[0], theirs[0]) < 0 ? kb_fail(run, errno, "dup2 of the pipe") : 0;
	inverted = 0xff;
	error = kb_peer_start(run, serve, kb_param_text(run, "placement"));
	close(ours[0]);
	close(theirs[1]);
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++, number++)
		error = send_message(ours[1], number) ?: receive_message(theirs[0], number ^ inverted);
	if (!error)
		kb_count(run, KB_SEEN, n);
	return error ? kb_fail(run, -error, "the message or its answer is lost") : 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(ours[1]);                 /* the partner reads the end and leaves */
}

#define PLACEMENTS "same-cpu,other-cpu,idle-cpu,one-process"
#define SAME "placement=same-cpu"
#define IDLE "placement=idle-cpu"
/* Each side switches once a round trip, if not by itself: a task that is preempted by the one it woke finds its answer
   there and need not wait. A partner that is dead or serves two messages at once stays below. */
KB_BENCHMARK(
	.summary = "pipe round trip by placement of the two sides", .per = "round-trip",
	.params = {
		{ "placement", "of sides", KB_CHOICE, "same-cpu,other-cpu,one-process", .choices = PLACEMENTS },
		{ "bytes", "of a message", KB_SIZE, "1", 1, PIPE_BUF, NULL },
	},
	.expect = {
		{ KB_SWITCHES, 2, 0, 0.4, KB_ALL, SAME }, { KB_SWITCHES, 2, 0, 0.4, KB_ALL, IDLE },
		{ KB_SYSCALLS, 4, 0, 0.05, KB_ALL, SAME }, { KB_SYSCALLS, 4, 0, 0.05, KB_ALL, IDLE },
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "placement=one-process" }, { KB_SEEN, .per_op = 1 },
	},
	.setup = setup, .op = op, .teardown = teardown,
);
