/* The probe against things that were made to happen a known number of times around an interval. */
#define _GNU_SOURCE
#include <alloca.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "evidence/evidence.h"
#include "evidence/events.h"
#include "io.h"

#define PAGES 64

static struct kb_linux_probe probe;
static struct kb_probe hooks;
static struct kb_bench bench;
static struct kb_settings settings;
static char text[8192];
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

static void open_probe(struct kb_bench with)
{
	bench = with;
	bench.name = "test.row";
	kb_settings_default(&settings, &bench);
	kb_linux_probe_open(&probe, &bench, &settings, (unsigned)sched_getcpu());
	hooks = kb_linux_probe_hooks(&probe);
}

static unsigned bracket(enum kb_role role, uint64_t n, void (*work)(uint64_t))
{
	unsigned cpu;

	*(volatile unsigned *)&cpu = 0; /* here, so that its page is this process's own */
	hooks.before(hooks.context, role);
	work(n);
	return hooks.after(hooks.context, role, n, 0, &cpu);
}

/* The lines of the report. */
static const char *report(void)
{
	struct kb_record_writer out;

	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	length = 0;
	text[0] = '\0';
	kb_linux_probe_report(&probe, &out);
	return text;
}

/* count of the line that starts so; -1: no such line. */
static long long reported(const char *start, uint64_t operations, uint64_t intervals)
{
	unsigned long long count, n, k;
	const char *line = strstr(report(), start);

	if (!line || sscanf(line + strlen(start), " %llu %llu %llu", &count, &n, &k) != 3)
		return -1;
	assert_int_equal(n, operations);
	assert_int_equal(k, intervals);
	return (long long)count;
}

/* ---- work ---------------------------------------------------------------------------------------- */

static char *fresh;

static void map_fresh(void)
{
	size_t bytes = (size_t)PAGES * (size_t)sysconf(_SC_PAGESIZE);

	fresh = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(fresh, MAP_FAILED);
	madvise(fresh, bytes, MADV_NOHUGEPAGE);
}

static void unmap_fresh(void)
{
	munmap(fresh, (size_t)PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

static void touch(uint64_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (uint64_t i = 0; i < n; i++)
		((volatile char *)fresh)[i * page] = 1;
}

static void nothing(uint64_t n)
{
	(void)n;
}

static void wait_ms(uint64_t n)
{
	kb_sleep_ns(n * 1000000);
}

static void write_bytes(uint64_t n)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(write(fd, "12345", 5), 5);
	close(fd);
}

static void count_seen(uint64_t n)
{
	probe.own[KB_SEEN] += n;
}

/* Never fewer, and hardly more: a sanitizer's shadow of n pages is n / 8 pages. */
static void assert_faults(long long count, unsigned n)
{
	assert_in_range(count, n, n + n / 8 + 3);
}

/* ---- tests --------------------------------------------------------------------------------------- */

static const struct kb_bench faulting = { .expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.5 }, { KB_MAJFLT } } };

static void test_faults(void **state)
{
	(void)state;
	open_probe(faulting);
	map_fresh();
	bracket(KB_ROLE_OP, 0, nothing); /* the probe's own first pages */
	probe.op = (struct kb_evidence_tally){ .operations = 0 };
	bracket(KB_ROLE_OP, PAGES / 2, touch);
	assert_faults(reported("e minflt", PAGES / 2, 1), PAGES / 2);
	assert_int_equal(reported("e majflt", PAGES / 2, 1), 0);
	assert_int_equal(reported("eb minflt", 0, 0), -1);
	/* The same pages again fault no more, and that is seen, too. */
	bracket(KB_ROLE_SINGLE, PAGES / 2, touch);
	assert_faults(reported("e minflt", PAGES, 2), PAGES / 2);
	unmap_fresh();
}

