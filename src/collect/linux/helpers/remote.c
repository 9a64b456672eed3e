/* See remote.h. What is said over the control connection lies outside samples; each step of it has a limit of time. */
#define _GNU_SOURCE
#include "collect/linux/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "collect/linux/context.h"
#include "io.h"
#include "record_format.h"

#define STEP_NS UINT64_C(5000000000)    /* for an answer */
#define ASK_AGAIN_NS UINT64_C(200000000)
#define ASKED 15u               /* times: a server that is full, for one of ours may be about to end; a datagram that may be lost */
#define NAME_ROOM 80

static struct {
	int control, data;
	struct sockaddr_storage address;
	socklen_t address_bytes;
	char name[NAME_ROOM];           /* as people type it, with the port */
	struct kb_partner_counts expected, counted;
	uint64_t bytes;                 /* of a message */
	uint64_t resent_before;         /* segments of ours, before the round */
	uint64_t all_resent;            /* of both sides, in rounds */
} remote = { .control = -1, .data = -1 };

bool kb_remote_named(const struct kb_run *run)
{
	return kb_param_index(run->bench, kb_span_of("host")) >= 0 && kb_param_text(run, "host")[0];
}

bool kb_remote_is_open(void)
{
	return remote.control >= 0;
}

/* ---- bytes in time ----------------------------------------------------------------------------------------- */

/* 0 as soon as it can be read or written, -ETIMEDOUT. Ticks of the channel may interrupt. */
static int await(int fd, short events, uint64_t deadline)
{
	for (;;) {
		uint64_t now = kb_wall_ns();
		struct pollfd one = { .fd = fd, .events = events };
		int got = now < deadline ? poll(&one, 1, (int)((deadline - now) / 1000000) + 1) : 0;

		if (got > 0)
			return 0;
		if (got == 0 || errno != EINTR)
			return got == 0 ? -ETIMEDOUT : -errno;
	}
}

static int transfer(int fd, bool out, void *bytes, size_t count)
{
	uint64_t deadline = kb_wall_ns() + STEP_NS;

	for (size_t done = 0; done < count;) {
		int error = await(fd, out ? POLLOUT : POLLIN, deadline);

		if (error)
			return error;
		char *at = (char *)bytes + done;
		ssize_t moved = out ? send(fd, at, count - done, MSG_NOSIGNAL | MSG_DONTWAIT) : recv(fd, at, count - done, MSG_DONTWAIT);

		if (moved == 0)
			return -EPIPE;
		if (moved < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		done += moved > 0 ? (size_t)moved : 0;
	}
	return 0;
}

static int put(const void *bytes, size_t count)
{
	return transfer(remote.control, true, (void *)(uintptr_t)bytes, count);
}

static int get(void *bytes, size_t count)
{
	return transfer(remote.control, false, bytes, count);
}

static int lost(struct kb_run *run, int error)
{
	bool gone = error == -EPIPE || error == -ECONNRESET;

	return kb_fail(run, gone ? 0 : -error, "kbench serve at %s %s", remote.name, gone ? "ended the connection" : "does not answer");
}

static int refused(struct kb_run *run, enum kb_partner_status status)
{
	return kb_fail(run, 0, "kbench serve at %s refuses: %s", remote.name, kb_partner_reason(status));
}

/* ---- sockets ----------------------------------------------------------------------------------------------- */

static int connect_in_time(int fd, const struct sockaddr *address, socklen_t bytes)
{
	int error = 0, one = 1;
	socklen_t length = sizeof error;

	if (connect(fd, address, bytes) && errno != EINPROGRESS && errno != EINTR)
		return -errno;
	if (await(fd, POLLOUT, kb_wall_ns() + STEP_NS))
		return -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) || error)
		return error ? -error : -errno;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return 0;
}

