/* See kbench_bpf.h: routes of a private network, by rtnetlink. */
#include <kbench_bpf.h>

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/rng.h"

struct request {
	struct nlmsghdr header;
	struct rtmsg route;
	struct rtattr attribute;
	uint32_t prefix;
};

/* Asks for one, and takes the kernel's answer: 0 or -errno. */
static int add_route(int socket, uint32_t prefix, uint32_t sequence)
{
	struct request request = {
		.header = { sizeof request, RTM_NEWROUTE, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK, sequence, 0 },
		.route = { .rtm_family = AF_INET, .rtm_dst_len = 24, .rtm_table = RT_TABLE_MAIN, .rtm_protocol = RTPROT_STATIC,
			   .rtm_scope = RT_SCOPE_UNIVERSE, .rtm_type = RTN_BLACKHOLE },
		.attribute = { RTA_LENGTH(sizeof prefix), RTA_DST },
		.prefix = prefix,
	};
	struct { struct nlmsghdr header; struct nlmsgerr answer; char rest[256]; } reply;

	if (send(socket, &request, sizeof request, 0) != sizeof request)
		return -errno;
	if (recv(socket, &reply, sizeof reply, 0) < (ssize_t)(sizeof reply.header + sizeof reply.answer.error))
		return -EPROTO;
	return reply.header.nlmsg_type == NLMSG_ERROR ? reply.answer.error : -EPROTO;
}

/* Of unicast addresses, and neither the network's own nor the loopback's. */
static uint32_t draw(struct kb_rng *rng)
{
	uint32_t first = 1 + (uint32_t)kb_rng_below(rng, 223);

	if (first == 127)
		first = 1;
	return first << 24 | (uint32_t)kb_rng_below(rng, 1 << 16) << 8;
}

static int add_all(int socket, uint32_t *addresses, uint32_t count, uint64_t seed)
{
	struct kb_rng rng;
	int error = 0;

	kb_rng_seed(&rng, seed);
	for (uint32_t i = 0; i < count && !error;) {
		uint32_t prefix = draw(&rng);

		error = add_route(socket, htonl(prefix), i);
		/* It is there already: another. */
		if (error == -EEXIST) {
			error = 0;
			continue;
		}
		addresses[i++] = htonl(prefix | (1 + (uint32_t)kb_rng_below(&rng, 254)));
	}
	return error;
}

int kb_bpf_routes(struct kb_run *run, uint32_t *addresses, uint32_t count)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), error;

	if (fd < 0)
		return kb_skip(run, "no netlink here: %s", strerror(errno));
	error = add_all(fd, addresses, count, run->seed);
	close(fd);
	return error ? kb_skip(run, "the kernel refuses a route: %s", strerror(-error)) : 0;
}
