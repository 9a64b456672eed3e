/* Ping-pong between two sides; see kbench_channel.h. What a message costs beyond the calls is two stores and a
   compare. */
#define _GNU_SOURCE
#include "kbench_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/linux/context.h"
#include "collect/linux/remote.h"
#include "kbench_files.h"
#include "partner/message.h"

/* What told[] holds behind the numbers of the two ways. */
enum { JOINED = 2, OVER, TOLD };

/* Apart: what comes back cannot be mistaken for what was sent. */
static unsigned char *sent, *received;

/* ---- bytes --------------------------------------------------------------------------------------- */

/* Nothing came: 0 to try again. */
static int nothing(ssize_t got, unsigned since)
{
	if (got == 0 || errno == ECONNRESET || errno == ECONNREFUSED)
		return -EPIPE;
	return errno == EAGAIN || errno == EINTR ? kb_wait_over(since) : -errno;
}

int kb_channel_send(const struct kb_channel *c, enum kb_way way, const void *bytes, size_t count)
{
	unsigned since = kb_wait_begin();
	int fd = c->end[way][1];

	for (size_t done = 0; done < count;) {
		const char *from = (const char *)bytes + done;
		ssize_t put = c->socket ? send(fd, from, count - done, MSG_NOSIGNAL) : write(fd, from, count - done);
		int error = put > 0 ? 0 : nothing(put, since);

		if (error)
			return error;
		done += put > 0 ? (size_t)put : 0;
	}
	return 0;
}

int kb_channel_receive(const struct kb_channel *c, enum kb_way way, void *bytes, size_t count)
{
	unsigned since = kb_wait_begin();
	int fd = c->end[way][0], flags = c->spin ? MSG_DONTWAIT : 0;

	for (size_t done = 0; done < count;) {
		char *to = (char *)bytes + done;
		ssize_t got = c->socket ? recv(fd, to, count - done, flags) : read(fd, to, count - done);
		int error = got > 0 ? 0 : nothing(got, since);

		if (error)
			return error;
		done += got > 0 ? (size_t)got : 0;
		if (c->datagram && got > 0 && done < count)
			return -EMSGSIZE;
	}
	return 0;
}

int kb_channel_failed(struct kb_run *run, int error)
{
	if (error == -EPIPE)
		return kb_fail(run, EPIPE, "the partner is gone");
	if (error == -ETIMEDOUT)
		return kb_fail(run, ETIMEDOUT, "a message is lost: nothing came for seconds");
	return error ? kb_fail(run, -error, "a message or its answer is wrong or cut") : 0;
}

/* ---- messages ------------------------------------------------------------------------------------ */

/* Tokens carry no bytes: shared memory says which turn it is, and the token itself must order the accesses. */
static int pass_token(struct kb_channel *c, enum kb_way way, uint64_t number, uint64_t told)
{
	__atomic_store_n(&c->told[way], told, __ATOMIC_RELEASE);
	return c->pass(c, way, number);
}

static int await_token(struct kb_channel *c, enum kb_way way, uint64_t number, uint64_t told)
{
	int error = c->await(c, way, number);

	if (error)
		return error;
	if (__atomic_load_n(&c->told[OVER], __ATOMIC_ACQUIRE))
		return -EPIPE;
	return __atomic_load_n(&c->told[way], __ATOMIC_ACQUIRE) == told ? 0 : -EBADMSG;
}

static int pass(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	uint64_t told = way == KB_THERE ? number : ~number;

	if (c->pass)
		return pass_token(c, way, number, told);
	kb_message_stamp(sent + c->head, c->bytes - c->head, told);
	return kb_channel_send(c, way, sent, c->bytes);
}

static int await(struct kb_channel *c, enum kb_way way, uint64_t number)
{
	uint64_t told = way == KB_THERE ? number : ~number;

	if (c->await)
		return await_token(c, way, number, told);

	int error = kb_channel_receive(c, way, received, c->bytes);

	return error ? error : kb_message_holds(received + c->head, c->bytes - c->head, told) ? 0 : -EBADMSG;
}

int kb_channel_op(struct kb_run *run, uint64_t n)
{
	struct kb_channel *c = run->state;
	enum kb_way back = c->alone ? KB_THERE : KB_BACK;
	int error = 0;

	c->first = c->number;
	for (uint64_t i = 0; i < n && !error; i++) {
		error = pass(c, KB_THERE, c->number);
		error = error ? error : await(c, back, c->number);
		c->number += !error;
	}
	kb_count(run, KB_SEEN, c->number - c->first);
	return kb_channel_failed(run, error);
}

/* The partner counts by itself, from the first message on: its last answer tells how many it had. */
int kb_channel_check(struct kb_run *run, uint64_t n)
{
	struct kb_channel *c = run->state;
	enum kb_way way = c->alone ? KB_THERE : KB_BACK;
	uint64_t last = c->first + n - 1, told = way == KB_THERE ? last : ~last;
	bool holds = c->await ? __atomic_load_n(&c->told[way], __ATOMIC_ACQUIRE) == told :
				kb_message_holds(received + c->head, c->bytes - c->head, told);

	return holds ? 0 : kb_fail(run, EILSEQ, "the last answer is not to message %llu", (unsigned long long)last);
}

static int serve(struct kb_run *run)
{
	struct kb_channel *c = run->state;
	int error = 0;

	for (; !error; c->number++) {
		error = await(c, KB_THERE, c->number);
		error = error ? error : pass(c, KB_BACK, c->number);
	}
	return error;
}