/* The socket blocks when it is connected. */
static int open_socket(int type, const struct sockaddr *address, socklen_t bytes)
{
	int fd = socket(address->sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;

	if (fd < 0)
		return -errno;
	error = connect_in_time(fd, address, bytes);
	if (!error && fcntl(fd, F_SETFL, 0))
		error = -errno;
	if (!error)
		return fd;
	close(fd);
	return error;
}

void kb_remote_address(struct sockaddr_storage *address, socklen_t *bytes, unsigned port)
{
	*address = remote.address;
	*bytes = remote.address_bytes;
	if (address->ss_family == AF_INET6)
		((struct sockaddr_in6 *)address)->sin6_port = htons((uint16_t)port);
	else
		((struct sockaddr_in *)address)->sin_port = htons((uint16_t)port);
}

/* A socket that is connected to that port of the server. The descriptor, or -errno. */
static int connect_data(struct kb_run *run, int type, unsigned port)
{
	struct sockaddr_storage address;
	socklen_t bytes;

	kb_remote_address(&address, &bytes, port);
	int fd = open_socket(type, (struct sockaddr *)&address, bytes);

	return fd >= 0 ? fd : kb_fail(run, -fd, "port %u for data of kbench serve at %s", port, remote.name);
}

/* The first address of the name at which somebody listens. */
static int connect_control(struct kb_run *run)
{
	struct addrinfo wanted = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *list;
	struct kb_span host;
	uint64_t port;
	char name[KB_PARAM_VALUE_MAX], number[8];

	kb_span_host(kb_span_of(kb_param_text(run, "host")), &host, &port);
	port = port ? port : KB_PARTNER_PORT;
	snprintf(name, sizeof name, "%.*s", (int)host.length, host.at);
	snprintf(number, sizeof number, "%u", (unsigned)port);
	snprintf(remote.name, sizeof remote.name, strchr(name, ':') ? "[%s]:%s" : "%s:%s", name, number);
	int unknown = getaddrinfo(name, number, &wanted, &list), fd = -EHOSTUNREACH;

	if (unknown)
		return kb_fail(run, 0, "host=%s: %s", name, gai_strerror(unknown));
	for (const struct addrinfo *one = list; one && fd < 0; one = one->ai_next) {
		fd = open_socket(SOCK_STREAM, one->ai_addr, one->ai_addrlen);
		memcpy(&remote.address, one->ai_addr, one->ai_addrlen);
		remote.address_bytes = one->ai_addrlen;
	}
	freeaddrinfo(list);
	remote.control = fd < 0 ? -1 : fd;
	return fd >= 0 ? 0 : kb_fail(run, -fd, "no kbench serve at %s", remote.name);
}

/* ---- handshake --------------------------------------------------------------------------------------------- */

/* *status: what the server says; not KB_PARTNER_OK: it ended the connection. */
static int greet(struct kb_run *run, const unsigned char token[KB_TOKEN_BYTES], enum kb_partner_status *status)
{
	unsigned char hello[KB_HELLO_BYTES], nonce[KB_NONCE_BYTES], ours[KB_NONCE_BYTES], proof[KB_PROOF_BYTES], expected[KB_HASH_BYTES],
		welcome[KB_WELCOME_BYTES];
	int error = get(hello, sizeof hello);

	if (error)
		return lost(run, error);
	if (!kb_hello_read(hello, status, nonce))
		return kb_fail(run, 0, "what listens at %s is no kbench serve of this version", remote.name);
	if (*status)
		return 0;
	if (getrandom(ours, sizeof ours, 0) != sizeof ours)
		return kb_fail(run, EIO, "the system has no random bytes");
	kb_proof_write_client(token, nonce, ours, proof, expected);
	error = put(proof, sizeof proof) ?: get(welcome, sizeof welcome);
	if (error)
		return lost(run, error);
	*status = kb_welcome_read(welcome, expected);
	return 0;
}

static int join(struct kb_run *run)
{
	unsigned char token[KB_TOKEN_BYTES];
	char path[PATH_MAX], problem[256];
	enum kb_partner_status status = KB_PARTNER_BUSY;
	int error = kb_token_path(path, NULL, problem) ?: kb_token_read(path, token, problem);

	if (error)
		return kb_fail(run, 0, "%s", problem);
	for (unsigned i = 0; i < ASKED && !error && status == KB_PARTNER_BUSY; i++) {
		if (i > 0) {
			close(remote.control);
			remote.control = -1;
			kb_sleep_ns(ASK_AGAIN_NS);
		}
		error = connect_control(run) ?: greet(run, token, &status);
	}
	explicit_bzero(token, sizeof token);
	return error || !status ? error : refused(run, status);
}

/* ---- requests ---------------------------------------------------------------------------------------------- */

static int take_answer(struct kb_run *run, struct kb_answer *answer)
{
	unsigned char bytes[KB_ANSWER_BYTES];
	int error = get(bytes, sizeof bytes);

	if (error)
		return lost(run, error);
	if (!kb_answer_read(bytes, answer))
		return kb_fail(run, 0, "kbench serve at %s answers what makes no sense", remote.name);
	return answer->status ? refused(run, answer->status) : 0;
}

static int request(struct kb_run *run, const struct kb_request *wanted, struct kb_answer *answer)
{
	unsigned char bytes[KB_REQUEST_BYTES];

	kb_request_write(wanted, bytes);
	int error = put(bytes, sizeof bytes);

	return error ? lost(run, error) : take_answer(run, answer);
}

int kb_remote_open(struct kb_run *run, const struct kb_request *wanted, struct kb_answer *answer)
{
	int error = join(run) ?: request(run, wanted, answer);

	remote.bytes = wanted->bytes;
	/* What the other machine does is in the cost, and nobody probes it. */
	run->context->elsewhere = run->context->other_machine = true;
	return error;
}

/* A first datagram may be lost: only its answer says that it came. */
static int say_cookie(const struct kb_answer *answer, int type)
{
	int error = -ETIMEDOUT;

	if (type == SOCK_STREAM)
		return transfer(remote.data, true, (void *)(uintptr_t)answer->cookie, KB_COOKIE_BYTES);
	for (unsigned i = 0; i < ASKED && error == -ETIMEDOUT; i++) {
		if (send(remote.data, answer->cookie, KB_DATAGRAM_HEAD, MSG_NOSIGNAL) < 0)
			return -errno;
		error = await(remote.control, POLLIN, kb_wall_ns() + ASK_AGAIN_NS);
	}
	return error;
}

int kb_remote_data(struct kb_run *run, int type, const struct kb_answer *answer)
{
	struct kb_answer ready;
	int fd = connect_data(run, type, answer->port), error;

	if (fd < 0)
		return fd;
	remote.data = fd;
	error = say_cookie(answer, type);
	if (error)
		return kb_fail(run, -error, "no data comes through to port %u of kbench serve at %s", answer->port, remote.name);
	error = take_answer(run, &ready);
	return error ? error : fd;
}

uint64_t kb_remote_segments_resent(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t length = sizeof info;

	return fd >= 0 && !getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) ? info.tcpi_total_retrans : 0;
}

