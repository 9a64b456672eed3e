/* See waiting.h. */
#include "evidence/waiting.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "io.h"

static bool read_account(const struct kb_waiting *waiting, uint64_t *ran, uint64_t *waited)
{
	char text[128];

	return waiting->account >= 0 && kb_read_at_start(waiting->account, text, sizeof text) > 0 &&
	       sscanf(text, "%" SCNu64 " %" SCNu64, ran, waited) == 2;
}

void kb_waiting_open(struct kb_waiting *waiting)
{
	*waiting = (struct kb_waiting){ .account = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC) };
}

void kb_waiting_start(struct kb_waiting *waiting)
{
	if (!read_account(waiting, &waiting->ran_ns, &waiting->waited_ns))
		waiting->account = -1;
}

bool kb_waiting_end(struct kb_waiting *waiting)
{
	uint64_t ran, waited;

	/* A kernel that accounts for nothing has zeros there. */
	if (!read_account(waiting, &ran, &waited) || ran <= waiting->ran_ns || waited < waiting->waited_ns)
		return false;
	waiting->ran_ns = ran - waiting->ran_ns;
	waiting->waited_ns = waited - waiting->waited_ns;
	return true;
}
