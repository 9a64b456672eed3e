/*
 * Connecting and closing, one process being both sides: on one machine a connection is complete when connect returns,
 * so accept finds it and nobody sleeps. What a sample opens is closed outside it, and the other way round.
 */
#define _GNU_SOURCE
#include "collect/linux/remote.h"
#include "kbench_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct { int ours, accepted; } pairs[KB_CONNECTIONS_MAX];
static uint64_t open_pairs, done;
static int listener = -1;
static bool is_remote;          /* the other machine accepts */
static uint64_t made, ended, ports;     /* connections to it; the sum of their ports here */
static struct sockaddr_storage address;
static socklen_t address_bytes;
static enum { CONNECT, CLOSE, ABORT } part;

static int connect_pair(uint64_t i)
{
	pairs[i].ours = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (pairs[i].ours < 0 || connect(pairs[i].ours, (struct sockaddr *)&address, address_bytes))
		return -errno;
	if (is_remote)
		return 0;
	pairs[i].accepted = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	return pairs[i].accepted < 0 ? -errno : 0;
}

static int open_all(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (done = 0; done < n && !error; done += !error, open_pairs = done)
		error = connect_pair(done);
	return error
		? kb_fail(run, -error, "connection %llu of %llu", (unsigned long long)done + 1, (unsigned long long)n)
		: 0;
}

static int close_all(struct kb_run *run, uint64_t n)
{
	for (done = 0; done < n; done++) {
		if (done == open_pairs)
			return kb_fail(run, EINVAL, "only %llu connections to close", (unsigned long long)done);
		if (close(pairs[done].ours) || (!is_remote && close(pairs[done].accepted)))
			return kb_fail(run, errno, "close of a connection");
	}
	return 0;
}

/* SO_LINGER of 0: closing then resets the connection, and no time-wait remains. */
static int make_abortive(struct kb_run *run)
{
	struct linger now = { 1, 0 };

	for (uint64_t i = 0; i < open_pairs; i++) {
		if (setsockopt(pairs[i].ours, SOL_SOCKET, SO_LINGER, &now, sizeof now))
			return kb_fail(run, errno, "SO_LINGER");
	}
	return 0;
}

static int part_of(const struct kb_run *run)
{
	return kb_param_is(run, "part", "connect") ? CONNECT : kb_param_is(run, "part", "close") ? CLOSE : ABORT;
}

int kb_connections_start(struct kb_run *run, int fd)
{
	part = part_of(run);
	listener = fd;
	address_bytes = sizeof address;
	return getsockname(fd, (struct sockaddr *)&address, &address_bytes) ? kb_fail(run, errno, "getsockname") : 0;
}

/* ---- another machine ------------------------------------------------------------------------------------- */

int kb_connections_open(struct kb_run *run)
{
	struct kb_answer answer;
	uint16_t port;
	int error = kb_remote_named(run) ? kb_remote_open(run, &(struct kb_request){ .verb = KB_REQUEST_OPEN, .kind = KB_ACCEPTS }, &answer) :
					   kb_channel_network(run);

	if (error)
		return error;
	is_remote = kb_remote_is_open();
	listener = is_remote ? -1 : kb_listen(run, &port);
	if (!is_remote)
		return listener < 0 ? listener : kb_connections_start(run, listener);
	part = part_of(run);
	kb_remote_address(&address, &address_bytes, answer.port);
	/* connect() sleeps until the other machine has answered. */
	if (part == CONNECT)
		kb_expect(run, KB_SWITCHES, 1, 1);
	return 0;
}

static void sum_up(uint64_t n, uint64_t *resent)
{
	for (uint64_t i = 0; i < n; i++) {
		struct sockaddr_storage ours = { 0 };
		socklen_t bytes = sizeof ours;

		getsockname(pairs[i].ours, (struct sockaddr *)&ours, &bytes);
		ports += ntohs(ours.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&ours)->sin6_port : ((struct sockaddr_in *)&ours)->sin_port);
		*resent += kb_remote_segments_resent(pairs[i].ours);
	}
	made += n;
}