/* More than the operation claims is a disturbance; in the base any fault is one, and it is counted apart. */
static void test_fault_flag(void **state)
{
	(void)state;
	open_probe((struct kb_bench){ .expect = { { KB_MINFLT, .per_op = 0 } } });
	map_fresh();
	bracket(KB_ROLE_OP, 1, nothing);
	assert_false(bracket(KB_ROLE_OP, 1, nothing) & KB_FLAG_FAULT);
	assert_true(bracket(KB_ROLE_OP, 8, touch) & KB_FLAG_FAULT);
	unmap_fresh();

	open_probe(faulting);
	map_fresh();
	assert_false(bracket(KB_ROLE_OP, PAGES / 2, touch) & KB_FLAG_FAULT);
	unmap_fresh();
	map_fresh();
	bracket(KB_ROLE_BASE, 1, nothing);
	probe.op = (struct kb_evidence_tally){ .operations = 0 };
	probe.base = (struct kb_evidence_tally){ .operations = 0 };
	assert_true(bracket(KB_ROLE_BASE, 8, touch) & KB_FLAG_FAULT);
	assert_faults(reported("eb minflt", 8, 1), 8);
	assert_int_equal(reported("e minflt", 0, 0), 0);
	unmap_fresh();
}

/* All memory of this process is shared with the other until it is written again. */
static pid_t share_memory(void)
{
	pid_t sharer = fork();

	assert_true(sharer >= 0);
	if (sharer == 0) {
		for (;;)
			pause();
	}
	return sharer;
}

static void end_sharing(pid_t sharer)
{
	kill(sharer, SIGKILL);
	assert_int_equal(waitpid(sharer, NULL, 0), sharer);
}

static __attribute__((noinline)) unsigned bracket_below(size_t depth)
{
	volatile char *above = alloca(depth);
	pid_t sharer = share_memory();

	above[0] = 0;

	unsigned flags = bracket(KB_ROLE_OP, 1, nothing);

	end_sharing(sharer);
	return flags;
}

/* Of a thread that it has preempted the kernel writes where it runs (rseq(2)): a fault that nobody can bring forward. */
static unsigned bracket_unswitched(size_t depth)
{
	unsigned flags = KB_FLAG_SWITCH;

	for (unsigned tries = 0; tries < 100 && (flags & KB_FLAG_SWITCH); tries++)
		flags = bracket_below(depth);
	return flags;
}

/* Behind a fork each first write to a page is a fault: none of them is the interval's, wherever the page ends in the stack. */
static void test_faults_behind_fork(void **state)
{
	(void)state;
	open_probe((struct kb_bench){ .expect = { { KB_MINFLT, .per_op = 0 } } });
	bracket_below(64);      /* binds the functions' names */
	for (size_t depth = 64; depth <= 4096; depth += 64)
		assert_int_equal(bracket_unswitched(depth) & (KB_FLAG_FAULT | KB_FLAG_SWITCH), 0);
}

static void test_warm(void **state)
{
	(void)state;
	open_probe(faulting);
	map_fresh();
	hooks.block_begin(hooks.context, true);
	bracket(KB_ROLE_OP, 8, touch);
	assert_int_equal(reported("e minflt", 0, 0), 0);
	hooks.block_begin(hooks.context, false);
	bracket(KB_ROLE_CLOCK, 0, nothing);
	assert_int_equal(reported("e minflt", 0, 0), 0);
	unmap_fresh();
}

/* Time without the CPU: a disturbance, unless the operation is one that waits. */
static void test_gap(void **state)
{
	(void)state;
	open_probe((struct kb_bench){ .expect = { { KB_MINFLT } } });
	assert_true(bracket(KB_ROLE_OP, 2, wait_ms) & KB_FLAG_GAP);
	open_probe((struct kb_bench){ .expect = { { KB_NVCSW, .per_op = 1 } } });
	assert_false(bracket(KB_ROLE_OP, 2, wait_ms) & KB_FLAG_GAP);
	assert_true(bracket(KB_ROLE_BASE, 2, wait_ms) & KB_FLAG_GAP);
}

static void sleep_often(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		kb_sleep_ns(100000);
}

