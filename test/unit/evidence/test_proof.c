/* What n operations do, seen under ptrace: of children that behave, crash, hang, fork and fail. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "evidence/proof.h"
#include "io.h"

#define LIMIT_NS UINT64_C(10000000000)

static void calls(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		syscall(SYS_getppid);
}

/* What both circles do once (7 calls) must cancel, and what is outside the marks must not count. */
static int circles(void (*operations)(uint64_t), void (*base)(uint64_t), uint64_t n)
{
	calls(5);
	for (uint64_t circle = 1; circle <= 2; circle++) {
		kb_proof_mark(circle == 1 ? KB_PROOF_OP : KB_PROOF_OP_TWICE, circle * n);
		calls(7);
		operations(circle * n);
		kb_proof_mark(KB_PROOF_APART, 0);
		calls(11);
		kb_proof_mark(circle == 1 ? KB_PROOF_BASE : KB_PROOF_BASE_TWICE, circle * n);
		base(circle * n);
		kb_proof_mark(KB_PROOF_APART, 0);
	}
	return 0;
}

static void none(uint64_t n)
{
	(void)n;
}

static int honest(void *context, uint64_t n)
{
	(void)context;
	return circles(calls, none, n);
}

static int make(int (*traced)(void *, uint64_t), void *context, uint64_t n, uint64_t limit_ns, struct kb_proof *proof)
{
	struct kb_proof_request request = { traced, context, n, limit_ns, NULL, NULL, 0 };

	return kb_proof_make(&request, proof);
}

static void two_each(uint64_t n)
{
	calls(2 * n);
}

static void by_children(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			calls(3);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static int chosen(void *context, uint64_t n)
{
	return circles(*(void (**)(uint64_t))context, none, n);
}

static int crashing(void *context, uint64_t n)
{
	(void)context;
	kb_proof_mark(KB_PROOF_OP, n);
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return 0;
}

static int hanging(void *context, uint64_t n)
{
	(void)context;
	kb_proof_mark(KB_PROOF_OP, n);
	sleep(60);
	return 0;
}

static int failing(void *context, uint64_t n)
{
	(void)context, (void)n;
	return -EIO;
}

static int unmarked(void *context, uint64_t n)
{
	(void)context;
	calls(n);
	return 0;
}

/* Sandboxes may refuse ptrace: then there is nothing to test. */
static void require_ptrace(void)
{
	struct kb_proof proof;

	if (make(honest, NULL, 1, LIMIT_NS, &proof) == -EPERM)
		skip();
}

static void test_honest(void **state)
{
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	for (uint64_t n = 1; n <= 1000; n *= 10) {
		assert_int_equal(make(honest, NULL, n, LIMIT_NS, &proof), 0);
		assert_int_equal(proof.op.made, n);
		assert_int_equal(proof.operations, n);
		assert_int_equal(proof.status, 0);
	}
}

static void test_others(void **state)
{
	static const struct { void (*operations)(uint64_t); uint64_t each; } cases[] = {
		{ two_each, 2 }, { none, 0 },
	};
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		void (*operations)(uint64_t) = cases[i].operations;

		assert_int_equal(make(chosen, &operations, 50, LIMIT_NS, &proof), 0);
		assert_int_equal(proof.op.made, 50 * cases[i].each);
	}
}

/* The tasks that an operation starts are part of it: 3 calls, the exit, and what fork and waitpid take, which depends
   on the C library. */
static void test_children(void **state)
{
	void (*operations)(uint64_t) = by_children;
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	assert_int_equal(make(chosen, &operations, 4, LIMIT_NS, &proof), 0);
	assert_in_range(proof.op.made, 4 * 6, 4 * 30);
}

static void test_crash(void **state)
{
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	assert_int_equal(make(crashing, NULL, 10, LIMIT_NS, &proof), 0);
	assert_true(WIFSIGNALED(proof.status));
	assert_int_equal(WTERMSIG(proof.status), SIGSEGV);
}

static void test_failure(void **state)
{
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	assert_int_equal(make(failing, NULL, 10, LIMIT_NS, &proof), 0);
	assert_true(WIFEXITED(proof.status));
	assert_int_equal(WEXITSTATUS(proof.status), 1);
	/* A child that ends well and never marked its circles proves nothing. */
	assert_int_equal(make(unmarked, NULL, 10, LIMIT_NS, &proof), -EPROTO);
}