int kb_remote_round(struct kb_run *run, uint64_t n, bool ends)
{
	struct kb_answer answer;
	int error = request(run, &(struct kb_request){ .verb = KB_REQUEST_ROUND, .n = n, .ends = ends }, &answer);

	remote.expected.messages += n;
	remote.expected.bytes += n * remote.bytes;
	remote.resent_before = kb_remote_segments_resent(remote.data);
	return error;
}

int kb_remote_counts(struct kb_run *run, struct kb_partner_counts *counts)
{
	struct kb_answer answer;
	int error = request(run, &(struct kb_request){ .verb = KB_REQUEST_COUNT }, &answer);

	if (!error)
		*counts = remote.counted = answer.counts;
	return error;
}

/* ---- evidence ---------------------------------------------------------------------------------------------- */

int kb_remote_resent(struct kb_run *run, uint64_t ours, uint64_t servers)
{
	char text[96];

	remote.all_resent += ours + servers;
	snprintf(text, sizeof text, "segments were sent again: %llu by this machine, %llu by the other", (unsigned long long)ours,
		 (unsigned long long)servers);
	return ours + servers > 0 ? kb_refute(run, text) : 0;
}

int kb_remote_check(struct kb_run *run, uint64_t n)
{
	const struct kb_partner_counts *expected = &remote.expected;
	uint64_t ours = kb_remote_segments_resent(remote.data) - remote.resent_before;
	struct kb_partner_counts seen;
	int error = kb_remote_counts(run, &seen);

	(void)n;
	if (error)
		return error;
	if (seen.messages != expected->messages || seen.bytes != expected->bytes)
		return kb_fail(run, 0, "the other machine counted %llu messages of %llu bytes, this one %llu of %llu",
			       (unsigned long long)seen.messages, (unsigned long long)seen.bytes, (unsigned long long)expected->messages,
			       (unsigned long long)expected->bytes);
	return kb_remote_resent(run, ours, seen.resent);
}

/* Text that comes from elsewhere is made of numbers only. */
void kb_remote_close(struct kb_run *run)
{
	const struct kb_partner_counts *seen = &remote.counted;

	if (remote.control < 0)
		return;
	kb_record_format(&run->context->out, "env", "hosts=2 server=%s server_messages=%llu server_bytes=%llu server_connections=%llu resent=%llu",
			 remote.name, (unsigned long long)seen->messages, (unsigned long long)seen->bytes, (unsigned long long)seen->connections,
			 (unsigned long long)remote.all_resent);
	close(remote.control);
	remote.control = -1;
	if (remote.data >= 0)
		close(remote.data);
	remote.data = -1;
}