static void test_switches(void **state)
{
	(void)state;
	open_probe((struct kb_bench){ .expect = { { KB_NVCSW, .per_op = 1 } } });
	bracket(KB_ROLE_OP, 20, sleep_often);
	assert_in_range(reported("e nvcsw", 20, 1), 18, 20); /* a timer may be over before the thread sleeps */
}

static void test_own(void **state)
{
	(void)state;
	open_probe((struct kb_bench){ .expect = { { KB_SEEN, .per_op = 1 } } });
	bracket(KB_ROLE_OP, 7, count_seen);
	/* What the benchmark's hooks count between two intervals belongs to the next one. */
	count_seen(3);
	bracket(KB_ROLE_OP, 4, count_seen);
	assert_int_equal(reported("e seen", 11, 2), 14);
}

/* Expectations that setup adds stand behind those of the descriptor; one of faults also says which faults are none. */
static void test_found(void **state)
{
	/* Two faults a page, where one is certain: a sanitizer's own memory may bring some more. */
	struct kb_expect seen = { KB_SEEN, .per_op = 2 }, faults = { KB_MINFLT, .per_op = 2 };
	const char *absent, *added;

	(void)state;
	open_probe((struct kb_bench){ .expect = { { KB_ABSENT, .per_op = 0 } } });
	kb_linux_probe_expect(&probe, &seen);
	kb_linux_probe_expect(&probe, &faults);
	kb_linux_probe_expect(&probe, &seen);   /* one more than there is room for: left out, and nothing else harmed */
	map_fresh();
	assert_int_equal(bracket(KB_ROLE_OP, PAGES, touch) & KB_FLAG_FAULT, 0);
	count_seen(5);
	bracket(KB_ROLE_OP, 1, count_seen);
	assert_int_equal(reported("e seen", PAGES + 1, 2), 6);
	assert_true(reported("e minflt", PAGES + 1, 2) >= PAGES);
	absent = strstr(report(), "e absent");
	added = strstr(text, "e seen");
	assert_true(absent && added > absent && !strstr(added + 1, "e seen"));
	unmap_fresh();
}

static void test_io(void **state)
{
	(void)state;
	open_probe((struct kb_bench){ .expect = { { KB_SYSCW, .per_op = 1 }, { KB_WCHAR, .per_op = 5 } } });
	if (probe.io < 0)
		skip();
	bracket(KB_ROLE_OP, 30, write_bytes);
	assert_int_equal(reported("e syscw", 30, 1), 30);
	assert_int_equal(reported("e wchar", 30, 1), 150);
}

static void test_perf(void **state)
{
	int fd = kb_perf_open(KB_SW_FAULTS);

	(void)state;
	if (fd < 0)
		skip();
	close(fd);
	open_probe((struct kb_bench){ .expect = { { KB_SW_FAULTS, .per_op = 1, .tolerance = 0.1 } } });
	map_fresh();
	bracket(KB_ROLE_OP, 0, nothing);
	probe.op = (struct kb_evidence_tally){ .operations = 0 };
	bracket(KB_ROLE_OP, PAGES, touch);
	assert_faults(reported("e sw_faults", PAGES, 1), PAGES);
	unmap_fresh();
}

/* Expectations of other parameters, and counters that this probe cannot read, are left out, not reported as 0. */
static void test_left_out(void **state)
{
	(void)state;
	open_probe((struct kb_bench){
		.params = { { "mode", "which", KB_CHOICE, "one", .choices = "one,two" } },
		.expect = {
			{ KB_MINFLT, .when = "mode=two" }, { KB_SEEN, .when = "mode=one" },
			{ KB_SYSCALLS, .who = KB_ALL }, { KB_NVCSW, .who = KB_PEER },
		},
	});
	bracket(KB_ROLE_OP, 1, nothing);
	assert_string_equal(report(), "e seen 0 1 1\n");
}