/* ---- two sides ----------------------------------------------------------------------------------- */

/* 0: tokens have no descriptors, and no channel has that of the plan. */
static void close_two(int a, int b)
{
	if (a > 0)
		close(a);
	if (b > 0 && b != a)
		close(b);
}

static int (*served)(struct kb_run *);

/* The ends of the other side are closed, so that each sees the other leave. */
static int serve_at_its_end(struct kb_run *run)
{
	struct kb_channel *c = run->state;
	int error;

	close_two(c->end[KB_THERE][1], c->end[KB_BACK][0]);
	error = c->join ? c->join(c) : 0;
	__atomic_store_n(&c->told[JOINED], 1, __ATOMIC_RELEASE);
	error = error ? error : served(run);
	return error == -EPIPE ? 0 : error;
}

/* Until the partner runs and has joined: locks are taken, memory is touched. */
static int wait_for_join(struct kb_channel *c)
{
	unsigned since = kb_wait_begin();
	int error = 0;

	while (!error && !__atomic_load_n(&c->told[JOINED], __ATOMIC_ACQUIRE)) {
		usleep(200);
		error = kb_wait_over(since);
	}
	return error;
}

/* Pipes can only be told by their descriptors; a socket is asked in each call, since both of its ways are one. */
static int spin_on_pipes(const struct kb_channel *c)
{
	for (int way = KB_THERE; way <= KB_BACK && !c->socket && !c->await; way++) {
		if (fcntl(c->end[way][0], F_SETFL, O_NONBLOCK))
			return -errno;
	}
	return 0;
}

int kb_channel_start_with(struct kb_run *run, struct kb_channel *c, int (*function)(struct kb_run *))
{
	const char *placement = kb_param_text(run, "placement");
	int error;

	run->state = c;
	served = function;
	c->bytes = c->bytes || c->pass ? c->bytes : c->head + kb_param_number(run, "bytes");
	c->alone = !strcmp(placement, "one-process");
	c->spin = !strcmp(placement, "other-cpu") && !c->blocks;
	sent = kb_map_small(run, KB_MESSAGE_MAX, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	received = sent ? kb_map_small(run, KB_MESSAGE_MAX, MAP_PRIVATE | MAP_ANONYMOUS, -1) : NULL;
	if (!received)
		return -ENOMEM;
	memset(sent, 1, c->bytes);
	memset(received, 1, c->bytes);
	memcpy(sent, c->cookie, c->head);
	c->told = kb_shared_memory(run, TOLD * sizeof *c->told);
	if (!c->told)
		return -ENOMEM;
	if (c->spin && spin_on_pipes(c))
		return kb_fail(run, errno, "a pipe that does not block");
	kb_wait_watch(run);
	if (c->alone || c->remote)
		return 0;
	error = kb_peer_start(run, serve_at_its_end, placement);
	if (error)
		return error;
	close_two(c->end[KB_THERE][0], c->end[KB_BACK][1]);
	error = wait_for_join(c);
	return error ? kb_fail(run, -error, "the partner does not start") : 0;
}

int kb_channel_start(struct kb_run *run, struct kb_channel *c)
{
	return kb_channel_start_with(run, c, serve);
}

/* A last token, or an empty datagram, as the peer of such a socket is not told that it closed; the rest ends with its
   descriptors. */
void kb_channel_end(struct kb_run *run)
{
	struct kb_channel *c = run->state;

	kb_wait_unwatch();
	if (c->remote) {
		kb_remote_close(run);
		return;
	}
	__atomic_store_n(&c->told[OVER], 1, __ATOMIC_RELEASE);
	if (c->pass && !c->alone)
		c->pass(c, KB_THERE, c->number);
	if (c->datagram)
		send(c->end[KB_THERE][1], "", 0, MSG_NOSIGNAL | MSG_DONTWAIT);
	close_two(c->end[KB_THERE][1], c->end[KB_BACK][0]);
}

int kb_channel_before(struct kb_run *run, uint64_t n)
{
	const struct kb_channel *c = run->state;

	return c->remote ? kb_remote_round(run, n, false) : 0;
}

bool kb_channel_is_over(const struct kb_channel *c)
{
	return __atomic_load_n(&c->told[OVER], __ATOMIC_ACQUIRE);
}

/* ---- what benchmarks use, too ------------------------------------------------------------------ */

void *kb_shared_memory(struct kb_run *run, size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory != MAP_FAILED)
		return memory;
	kb_fail(run, errno, "%zu bytes of shared memory", bytes);
	return NULL;
}

int kb_futex_pass(uint32_t *word, uint64_t number)
{
	__atomic_store_n(word, (uint32_t)number + 1, __ATOMIC_RELEASE);
	return syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0) < 0 ? -errno : 0;
}

int kb_futex_await(uint32_t *word, uint64_t number)
{
	unsigned since = kb_wait_begin();
	int error = 0;
	bool there = false;

	/* The kernel is asked even when the token is there: a turn is the same calls whichever side ran first. */
	while (!there && !error) {
		int refused = syscall(SYS_futex, word, FUTEX_WAIT, (uint32_t)number, NULL, NULL, 0) < 0 ? errno : 0;

		there = __atomic_load_n(word, __ATOMIC_ACQUIRE) == (uint32_t)number + 1;
		if (refused == EINTR)
			error = there ? 0 : kb_wait_over(since);
		else if (refused == EAGAIN)
			error = there ? 0 : -EBADMSG;
		else
			error = -refused;
	}
	return error;
}
