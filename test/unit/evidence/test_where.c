/* Who ran where around samples and blocks: what is the probe's own, and what others do. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "evidence/evidence.h"
#include "io.h"

static struct kb_lookout lookout;

static unsigned first_cpu(void)
{
	cpu_set_t allowed;
	unsigned cpu = 0;

	sched_getaffinity(0, sizeof allowed, &allowed);
	while (!CPU_ISSET(cpu, &allowed))
		cpu++;
	return cpu;
}

static void work_ms(uint64_t ms)
{
	for (uint64_t end = kb_thread_ns() + ms * 1000000; kb_thread_ns() < end;)
		continue;
}

static void test_samples(void **state)
{
	(void)state;
	kb_lookout_open(&lookout, 3);
	for (unsigned i = 0; i < 10; i++)
		kb_lookout_sample(&lookout, i < 4 ? 2 : 3);
	assert_int_equal(lookout.seen.samples, 10);
	assert_int_equal(lookout.seen.away, 4);
}

static void test_mask(void **state)
{
	cpu_set_t allowed;

	(void)state;
	sched_getaffinity(0, sizeof allowed, &allowed);
	if (CPU_COUNT(&allowed) < 2)
		skip();
	unsigned cpu = first_cpu();

	kb_lookout_open(&lookout, cpu);
	kb_lookout_finish(&lookout, true);
	assert_int_equal(lookout.seen.free, 1);
	assert_int_equal(kb_pin(cpu), 0);
	kb_lookout_finish(&lookout, true);
	assert_int_equal(lookout.seen.free, 0);
	sched_setaffinity(0, sizeof allowed, &allowed);
}

static _Atomic bool over, worked;

static void *busy(void *data)
{
	work_ms(5);
	for (worked = true; !over;)
		continue;
	return data;
}

/* A thread that works beside the block's own, declared or not. */
static void test_helpers(void **state)
{
	pthread_t thread;

	(void)state;
	for (int helped = 0; helped <= 1; helped++) {
		kb_lookout_open(&lookout, 0);
		lookout.helped = helped;
		over = worked = false;
		kb_lookout_block_begin(&lookout);
		work_ms(5);
		kb_lookout_block_end(&lookout, false);
		assert_true(lookout.seen.own_us >= 5000);
		assert_true(lookout.seen.others_us < 1000);
		kb_lookout_block_begin(&lookout);
		assert_int_equal(pthread_create(&thread, NULL, busy, NULL), 0);
		for (unsigned i = 0; i < 1000 && !worked; i++)
			kb_sleep_ns(10000000);
		kb_lookout_block_end(&lookout, false);
		over = true;
		pthread_join(thread, NULL);
		assert_true(helped ? lookout.seen.others_us == 0 : lookout.seen.others_us > 1000);
	}
}

static pid_t start(bool works)
{
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* it ends with the test, also where that fails */
	while (pid == 0) {
		if (works)
			work_ms(1);
		else
			pause();
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void run_blocks(unsigned count, uint64_t sleep_ns)
{
	for (unsigned i = 0; i < count; i++) {
		kb_lookout_block_begin(&lookout);
		work_ms(6);
		kb_sleep_ns(sleep_ns);
		kb_lookout_block_end(&lookout, false);
	}
}

/* On a busy machine one that wants to work may not get on for a while; one that sleeps never does. */
static void test_partners(void **state)
{
	pid_t works = start(true), sleeps = start(false);

	(void)state;
	kb_sleep_ns(50000000);
	kb_lookout_open(&lookout, 0);
	kb_lookout_partner(&lookout, sleeps, 0);
	run_blocks(5, 0);
	assert_int_equal(lookout.seen.stretches, 4); /* the first block begins the first one */
	assert_int_equal(lookout.seen.partner_idle, 4);
	kb_lookout_open(&lookout, 0);
	kb_lookout_partner(&lookout, works, 0);
	kb_lookout_partner(&lookout, works, 4096); /* it goes to a CPU that nobody has */
	run_blocks(9, 30000000);
	assert_int_equal(lookout.seen.stretches, 8);
	assert_true(lookout.seen.partner_idle <= 4);
	assert_int_equal(lookout.seen.partner_away, 8);
	end(works);
	end(sleeps);
}

/* A child that nobody declared; as a partner it is one that somebody did. */
static void test_children(void **state)
{
	pid_t child = start(true);
	int peers[] = { child };

	(void)state;
	kb_sleep_ns(300000000);
	kb_lookout_open(&lookout, 0);
	kb_lookout_finish(&lookout, true);
	if (access("/proc/self/task/self/children", F_OK) && lookout.seen.others_us == 0)
		skip(); /* a kernel that does not tell who the children are */
	assert_true(lookout.seen.others_us > 1000);
	kb_lookout_open(&lookout, 0);
	kb_lookout_finish(&lookout, false);
	assert_int_equal(lookout.seen.others_us, 0);
	lookout.peers = peers;
	lookout.peer_count = 1;
	kb_lookout_finish(&lookout, true);
	assert_int_equal(lookout.seen.others_us, 0);
	end(child);
}

/* ---- the probe's own reads ----------------------------------------------------------------------- */

static char text[4096];
static size_t length;

static int sink(void *context, const char *bytes, size_t count)
{
	(void)context;
	if (count < sizeof text - length) {
		memcpy(text + length, bytes, count);
		length += count;
		text[length] = '\0';
	}
	return 0;
}

static void read_zero(unsigned n)
{
	char byte;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	for (unsigned i = 0; i < n; i++)
		assert_int_equal(pread(fd, &byte, 1, 0), 1);
	close(fd);
}

/* The probe reads files of /proc, too, and events: no read of these is one of the operation's. */
static void test_own_reads(void **state)
{
	static struct kb_bench bench = { .name = "test.row", .expect = { { KB_SYSCR, .per_op = 1 }, { KB_RCHAR, .per_op = 1 }, { KB_SW_FAULTS } } };
	static struct kb_linux_probe probe;
	struct kb_record_writer out;
	struct kb_settings settings;
	unsigned cpu;

	(void)state;
	kb_settings_default(&settings, &bench);
	kb_linux_probe_open(&probe, &bench, &settings, (unsigned)sched_getcpu());
	if (probe.io < 0)
		skip();
	struct kb_probe hooks = kb_linux_probe_hooks(&probe);

	kb_linux_probe_peer(&probe, getpid(), 0);
	for (unsigned i = 0; i < 20; i++) {
		enum kb_role role = i % 2 ? KB_ROLE_BASE : KB_ROLE_OP;

		hooks.before(hooks.context, role);
		read_zero(i % 2 ? 0 : 2);
		hooks.after(hooks.context, role, 2, 0, &cpu);
	}
	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	kb_linux_probe_report(&probe, &out);
	assert_non_null(strstr(text, "e syscr 20 20 10"));
	assert_non_null(strstr(text, "eb syscr 0 20 10"));
	assert_non_null(strstr(text, "e rchar 20 20 10"));
	assert_non_null(strstr(text, "eb rchar 0 20 10"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples), cmocka_unit_test(test_mask), cmocka_unit_test(test_helpers), cmocka_unit_test(test_partners),
		cmocka_unit_test(test_children), cmocka_unit_test(test_own_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