static void test_peer(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		for (int i = 0; i < 400; i++)
			kb_sleep_ns(5000000); /* some 2 s of switches, whoever watches */
		_exit(0);
	}
	open_probe((struct kb_bench){ .expect = { { KB_NVCSW, .per_op = 0, .tolerance = 100, .who = KB_PEER } } });
	kb_linux_probe_peer(&probe, pid, 0);
	uint64_t start = kb_wall_ns();

	bracket(KB_ROLE_OP, 200, wait_ms);
	long long count = reported("e nvcsw", 200, 1), most = (long long)((kb_wall_ns() - start) / 5000000) + 20;

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_in_range(count, 2, most);
}

static void test_block_line(void **state)
{
	struct kb_record_writer out;
	unsigned long long index, steal, interrupts;

	(void)state;
	open_probe(faulting);
	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	length = 0;
	hooks.block_begin(hooks.context, false);
	wait_ms(20);
	hooks.block_end(hooks.context, &out, 9);
	assert_int_equal(sscanf(text, "k %llu steal=%llu irq=%llu\n", &index, &steal, &interrupts), 3);
	assert_int_equal(index, 9);
	assert_true(interrupts < 100000000); /* a difference, not the count since the machine started */
}

#define MANY_CPUS 1000u

/* As a large machine has it: CPU i has had i ticks of steal taken, and the line of the interrupts is longer than any buffer. */
static int large_stat(unsigned steal, unsigned interrupts)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	fprintf(file, "cpu  1 2 3 4 5 6 7 8 0 0\n");
	for (unsigned i = 0; i < MANY_CPUS; i++)
		fprintf(file, "cpu%u 123456 2345 345678 4567890123 56789 0 6789 %u 0 0\n", i, i + steal);
	fprintf(file, "intr %u", interrupts);
	for (unsigned i = 0; i < 20000; i++)
		fputs(" 0", file);
	fputs("\nctxt 12345\n", file);
	fflush(file);

	int fd = dup(fileno(file));

	fclose(file);
	return fd;
}

static const char *block_line(unsigned cpu, int before, int after)
{
	struct kb_record_writer out;

	open_probe(faulting);
	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	length = 0;
	assert_int_equal(dup2(before, probe.stat), probe.stat);
	probe.cpu_before = cpu;
	hooks.block_begin(hooks.context, false);
	/* Where the thread is in the end is another CPU, whose steal is another count. */
	probe.cpu_before = 0;
	assert_int_equal(dup2(after, probe.stat), probe.stat);
	hooks.block_end(hooks.context, &out, 1);
	return text;
}

static void test_large_machine(void **state)
{
	int before = large_stat(0, 5000), after = large_stat(3, 5040);

	(void)state;
	assert_string_equal(block_line(0, before, after), "k 1 steal=3 irq=40\n");
	assert_string_equal(block_line(7, before, after), "k 1 steal=3 irq=40\n");
	assert_string_equal(block_line(MANY_CPUS - 1, before, after), "k 1 steal=3 irq=40\n");
	/* What went backwards has not grown. */
	assert_string_equal(block_line(MANY_CPUS - 1, after, before), "k 1 steal=0 irq=0\n");
	close(before);
	close(after);
}

static void test_names(void **state)
{
	(void)state;
	/* Counters are found again by their names alone: each has one of its own. */
	for (enum kb_counter counter = 1; counter < KB_COUNTERS; counter++) {
		for (enum kb_counter other = 0; other < counter; other++)
			assert_string_not_equal(kb_counter_name(counter), kb_counter_name(other));
	}
	for (enum kb_bound bound = KB_KERNEL; bound <= KB_NOTHING; bound++)
		assert_int_equal(kb_bound_find(kb_bound_name(bound)), bound);
	assert_string_equal(kb_who_name(KB_ALL), "all");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults), cmocka_unit_test(test_fault_flag), cmocka_unit_test(test_faults_behind_fork),
		cmocka_unit_test(test_warm),
		cmocka_unit_test(test_gap), cmocka_unit_test(test_switches), cmocka_unit_test(test_own), cmocka_unit_test(test_found),
		cmocka_unit_test(test_io), cmocka_unit_test(test_perf), cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_peer), cmocka_unit_test(test_block_line), cmocka_unit_test(test_large_machine),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