static void test_hang(void **state)
{
	struct kb_proof proof;
	uint64_t start;

	(void)state;
	require_ptrace();
	start = kb_wall_ns();
	assert_int_equal(make(hanging, NULL, 10, 100000000, &proof), -ETIME);
	assert_in_range(kb_wall_ns() - start, 100000000, LIMIT_NS); /* of a child that would have slept a minute */
	/* It was killed and reaped. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* ---- what calls do ------------------------------------------------------------------------------- */

static void read_closed(uint64_t n)
{
	char byte;

	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(read(-1, &byte, 1), -1);
}

static void stat_absent(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(access("/absent", F_OK), -1);
}

static void test_failing(void **state)
{
	void (*operations)(uint64_t) = read_closed;
	struct kb_proof_request request = { chosen, &operations, 20, LIMIT_NS, "ENOENT,EAGAIN", NULL, 0 };
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	assert_int_equal(kb_proof_make(&request, &proof), 0);
	assert_int_equal(proof.op.failed, 20);
	assert_int_equal(proof.base.failed, 0);
	assert_string_equal(proof.error, "EBADF");
	assert_string_equal(proof.call, "read");
	operations = stat_absent;
	assert_int_equal(kb_proof_make(&request, &proof), 0);
	assert_int_equal(proof.op.failed, 0); /* it is declared */
	request.errors = NULL;
	assert_int_equal(kb_proof_make(&request, &proof), 0);
	assert_int_equal(proof.op.failed, 20);
	assert_string_equal(proof.error, "ENOENT");
}

static void start_one(const char *const *paths)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(paths[0], "a", NULL);
		execl(paths[1], "b", NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static int starting(void *context, uint64_t n)
{
	for (uint64_t circle = 1; circle <= 2; circle++) {
		kb_proof_mark(circle == 1 ? KB_PROOF_OP : KB_PROOF_OP_TWICE, circle * n);
		for (uint64_t i = 0; i < circle * n; i++)
			start_one(context);
		kb_proof_mark(KB_PROOF_APART, 0);
	}
	return 0;
}

/* A program that is looked for in several directories and found has started; one that is nowhere has not. */
static void test_programs(void **state)
{
	static const struct { const char *first, *second; unsigned failed; } cases[] = {
		{ "/absent", "/bin/true", 0 }, { "/absent", "/neither", 1 }, { "/bin/true", "/bin/true", 0 },
	};

	(void)state;
	require_ptrace();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const *paths = &cases[i].first;
		struct kb_proof proof;

		assert_int_equal(make(starting, (void *)(uintptr_t)paths, 3, LIMIT_NS, &proof), 0);
		assert_int_equal(proof.op.failed, 3 * cases[i].failed);
	}
}

static void turns(uint64_t n)
{
	calls(n / 2);
}

static int busy_base(void *context, uint64_t n)
{
	(void)context;
	return circles(calls, turns, n);
}

static void test_base(void **state)
{
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	assert_int_equal(make(busy_base, NULL, 100, LIMIT_NS, &proof), 0);
	assert_int_equal(proof.op.made, 100);
	assert_int_equal(proof.base.own, 50);
}

static int from = -1;

static void read_hundred(uint64_t n)
{
	char bytes[100];

	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(read(from, bytes, sizeof bytes), sizeof bytes);
}

static void signal_event(uint64_t n)
{
	uint64_t one = 1;

	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(write(from, &one, sizeof one), sizeof one);
}

/* The count of an eventfd is no data. */
static void test_bytes(void **state)
{
	void (*operations)(uint64_t) = read_hundred;
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	from = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	assert_int_equal(make(chosen, &operations, 30, LIMIT_NS, &proof), 0);
	assert_int_equal(proof.op.transfers, 30);
	assert_int_equal(proof.op.bytes, 3000);
	assert_true(proof.counts_bytes);
	close(from);
	from = eventfd(0, EFD_CLOEXEC);
	operations = signal_event;
	assert_int_equal(make(chosen, &operations, 30, LIMIT_NS, &proof), 0);
	assert_int_equal(proof.op.made, 30);
	assert_int_equal(proof.op.transfers, 0);
	close(from);
}

static void go_away_and_back(uint64_t n)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof set, &set);
	for (int i = 0; i < 2; i++)
		sched_setaffinity(0, sizeof set, &set);
	calls(n);
}

static void go_each_time(uint64_t n)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof set, &set);
	for (uint64_t i = 0; i < n; i++)
		sched_setaffinity(0, sizeof set, &set);
}

static void one_child(uint64_t n)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit((int)n & 0);
	waitpid(pid, NULL, 0);
}

/* A child for all operations of a sample does their work; one for each is the operation. */
static void test_tasks(void **state)
{
	void (*operations)(uint64_t) = one_child;
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	assert_int_equal(make(chosen, &operations, 4, LIMIT_NS, &proof), 0);
	assert_int_equal(proof.op.tasks, 1);
	operations = by_children;
	assert_int_equal(make(chosen, &operations, 4, LIMIT_NS, &proof), 0);
	assert_int_equal(proof.op.tasks, 0);
}

/* Once a sample it is a lie; once an operation it may be the operation. */
static void test_changes(void **state)
{
	void (*operations)(uint64_t) = go_away_and_back;
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	assert_int_equal(make(chosen, &operations, 30, LIMIT_NS, &proof), 0);
	assert_int_equal(proof.op.changes, 2);
	operations = go_each_time;
	assert_int_equal(make(chosen, &operations, 30, LIMIT_NS, &proof), 0);
	assert_int_equal(proof.op.changes, 0);
	assert_int_equal(proof.op.made, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_honest), cmocka_unit_test(test_others), cmocka_unit_test(test_children),
		cmocka_unit_test(test_crash), cmocka_unit_test(test_failure), cmocka_unit_test(test_hang),
		cmocka_unit_test(test_failing), cmocka_unit_test(test_programs), cmocka_unit_test(test_base), cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_changes), cmocka_unit_test(test_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
