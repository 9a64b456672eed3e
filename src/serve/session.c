/*
 * See session.h. A round is what a partner of the same machine does: it sleeps in recv, and sends. No call has a limit of its own, which would
 * put a timer into what is measured: a signal each second ends what waits too long.
 */
#define _GNU_SOURCE
#include "serve/session.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <unistd.h>

#include "partner/message.h"

#define COOKIE_S 1      /* for the cookie of a connection */

static volatile unsigned seconds;

/* The state of the one session that a process serves. */
static struct {
	const struct kb_session *with;
	struct kb_address client, here;         /* of the control connection; here with the port for data */
	struct kb_request open;
	unsigned char cookie[KB_COOKIE_BYTES];
	int data, listener;                     /* -1: none */
	int accepted[KB_SERVED_CONNECTIONS_MAX];
	unsigned accepted_count;
	uint64_t number;                        /* of the next message */
	uint64_t resent_before;
	unsigned char *message;                 /* KB_DATAGRAM_HEAD + open.bytes */
} s;

static void tick(int signal_number)
{
	(void)signal_number;
	seconds++;
}

/* ---- bytes in time ----------------------------------------------------------------------------------------- */

static bool client_left(void)
{
	char byte;
	ssize_t got = recv(s.with->control, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

/* After a call that moved nothing: 0 to try again. */
static int nothing(ssize_t moved, unsigned since, unsigned limit)
{
	if (moved == 0 || (errno != EINTR && errno != EAGAIN))
		return moved == 0 ? -EPIPE : -errno;
	if (seconds - since > limit)
		return -ETIMEDOUT;
	return client_left() ? -EPIPE : 0;
}

static int get(int fd, void *bytes, size_t count, unsigned limit)
{
	unsigned since = seconds;

	for (size_t done = 0; done < count;) {
		ssize_t got = recv(fd, (char *)bytes + done, count - done, 0);
		int error = got > 0 ? 0 : nothing(got, since, limit);

		if (error)
			return error;
		done += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

static int put(int fd, const void *bytes, size_t count, unsigned limit)
{
	unsigned since = seconds;

	for (size_t done = 0; done < count;) {
		ssize_t sent = send(fd, (const char *)bytes + done, count - done, MSG_NOSIGNAL);
		int error = sent > 0 ? 0 : nothing(sent ? sent : -1, since, limit);

		if (error)
			return error;
		done += sent > 0 ? (size_t)sent : 0;
	}
	return 0;
}

static bool is_datagram(void)
{
	return s.open.kind == KB_ECHO_UDP || s.open.kind == KB_STREAM_UDP;
}

/* One with the cookie and of that size behind it; what strangers send is left out, and so is a cookie that came twice. */
static int get_datagram(void *bytes, size_t count)
{
	unsigned since = seconds;

	for (;;) {
		ssize_t got = recv(s.data, bytes, KB_DATAGRAM_HEAD + count, MSG_TRUNC);
		int error = got >= 0 ? 0 : nothing(got, since, s.with->data_s);

		if (error)
			return error;
		if (got == (ssize_t)(KB_DATAGRAM_HEAD + count) && kb_same_bytes(bytes, s.cookie, KB_DATAGRAM_HEAD))
			return 0;
		if (seconds - since > s.with->data_s)
			return -ETIMEDOUT;
	}
}

/* ---- ways for data ----------------------------------------------------------------------------------------- */

static int answer(enum kb_partner_status status)
{
	struct kb_answer it = { .status = status, .port = kb_address_port(&s.here), .counts = *s.with->counts };
	unsigned char bytes[KB_ANSWER_BYTES];

	memcpy(it.cookie, s.cookie, sizeof it.cookie);
	kb_answer_write(&it, bytes);
	return put(s.with->control, bytes, sizeof bytes, s.with->data_s);
}

static void set_buffers(int fd)
{
	int bytes = (int)s.open.buffer;

	if (bytes > 0) {
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
	}
}

/* At the address to which the client came. */
static int open_socket(int type)
{
	int fd = socket(s.here.at.ss_family, type | SOCK_CLOEXEC, 0), one = 1;

	kb_address_set_port(&s.here, s.with->port);
	if (fd < 0)
		return -errno;
	if (type == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	set_buffers(fd);
	if (bind(fd, (struct sockaddr *)&s.here.at, s.here.bytes) || (type == SOCK_STREAM && listen(fd, KB_SERVED_CONNECTIONS_MAX)) ||
	    getsockname(fd, (struct sockaddr *)&s.here.at, &s.here.bytes)) {
		close(fd);
		return -EADDRINUSE;
	}
	return fd;
}

/* From the client's machine; others are hung up on. */
static int accept_client(struct kb_address *from)
{
	unsigned since = seconds;

	for (;;) {
		from->bytes = sizeof from->at;
		int fd = accept4(s.listener, (struct sockaddr *)&from->at, &from->bytes, SOCK_CLOEXEC);
		int error = fd >= 0 ? 0 : nothing(fd, since, s.with->data_s);

		if (error)
			return error;
		if (fd >= 0 && kb_address_same(from, &s.client))
			return fd;
		if (fd >= 0)
			close(fd);
		if (seconds - since > s.with->data_s)
			return -ETIMEDOUT;
	}
}

/* Another user of the client's machine may come first, and is hung up on. */
static int take_stream(void)
{
	unsigned since = seconds;
	int one = 1;

	while (s.data < 0) {
		unsigned char cookie[KB_COOKIE_BYTES];
		struct kb_address from;
		int fd = accept_client(&from);

		if (fd < 0 || seconds - since > s.with->data_s)
			return fd < 0 ? fd : (close(fd), -ETIMEDOUT);
		if (get(fd, cookie, sizeof cookie, COOKIE_S) || !kb_same_bytes(cookie, s.cookie, sizeof cookie))
			close(fd);
		else
			s.data = fd;
	}
	setsockopt(s.data, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	close(s.listener);
	s.listener = -1;
	return 0;
}

/* The first that has the cookie says whom to serve; the kernel drops what comes from elsewhere from then on. */
static int take_datagrams(void)
{
	unsigned since = seconds;

	for (;;) {
		struct kb_address from = { .bytes = sizeof from.at };
		unsigned char cookie[KB_DATAGRAM_HEAD];
		ssize_t got = recvfrom(s.data, cookie, sizeof cookie, MSG_TRUNC, (struct sockaddr *)&from.at, &from.bytes);
		int error = got >= 0 ? 0 : nothing(got, since, s.with->data_s);

		if (error)
			return error;
		if (got == sizeof cookie && kb_same_bytes(cookie, s.cookie, sizeof cookie) && kb_address_same(&from, &s.client))
			return connect(s.data, (struct sockaddr *)&from.at, from.bytes) ? -errno : 0;
		if (seconds - since > s.with->data_s)
			return -ETIMEDOUT;
	}
}

static enum kb_partner_status serve_open(const struct kb_request *request)
{
	if (s.message)
		return KB_PARTNER_REQUEST;
	s.open = *request;
	/* A buffer of its own for the largest, of which no round asks for more. */
	s.message = calloc(1, KB_DATAGRAM_HEAD + s.open.bytes + sizeof(uint64_t));
	int fd = s.message ? open_socket(is_datagram() ? SOCK_DGRAM : SOCK_STREAM) : -ENOMEM;

	*(is_datagram() ? &s.data : &s.listener) = fd < 0 ? -1 : fd;
	if (fd < 0 || getrandom(s.cookie, sizeof s.cookie, 0) != sizeof s.cookie)
		return fd == -EADDRINUSE ? KB_PARTNER_PORT_TAKEN : KB_PARTNER_LOST;
	kb_chunk_fill(s.message, s.open.bytes);
	if (answer(KB_PARTNER_OK))
		return KB_PARTNER_LOST;
	if (s.open.kind == KB_ACCEPTS)
		return KB_PARTNER_OK;
	return (is_datagram() ? take_datagrams() : take_stream()) || answer(KB_PARTNER_OK) ? KB_PARTNER_LOST : KB_PARTNER_OK;
}

/* ---- rounds ------------------------------------------------------------------------------------------------ */

static void count_message(void)
{
	s.with->counts->messages++;
	s.with->counts->bytes += s.open.bytes;
}

static int echo(uint64_t n)
{
	size_t head = is_datagram() ? KB_DATAGRAM_HEAD : 0;

	for (; n > 0; n--, s.number++) {
		int error = head ? get_datagram(s.message, s.open.bytes) : get(s.data, s.message, s.open.bytes, s.with->data_s);

		if (error)
			return error;
		if (!kb_message_holds(s.message + head, s.open.bytes, s.number))
			return -EBADMSG;
		kb_message_stamp(s.message + head, s.open.bytes, ~s.number);
		error = put(s.data, s.message, head + s.open.bytes, s.with->data_s);
		if (error)
			return error;
		count_message();
	}
	return 0;
}

/* The client asks for some of them at a time. */
static int stream(uint64_t n)
{
	unsigned char text[KB_DATAGRAM_HEAD + KB_ASK_BYTES];
	uint64_t wanted;

	for (; n > 0; n -= wanted) {
		int error = is_datagram() ? get_datagram(text, KB_ASK_BYTES) : get(s.data, text, KB_ASK_BYTES, s.with->data_s);

		if (error)
			return error;
		memcpy(&wanted, text + (is_datagram() ? KB_DATAGRAM_HEAD : 0), sizeof wanted);
		if (wanted < 1 || wanted > n)
			return -EBADMSG;
		for (uint64_t i = 0; i < wanted; i++) {
			kb_message_stamp(s.message, s.open.bytes, s.number++);
			error = put(s.data, s.message, s.open.bytes, s.with->data_s);
			if (error)
				return error;
			count_message();
		}
	}
	return 0;
}

static uint64_t resent_by(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t length = sizeof info;

	return fd >= 0 && !getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) ? info.tcpi_total_retrans : 0;
}

/* A reset leaves no time-wait behind, on neither machine. */
static void reset(int fd)
{
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 }, sizeof(struct linger));
	close(fd);
}

static void drop_accepted(void)
{
	while (s.accepted_count > 0)
		reset(s.accepted[--s.accepted_count]);
}

static int take_connections(uint64_t n)
{
	struct kb_address from;

	drop_accepted();
	s.with->counts->resent = 0;
	for (; n > 0; n--) {
		int fd = accept_client(&from);

		if (fd < 0)
			return fd;
		s.accepted[s.accepted_count++] = fd;
		s.with->counts->connections++;
		s.with->counts->ports += kb_address_port(&from);
		s.with->counts->resent += resent_by(fd);
	}
	return 0;
}

/* How each ends is seen here, whatever the client says. */
static int take_ends(uint64_t n)
{
	if (n != s.accepted_count)
		return -EBADMSG;
	for (unsigned i = 0; i < s.accepted_count; i++) {
		char byte;
		int error = get(s.accepted[i], &byte, 1, s.with->data_s);

		if (error != -EPIPE && error != -ECONNRESET)
			return error ? error : -EBADMSG;
		if (error == -EPIPE && client_left())
			return error;
		s.with->counts->finished += error == -EPIPE;
		s.with->counts->aborted += error == -ECONNRESET;
	}
	drop_accepted();
	return 0;
}

static int serve_round(const struct kb_request *request)
{
	bool accepts = s.open.kind == KB_ACCEPTS;

	if (!s.message || (accepts ? request->n > KB_SERVED_CONNECTIONS_MAX : request->ends))
		return -EBADMSG;
	s.resent_before = resent_by(s.data);
	int error = answer(KB_PARTNER_OK);

	if (error)
		return error;
	if (accepts)
		return request->ends ? take_ends(request->n) : take_connections(request->n);
	return s.open.kind == KB_ECHO_TCP || s.open.kind == KB_ECHO_UDP ? echo(request->n) : stream(request->n);
}

/* ---- the session ------------------------------------------------------------------------------------------- */

static enum kb_partner_status serve_request(const struct kb_request *request)
{
	if (request->verb == KB_REQUEST_OPEN)
		return serve_open(request);
	if (request->verb == KB_REQUEST_ROUND) {
		int error = serve_round(request);

		return !error ? KB_PARTNER_OK : error == -EBADMSG ? KB_PARTNER_REQUEST : KB_PARTNER_LOST;
	}
	if (s.open.kind != KB_ACCEPTS)
		s.with->counts->resent = resent_by(s.data) - s.resent_before;
	return answer(KB_PARTNER_OK) ? KB_PARTNER_LOST : KB_PARTNER_OK;
}

static enum kb_partner_status serve_requests(void)
{
	for (;;) {
		unsigned char bytes[KB_REQUEST_BYTES];
		struct kb_request request;
		int error = get(s.with->control, bytes, sizeof bytes, s.with->idle_s);
		enum kb_partner_status status;

		if (error)
			return error == -EPIPE || error == -ECONNRESET ? KB_PARTNER_OK : KB_PARTNER_LATE;
		status = kb_request_read(bytes, &request) ? serve_request(&request) : KB_PARTNER_REQUEST;
		if (status) {
			bool left = client_left();

			answer(status);
			return left ? KB_PARTNER_OK : status;
		}
	}
}

static void close_all(void)
{
	drop_accepted();
	if (s.data >= 0)
		close(s.data);
	if (s.listener >= 0)
		close(s.listener);
	free(s.message);
}

enum kb_partner_status kb_session_serve(const struct kb_session *with)
{
	struct sigaction action = { .sa_handler = tick };
	struct itimerval each_second = { { 1, 0 }, { 1, 0 } }, off = { { 0, 0 }, { 0, 0 } };

	memset(&s, 0, sizeof s);
	s.with = with;
	s.data = s.listener = -1;
	s.client.bytes = s.here.bytes = sizeof s.client.at;
	if (getpeername(with->control, (struct sockaddr *)&s.client.at, &s.client.bytes) ||
	    getsockname(with->control, (struct sockaddr *)&s.here.at, &s.here.bytes))
		return KB_PARTNER_OK;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &each_second, NULL);
	enum kb_partner_status status = serve_requests();

	setitimer(ITIMER_REAL, &off, NULL);
	close_all();
	return status;
}
