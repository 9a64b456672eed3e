/* The ways of a channel: pipes, sockets of this machine, connections over the loopback; and whether the loopback was
   calm. */
#define _GNU_SOURCE
#include "collect/linux/context.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io.h"
#include "collect/linux/remote.h"
#include "kbench_channel.h"

#define SPURIOUS 2      /* events of a process that occur without any fault */

static void both_ways(struct kb_channel *c, int partners, int ours, int type)
{
	c->end[KB_THERE][0] = c->end[KB_BACK][1] = partners;
	c->end[KB_THERE][1] = c->end[KB_BACK][0] = ours;
	c->socket = true;
	c->datagram = type == SOCK_DGRAM;
}

int kb_channel_pipes(struct kb_run *run, struct kb_channel *c)
{
	return pipe(c->end[KB_THERE]) || pipe(c->end[KB_BACK]) ? kb_fail(run, errno, "making two pipes") : 0;
}

int kb_channel_local(struct kb_run *run, struct kb_channel *c, int type)
{
	int pair[2];

	if (socketpair(AF_UNIX, type, 0, pair))
		return kb_fail(run, errno, "a pair of local sockets");
	both_ways(c, pair[0], pair[1], type);
	return 0;
}

/* ---- loopback ------------------------------------------------------------------------------------ */

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
}

static int set_nodelay(int fd)
{
	return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
}

static int bound(int type, uint16_t *port)
{
	struct sockaddr_in address = loopback(0);
	socklen_t length = sizeof address;
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, length) || getsockname(fd, (struct sockaddr *)&address, &length)) {
		close(fd);
		return -errno;
	}
	*port = ntohs(address.sin_port);
	return fd;
}

int kb_listen(struct kb_run *run, uint16_t *port)
{
	int fd = bound(SOCK_STREAM, port);

	if (fd < 0)
		return kb_fail(run, -fd, "a socket at 127.0.0.1");
	return listen(fd, SOMAXCONN) ? kb_fail(run, errno, "listening at 127.0.0.1") : fd;
}

static int connect_to(int fd, uint16_t port)
{
	struct sockaddr_in address = loopback(port);

	return connect(fd, (struct sockaddr *)&address, sizeof address);
}

int kb_connect(uint16_t port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (connect_to(fd, port) == 0 && set_nodelay(fd) == 0)
		return fd;

	int error = -errno;

	close(fd);
	return error;
}

static int tcp_pair(struct kb_run *run, int *pair)
{
	uint16_t port;
	int listener = kb_listen(run, &port);

	if (listener < 0)
		return listener;
	pair[1] = kb_connect(port);
	pair[0] = pair[1] < 0 ? -1 : accept(listener, NULL, NULL);
	close(listener);
	return pair[0] < 0 || set_nodelay(pair[0])
		? kb_fail(run, pair[1] < 0 ? -pair[1] : errno, "a connection over the loopback")
		: 0;
}

static int udp_pair(struct kb_run *run, int *pair)
{
	uint16_t port[2];

	for (int i = 0; i < 2; i++) {
		pair[i] = bound(SOCK_DGRAM, &port[i]);
		if (pair[i] < 0)
			return kb_fail(run, -pair[i], "a datagram socket at 127.0.0.1");
	}
	return connect_to(pair[0], port[1]) || connect_to(pair[1], port[0])
		? kb_fail(run, errno, "connecting datagram sockets")
		: 0;
}

int kb_channel_loopback(struct kb_run *run, struct kb_channel *c, int type)
{
	int pair[2] = { -1, -1 }, error = type == SOCK_DGRAM ? udp_pair(run, pair) : tcp_pair(run, pair);

	if (!error)
		both_ways(c, pair[0], pair[1], type);
	return error;
}

/* ---- another machine ------------------------------------------------------------------------------ */

