/* System calls of n operations, counted under ptrace: of children that behave, crash, hang, and fork. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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
static int circles(void (*operations)(uint64_t), uint64_t n)
{
	calls(5);
	for (uint64_t circle = 1; circle <= 2; circle++) {
		kb_proof_mark();
		calls(7);
		operations(circle * n);
		kb_proof_mark();
		calls(11);
	}
	return 0;
}

static int honest(void *context, uint64_t n)
{
	(void)context;
	return circles(calls, n);
}

static void two_each(uint64_t n)
{
	calls(2 * n);
}

static void none(uint64_t n)
{
	(void)n;
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
	return circles(*(void (**)(uint64_t))context, n);
}

static int crashing(void *context, uint64_t n)
{
	(void)context, (void)n;
	kb_proof_mark();
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return 0;
}

static int hanging(void *context, uint64_t n)
{
	(void)context, (void)n;
	kb_proof_mark();
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

	if (kb_proof_count(honest, NULL, 1, LIMIT_NS, &proof) == -EPERM)
		skip();
}

static void test_honest(void **state)
{
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	for (uint64_t n = 1; n <= 1000; n *= 10) {
		assert_int_equal(kb_proof_count(honest, NULL, n, LIMIT_NS, &proof), 0);
		assert_int_equal(proof.syscalls, n);
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

		assert_int_equal(kb_proof_count(chosen, &operations, 50, LIMIT_NS, &proof), 0);
		assert_int_equal(proof.syscalls, 50 * cases[i].each);
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
	assert_int_equal(kb_proof_count(chosen, &operations, 4, LIMIT_NS, &proof), 0);
	assert_in_range(proof.syscalls, 4 * 6, 4 * 30);
}

static void test_crash(void **state)
{
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	assert_int_equal(kb_proof_count(crashing, NULL, 10, LIMIT_NS, &proof), 0);
	assert_true(WIFSIGNALED(proof.status));
	assert_int_equal(WTERMSIG(proof.status), SIGSEGV);
}

static void test_failure(void **state)
{
	struct kb_proof proof;

	(void)state;
	require_ptrace();
	assert_int_equal(kb_proof_count(failing, NULL, 10, LIMIT_NS, &proof), 0);
	assert_true(WIFEXITED(proof.status));
	assert_int_equal(WEXITSTATUS(proof.status), 1);
	/* A child that ends well and never marked its circles proves nothing. */
	assert_int_equal(kb_proof_count(unmarked, NULL, 10, LIMIT_NS, &proof), -EPROTO);
}

static void test_hang(void **state)
{
	struct kb_proof proof;
	uint64_t start;

	(void)state;
	require_ptrace();
	start = kb_wall_ns();
	assert_int_equal(kb_proof_count(hanging, NULL, 10, 100000000, &proof), -ETIME);
	assert_in_range(kb_wall_ns() - start, 100000000, LIMIT_NS); /* of a child that would have slept a minute */
	/* It was killed and reaped. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_honest), cmocka_unit_test(test_others), cmocka_unit_test(test_children),
		cmocka_unit_test(test_crash), cmocka_unit_test(test_failure), cmocka_unit_test(test_hang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
