/* Segments are counted in a network of the process's own, and nowhere else. */
#define _GNU_SOURCE
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "evidence/evidence.h"

#define TRIPS 50

static int tcp[2];

/* A network of its own, with its loopback up. */
static bool enter_network(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return false;

	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool up = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;

	close(fd);
	return up;
}

static void connect_ends(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(listener, (struct sockaddr *)&address, length), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
	tcp[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(tcp[0], (struct sockaddr *)&address, length), 0);
	tcp[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	close(listener);
}

/* There and back, TRIPS times between two readings of the probe: an answer carries the acknowledgement. */
static void count_round_trips(struct kb_linux_probe *probe)
{
	struct kb_probe hooks = kb_linux_probe_hooks(probe);
	unsigned cpu = 0;
	char byte = 'x';

	hooks.before(hooks.context, KB_ROLE_OP);
	for (int i = 0; i < 2 * TRIPS; i++) {
		assert_int_equal(write(tcp[i % 2], &byte, 1), 1);
		assert_int_equal(read(tcp[1 - i % 2], &byte, 1), 1);
	}
	hooks.after(hooks.context, KB_ROLE_OP, TRIPS, 0, &cpu);
}

static void segments_are_counted_where_nobody_else_sends(void **state)
{
	static const struct kb_bench bench = { .name = "test.row", .expect = { { KB_SEGMENTS, .per_op = 2 } } };
	static struct kb_linux_probe probe;
	struct kb_settings settings;

	(void)state;
	kb_settings_default(&settings, &bench);
	kb_linux_probe_open(&probe, &bench, &settings, (unsigned)sched_getcpu());
	connect_ends();
	count_round_trips(&probe);
	assert_false(probe.readable & UINT64_C(1) << KB_SEGMENTS);
	if (!enter_network())
		skip();
	connect_ends();
	count_round_trips(&probe);
	assert_true(probe.readable & UINT64_C(1) << KB_SEGMENTS);
	assert_in_range(probe.op.counts.self[KB_SEGMENTS], 2 * TRIPS, 2 * TRIPS + 2);  /* some late acknowledgement */
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(segments_are_counted_where_nobody_else_sends) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