/* This side sleeps until the answer is here, where it is not here already. */
static int remote_channel(struct kb_run *run, struct kb_channel *c, int type, bool stream)
{
	static const enum kb_served_kind kinds[2][2] = { { KB_ECHO_TCP, KB_STREAM_TCP }, { KB_ECHO_UDP, KB_STREAM_UDP } };
	bool has_buffer = kb_param_index(run->bench, kb_span_of("buffer")) >= 0;
	struct kb_request wanted = {
		.verb = KB_REQUEST_OPEN, .kind = kinds[type == SOCK_DGRAM][stream], .bytes = kb_param_number(run, stream ? "chunk" : "bytes"),
		.buffer = has_buffer ? kb_param_number(run, "buffer") : 0,
	};
	struct kb_answer answer;
	int error = kb_remote_open(run, &wanted, &answer), fd = error ? error : kb_remote_data(run, type, &answer);

	if (fd < 0)
		return fd;
	both_ways(c, 0, fd, type);
	c->remote = true;
	c->head = type == SOCK_DGRAM ? KB_DATAGRAM_HEAD : 0;
	memcpy(c->cookie, answer.cookie, sizeof c->cookie);
	if (!stream)
		kb_expect(run, KB_SWITCHES, 1, 1);
	return 0;
}

int kb_channel_open(struct kb_run *run, struct kb_channel *c, int type, bool stream)
{
	if (kb_remote_named(run))
		return remote_channel(run, c, type, stream);
	return kb_channel_network(run) ?: kb_channel_loopback(run, c, type);
}

/* ---- calm ---------------------------------------------------------------------------------------- */

static int files[2] = { -1, -1 };
static uint64_t first, operations;

/* All that must not happen; ~0: not known. A probe is sent when an acknowledgement is merely delayed, as between two
   samples when there is nothing more to send. */
static uint64_t network_errors(void)
{
	static char snmp[8192] = "\n", netstat[16384] = "\n";
	uint64_t sent_again, probes, others;

	if (kb_read_at_start(files[0], snmp + 1, sizeof snmp - 1) <= 0 ||
		kb_read_at_start(files[1], netstat + 1, sizeof netstat - 1) <= 0)
		return UINT64_MAX;
	sent_again = kb_number_below(snmp, "\nTcp:", "RetransSegs");
	probes = kb_number_below(netstat, "\nTcpExt:", "TCPLossProbes");
	others = kb_number_below(snmp, "\nUdp:", "InErrors") + kb_number_below(snmp, "\nUdp:", "RcvbufErrors") +
		kb_number_below(netstat, "\nTcpExt:", "ListenOverflows") + kb_number_below(netstat, "\nTcpExt:", "ListenDrops");
	return others + (sent_again > probes ? sent_again - probes : 0);
}

/* A refusal is no reason to skip: kb_private has said so, and is contradicted. */
int kb_channel_network(struct kb_run *run)
{
	if (kb_private(run, KB_PRIVATE_NETWORK))
		run->context->skipped = false;
	files[0] = open("/proc/net/snmp", O_RDONLY | O_CLOEXEC);
	files[1] = open("/proc/net/netstat", O_RDONLY | O_CLOEXEC);
	first = network_errors();
	if (first == UINT64_MAX)
		kb_unproven(run, "/proc/net/snmp and netstat cannot be read: segments sent twice would go unseen");
	return 0;
}

/* A reader that loses its CPU inside its socket acknowledges late, and a segment is sent again that was not lost:
   a few in thousands are the machine's load, which the estimators bear. */
int kb_network_check(struct kb_run *run, uint64_t n)
{
	if (kb_remote_is_open())
		return kb_remote_check(run, n);

	uint64_t events = network_errors() - first;

	operations += n;
	if (events <= SPURIOUS + operations / 1000)
		return 0;
	return kb_fail(run, EREMOTEIO,
		"%llu segments or datagrams of %llu operations were sent again, dropped or refused",
		(unsigned long long)events, (unsigned long long)operations);
}
