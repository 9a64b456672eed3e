/*
 * Copies on one line: where the measuring circle waits, what a failing wait does to the record, and that the line itself
 * lets nobody pass before all are there, nor waits for who is gone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/linux/barrier.h"
#include "unit/measure/calls.h"

/* ---- in the circle ------------------------------------------------------------------------------- */

/* More letters: l line, p P probe, O op, B base. */
static unsigned lines, fails_at;        /* the line that fails, from 1; 0: none */

static int op(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	call('O');
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	call('B');
	return 0;
}

static int line_up(void *line)
{
	assert_ptr_equal(line, &lines);
	call('l');
	return ++lines == fails_at ? -ECANCELED : 0;
}

static void probe_before(void *context, enum kb_role role)
{
	(void)context, (void)role;
	call('p');
}

static unsigned probe_after(void *context, enum kb_role role, uint64_t n, uint64_t ticks, unsigned *cpu)
{
	(void)context, (void)role, (void)n, (void)ticks;
	call('P');
	*cpu = 0;
	return 0;
}

static int run_line(const char *line, unsigned failing)
{
	struct kb_bench bench = { .before = before, .op = op, .base = base };
	struct kb_run run = { .bench = &bench };
	struct kb_probe probe = { .before = probe_before, .after = probe_after };

	lines = 0;
	fails_at = failing;
	return run_block((struct kb_measure){ .run = &run, .probe = &probe, .line_up = line_up, .line = &lines }, line);
}

/* Behind what the benchmark does untimed, which takes each copy another time, and before the probe: its readings must not
   hold the waiting. */
static void all_samples_start_on_a_line(void **state)
{
	(void)state;
	assert_int_equal(run_line("block 0 o5 b5 c q p", 0), 0);
	assert_string_equal(seen.calls, "blp<O>P" "lp<B>P" "lp<>P" "blp<O>P" "l<><>");
}

static void a_failed_line_is_no_observation(void **state)
{
	(void)state;
	assert_int_equal(run_line("block 0 o5 b5 o6", 2), -ECANCELED);
	assert_non_null(strstr(seen.text, "o 5 "));
	assert_null(strstr(seen.text, "b 5 "));
	assert_null(strstr(seen.text, "o 6 "));
	assert_non_null(strstr(seen.text, "fail stage=barrier errno=125"));
	assert_int_equal(run_line("block 0 p o5", 1), -ECANCELED);
	assert_null(strstr(seen.text, "s add"));
	assert_non_null(strstr(seen.text, "fail stage=barrier"));
}

/* ---- the line itself ----------------------------------------------------------------------------- */

#define COPIES 3u
#define ROUNDS 300u

static int shared_file(size_t bytes)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	return fd;
}

struct runner {
	struct kb_barrier barrier;
	unsigned early;                 /* lines that it passed before another one had come */
	int error;
};

static unsigned arrivals[COPIES];

static void *run(void *data)
{
	struct runner *runner = data;

	for (unsigned round = 1; round <= ROUNDS && !runner->error; round++) {
		__atomic_store_n(&arrivals[runner->barrier.copy], round, __ATOMIC_SEQ_CST);
		runner->error = kb_barrier_wait(&runner->barrier);
		for (unsigned i = 0; i < COPIES; i++)
			runner->early += __atomic_load_n(&arrivals[i], __ATOMIC_SEQ_CST) < round;
	}
	return NULL;
}

/* More threads than CPUs: waiting must not keep the awaited one from running. */
static void nobody_passes_early(void **state)
{
	static struct runner runners[COPIES];
	pthread_t threads[COPIES];
	int fd = shared_file(COPIES * KB_BARRIER_PLACE);

	(void)state;
	for (unsigned i = 0; i < COPIES; i++) {
		assert_int_equal(kb_barrier_open(&runners[i].barrier, fd, COPIES, i), 0);
		assert_int_equal(pthread_create(&threads[i], NULL, run, &runners[i]), 0);
	}
	for (unsigned i = 0; i < COPIES; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(runners[i].error, 0);
		assert_int_equal(runners[i].early, 0);
	}
	close(fd);
}

static void who_is_gone_is_not_awaited(void **state)
{
	struct kb_barrier here, other;
	int fd = shared_file(2 * KB_BARRIER_PLACE);

	(void)state;
	assert_int_equal(kb_barrier_open(&here, fd, 2, 0), 0);
	assert_int_equal(kb_barrier_open(&other, fd, 2, 1), 0);
	kb_barrier_leave(&other);
	assert_int_equal(kb_barrier_wait(&here), -ECANCELED);
	close(fd);
}

/* The parent writes it at this place when a copy was killed. */
static void the_place_of_gone(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct kb_barrier_place, gone), 8);
	assert_int_equal(sizeof(struct kb_barrier_place), 128);
}

static void who_does_not_come_is_given_up(void **state)
{
	struct kb_barrier here;
	int fd = shared_file(2 * KB_BARRIER_PLACE);

	(void)state;
	assert_int_equal(kb_barrier_open(&here, fd, 2, 0), 0);
	here.limit_ns = 1000000;
	assert_int_equal(kb_barrier_wait(&here), -ETIME);
	close(fd);
}

/* A child that dies without a word, as one that is killed. */
static void who_died_is_not_awaited(void **state)
{
	struct kb_barrier here, other;
	int fd = shared_file(2 * KB_BARRIER_PLACE);
	pid_t child;

	(void)state;
	assert_int_equal(kb_barrier_open(&here, fd, 2, 0), 0);
	child = fork();
	if (child == 0) {
		kb_barrier_open(&other, fd, 2, 1);
		_exit(0);
	}
	here.limit_ns = UINT64_C(60000000000);
	assert_int_equal(kb_barrier_wait(&here), -ECANCELED);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(fd);
}

static void one_copy_waits_for_nobody(void **state)
{
	struct kb_barrier here;
	int fd = shared_file(KB_BARRIER_PLACE);

	(void)state;
	assert_int_equal(kb_barrier_open(&here, fd, 1, 0), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(kb_barrier_wait(&here), 0);
	close(fd);
}

static void wrong_memory_is_refused(void **state)
{
	struct kb_barrier here;
	int fd = shared_file(KB_BARRIER_PLACE);

	(void)state;
	assert_int_equal(kb_barrier_open(&here, fd, 2, 0), -EINVAL);
	assert_int_equal(kb_barrier_open(&here, fd, 0, 0), -EINVAL);
	assert_int_equal(kb_barrier_open(&here, fd, 1, 1), -EINVAL);
	close(fd);
	assert_int_equal(kb_barrier_open(&here, fd, 1, 0), -EBADF);
	kb_barrier_leave(&here);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_samples_start_on_a_line),
		cmocka_unit_test(a_failed_line_is_no_observation),
		cmocka_unit_test(nobody_passes_early),
		cmocka_unit_test(who_is_gone_is_not_awaited),
		cmocka_unit_test(the_place_of_gone),
		cmocka_unit_test(who_does_not_come_is_given_up),
		cmocka_unit_test(who_died_is_not_awaited),
		cmocka_unit_test(one_copy_waits_for_nobody),
		cmocka_unit_test(wrong_memory_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
