/* Points inside an operation, on a clock that the operation moves: what they take is in no part, and where there are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/measure.h"

static struct { char text[8192]; size_t length; uint64_t now, contended; } *seen;
static struct kb_measure measure;
static struct kb_marks *marks;

/* A reading takes nothing but for the probe, whose second one comes so much later; 500 pass before it is read again. */
static uint64_t begin(void)
{
	return seen->now += measure.probing ? 0 : 500;
}

static uint64_t end(void)
{
	return seen->now += measure.probing ? seen->contended++ : 0;
}

static const struct kb_clock clock = { .name = "fake", .begin = begin, .end = end, .hz = 1000000000 };
static const struct kb_probe hooks;

static int sink(void *context, const char *bytes, size_t count)
{
	(void)context;
	memcpy(seen->text + seen->length, bytes, count);
	seen->length += count;
	seen->text[seen->length] = '\0';
	return 0;
}

/* Parts of 100, 200 and 300 ticks, each ended, the last one too. */
static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		for (unsigned part = 1; part <= 3; part++) {
			seen->now += 100 * part;
			kb_measure_part(&measure);
		}
	}
	return 0;
}

/* The second part ends in a child. */
static int forks(struct kb_run *run, uint64_t n)
{
	int status;

	(void)run, (void)n;
	seen->now += 10;
	kb_measure_part(&measure);
	seen->now += 20;
	pid_t child = fork();

	if (child == 0) {
		kb_measure_part(&measure);
		seen->now += 30;
		_exit(0);
	}
	waitpid(child, &status, 0);
	return 0;
}

static struct kb_bench bench;
static struct kb_run run;
static struct kb_record_writer out;

static void start(int (*what)(struct kb_run *, uint64_t), unsigned most)
{
	bench = (struct kb_bench){ .op = what };
	run = (struct kb_run){ .bench = &bench };
	*marks = (struct kb_marks){ .most = most };
	seen->now = 5000;
	seen->contended = 1352;
	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	seen->length = 0;
	measure = (struct kb_measure){ .run = &run, .clock = &clock, .probe = &hooks, .out = &out, .marks = marks };
}

static const char *execute(const char *plan)
{
	struct kb_block block;

	seen->length = 0;
	assert_int_equal(kb_plan_parse((struct kb_span){ plan, strlen(plan) }, &block), 0);
	assert_int_equal(kb_measure_block(&measure, &block), 0);
	return seen->text;
}

/* The one that would end the last part does nothing, for the probe after the sample is there. */
static void test_parts(void **state)
{
	(void)state;
	start(op, 3);
	assert_string_equal(execute("block 0 probe=780 o1 o1"),
	                    "o 1 600 t=0 k=0 cpu=0 p=1352,1355 parts=100:1353,200:1354,300\n"
	                    "o 1 600 t=6162 k=0 cpu=0 p=1355,1358 parts=100:1356,200:1357,300\n");
	/* A benchmark that ends fewer than it says. */
	start(op, 9);
	assert_non_null(strstr(execute("block 0 probe=780 o1"), " 600 t=0 k=0 cpu=0 p=1352,1356 parts=100:1353,200:1354,300:1355,0\n"));
}

/* Where nothing is probed, where a sample has several operations, of the single ones beside those, and of pairs. */
static void test_no_parts(void **state)
{
	(void)state;
	start(op, 3);
	assert_string_equal(execute("block 0 o1"), "o 1 600 t=0 k=0 cpu=0\n");
	assert_null(strstr(execute("block 0 probe=780 o1 o2"), "parts="));
	assert_null(strstr(execute("block 0 probe=780 q o2"), "parts="));
	assert_null(strstr(execute("block 0 probe=780 c"), "parts="));
	assert_non_null(strstr(execute("block 0 probe=780 o1 q c"), "parts="));
	bench.method = KB_PAIRED;
	assert_null(strstr(execute("block 0 probe=780 o1"), "parts="));
	start(op, 3);
	measure.marks = NULL;
	assert_string_equal(execute("block 0 probe=780 o1"), "o 1 600 t=0 k=0 cpu=0 p=1352,1353\n");
}

/* A block has room for so many samples with parts; the others are whole. */
static void test_room(void **state)
{
	char plan[256] = "block 0 probe=780";
	unsigned count = 0;

	(void)state;
	start(op, 3);
	for (unsigned i = 0; i < KB_MARKED_MAX + 2; i++)
		strcat(plan, " o1");
	for (const char *at = execute(plan); (at = strstr(at, "parts=100:")); at++)
		count++;
	assert_int_equal(count, KB_MARKED_MAX);
}

static void test_child(void **state)
{
	(void)state;
	start(forks, 3);
	assert_non_null(strstr(execute("block 0 probe=780 o1"), "o 1 60 t=0 k=0 cpu=0 p=1352,1355 parts=10:1353,20:1354,30\n"));
}

static void *shared(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts), cmocka_unit_test(test_no_parts), cmocka_unit_test(test_room), cmocka_unit_test(test_child),
	};

	seen = shared(sizeof *seen);
	marks = shared(sizeof *marks);
	return !seen || !marks ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