/* The other machine has accepted these and no others: it knows their ports. */
static int check_accepted(struct kb_run *run, uint64_t n, bool in_sample)
{
	struct kb_partner_counts seen;
	uint64_t resent = 0;
	int error = kb_remote_counts(run, &seen);

	sum_up(n, &resent);
	if (error)
		return error;
	if (seen.connections != made || seen.ports != ports)
		return kb_fail(run, 0, "the other machine accepted %llu connections, and these are %llu; or their ports differ",
			       (unsigned long long)seen.connections, (unsigned long long)made);
	return in_sample ? kb_remote_resent(run, resent, seen.resent) : 0;
}

static int check_ended(struct kb_run *run, uint64_t n)
{
	struct kb_partner_counts seen;
	int error = kb_remote_counts(run, &seen);

	ended += n;
	if (error)
		return error;
	return (part == CLOSE ? seen.finished : seen.aborted) == ended ? 0 :
	       kb_fail(run, 0, "the other machine saw %llu connections closed and %llu reset, of %llu", (unsigned long long)seen.finished,
		       (unsigned long long)seen.aborted, (unsigned long long)ended);
}

static int before_remote(struct kb_run *run, uint64_t n)
{
	int error = kb_remote_round(run, n, false);

	if (error || part == CONNECT)
		return error;
	return open_all(run, n) ?: check_accepted(run, n, false) ?: kb_remote_round(run, n, true) ?: part == ABORT ? make_abortive(run) : 0;
}

void kb_connections_end(struct kb_run *run)
{
	if (is_remote)
		kb_remote_close(run);
}

/* ---- around a sample -------------------------------------------------------------------------------------- */

int kb_connections_before(struct kb_run *run, uint64_t n)
{
	if (is_remote)
		return before_remote(run, n);
	int error = part == CONNECT ? 0 : open_all(run, n);

	return error || part != ABORT ? error : make_abortive(run);
}

int kb_connections_op(struct kb_run *run, uint64_t n)
{
	int error = part == CONNECT ? open_all(run, n) : close_all(run, n);

	kb_count(run, KB_SEEN, done);
	return error;
}

/* Both ends must be what they are said to be: connected to each other, or no descriptors any more. */
static bool is_as_said(uint64_t i)
{
	struct sockaddr_storage ours = { 0 }, seen = { 0 };
	socklen_t our_bytes = sizeof ours, seen_bytes = sizeof seen;

	if (part != CONNECT)
		return fcntl(pairs[i].ours, F_GETFD) < 0 && fcntl(pairs[i].accepted, F_GETFD) < 0;
	return !getsockname(pairs[i].ours, (struct sockaddr *)&ours, &our_bytes) &&
	       !getpeername(pairs[i].accepted, (struct sockaddr *)&seen, &seen_bytes) && our_bytes == seen_bytes &&
	       !memcmp(&ours, &seen, our_bytes);
}

int kb_connections_check(struct kb_run *run, uint64_t n)
{
	uint64_t right = 0;

	if (is_remote)
		return part == CONNECT ? check_accepted(run, n, true) : check_ended(run, n);
	while (right < done && is_as_said(right))
		right++;
	if (right != n)
		return kb_fail(
			run, EPROTO, "%llu of %llu connections", (unsigned long long)right, (unsigned long long)n);
	return address.ss_family == AF_INET ? kb_network_check(run, n) : 0;
}

int kb_connections_after(struct kb_run *run, uint64_t n)
{
	int error = 0;

	(void)n;
	if (part == CONNECT)
		error = make_abortive(run);
	for (uint64_t i = part == CONNECT ? 0 : done; i < open_pairs; i++) {
		close(pairs[i].ours);
		if (!is_remote)
			close(pairs[i].accepted);
	}
	open_pairs = 0;
	return error;
}
