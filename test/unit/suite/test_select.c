/* Selections: which rows come out, in which order, and what a typing error is told. */
#include "suite/select.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"

static const struct kb_bench add = {
	.name = "cpu.op_latency",
	.params = { { .name = "op", .kind = KB_CHOICE, .values = "add,xor", .choices = "add,xor,imul" } },
};
static const struct kb_bench copy = {
	.name = "mem.copy",
	.params = {
		{ .name = "size", .kind = KB_SIZE, .values = "4K,1M", .min = 64, .max = 1 << 30 },
		{ .name = "threads", .kind = KB_NUMBER, .values = "1", .min = 1, .max = 4 },
	},
};
static const struct kb_bench latency = {
	.name = "mem.latency",
	.params = { { .name = "size", .kind = KB_SIZE, .values = "16K", .min = 4096, .max = 1 << 20 } },
};
static const struct kb_bench null = { .name = "sys.null" };

static const struct kb_bench *const benches[] = { &add, &copy, &latency, &null, NULL };

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static size_t length_of(const char *const *words)
{
	size_t count = 0;

	while (words && words[count])
		count++;
	return count;
}

static void expect_rows(const char *const *patterns, const char *const *sets, const char *const *keys)
{
	struct kb_row *rows;
	size_t count;
	char error[256];
	int result = kb_select(KB_SELECT_FULL, benches, patterns, length_of(patterns), sets, length_of(sets), &rows, &count, error);

	if (result)
		fail_msg("%d: %s", result, error);
	assert_int_equal(count, length_of(keys));
	for (size_t i = 0; i < count; i++)
		assert_string_equal(rows[i].key, keys[i]);
	free(rows);
}

static void expect_error(const char *const *patterns, const char *const *sets, int code, const char *words)
{
	struct kb_row *rows;
	size_t count;
	char error[256];
	int result = kb_select(KB_SELECT_FULL, benches, patterns, length_of(patterns), sets, length_of(sets), &rows, &count, error);

	if (result != code || strcmp(error, words) != 0)
		fail_msg("%d instead of %d: %s", result, code, error);
	assert_null(rows);
	assert_int_equal(count, 0);
}

static void everything(void **state)
{
	(void)state;
	expect_rows(NULL, NULL, WORDS("cpu.op_latency op=add", "cpu.op_latency op=xor", "mem.copy size=4K threads=1",
				      "mem.copy size=1M threads=1", "mem.latency size=16K", "sys.null"));
}

static void patterns(void **state)
{
	(void)state;
	expect_rows(WORDS("sys.null"), NULL, WORDS("sys.null"));
	expect_rows(WORDS("sys"), NULL, WORDS("sys.null"));
	expect_rows(WORDS("*.latency"), NULL, WORDS("mem.latency size=16K"));
	/* In the order of names, each once, whatever the order of words. */
	expect_rows(WORDS("sys.null", "mem.latency", "mem.l*"), NULL, WORDS("mem.latency size=16K", "sys.null"));
	assert_true(kb_pattern_match("cpu", "cpu.clock"));
	assert_false(kb_pattern_match("cp", "cpu.clock"));
	assert_false(kb_pattern_match("cpu.", "cpu.clock"));
	assert_true(kb_result_matches("mem.latency 64M", "mem.latency", "mem.latency size=64M order=local"));
	assert_true(kb_result_matches("mem.latency order=local 64M", "mem.latency", "mem.latency size=64M order=local"));
	assert_false(kb_result_matches("mem.latency 16K", "mem.latency", "mem.latency size=64M order=local"));
	assert_false(kb_result_matches("mem.late 64M", "mem.latency", "mem.latency size=64M order=local"));
}

static void sweeps(void **state)
{
	(void)state;
	expect_rows(WORDS("mem.copy"), WORDS("size=64,128", "threads=1,4"),
		    WORDS("mem.copy size=64 threads=1", "mem.copy size=64 threads=4", "mem.copy size=128 threads=1",
			  "mem.copy size=128 threads=4"));
	/* One row for one value, however it is spelled; a repeated -p adds. */
	expect_rows(WORDS("mem.latency"), WORDS("size=64K,65536", "size=8K", "size=64KB"),
		    WORDS("mem.latency size=64K", "mem.latency size=8K"));
	/* Only where there is such a parameter. */
	expect_rows(WORDS("mem.latency", "sys"), WORDS("size=8K"), WORDS("mem.latency size=8K", "sys.null"));
}

static void settings_are_in_the_row(void **state)
{
	struct kb_row *rows;
	size_t count;
	char error[256];

	(void)state;
	assert_int_equal(kb_select(KB_SELECT_FULL, benches, WORDS("mem.copy"), 1, WORDS("size=1K", "threads=3"), 2, &rows, &count,
				   error), 0);
	assert_int_equal(count, 1);
	assert_ptr_equal(rows[0].settings.bench, &copy);
	assert_int_equal(rows[0].settings.number[0], 1024);
	assert_int_equal(rows[0].settings.number[1], 3);
	assert_null(rows[0].state);
	free(rows);
}

static void unknown(void **state)
{
	(void)state;
	expect_error(WORDS("sys.nul"), NULL, -ENOENT,
		     "no benchmark 'sys.nul', did you mean sys.null?");
	expect_error(WORDS("mem.latnecy"), NULL, -ENOENT,
		     "no benchmark 'mem.latnecy', did you mean mem.latency?");
	expect_error(WORDS("sys.null", "zzz"), NULL, -ENOENT, "no benchmark 'zzz'; see 'kbench list'");
	expect_error(WORDS("zzz.*"), NULL, -ENOENT, "no benchmark 'zzz.*'; see 'kbench list'");
	expect_error(WORDS(""), NULL, -ENOENT, "no benchmark ''; see 'kbench list'");
}

static void bad_parameters(void **state)
{
	(void)state;
	expect_error(NULL, WORDS("sise=4K"), -EINVAL,
		     "no selected benchmark has a parameter 'sise', did you mean size?");
	expect_error(WORDS("sys.null"), WORDS("size=4K"), -EINVAL,
		     "no selected benchmark has a parameter 'size'; see 'kbench list --verbose'");
	expect_error(NULL, WORDS("size"), -EINVAL, "-p 'size': not name=value[,value...]");
	expect_error(NULL, WORDS("size="), -EINVAL, "-p 'size=': not name=value[,value...]");
	expect_error(NULL, WORDS("=4K"), -EINVAL, "-p '=4K': not name=value[,value...]");
	expect_error(WORDS("cpu"), WORDS("op=div"), -EINVAL, "cpu.op_latency: op=div: must be one of add,xor,imul");
	expect_error(WORDS("mem.latency"), WORDS("size=64"), -ERANGE, "mem.latency: size=64: outside 4K..1M");
	expect_error(WORDS("mem.latency"), WORDS("size=8K,"), -EINVAL, "mem.latency: size=: not a size (like 64K)");
}

static const struct kb_bench tcp = {
	.name = "ipc.tcp",
	.params = {
		{ .name = "host", .kind = KB_HOST, .values = "", .choices = "placement" },
		{ .name = "placement", .kind = KB_CHOICE, .values = "same-cpu,idle-cpu", .choices = "same-cpu,idle-cpu" },
		{ .name = "chunk", .kind = KB_SIZE, .values = "64K,4K", .min = 64, .max = 1 << 20 },
	},
};

/* One row for each value that means something; the order is that without hosts. */
static void hosts(void **state)
{
	static const struct kb_bench *const two[] = { &tcp, &null, NULL };
	static const struct { const char *sets[3], *keys[5]; } cases[] = {
		{ { NULL }, { "ipc.tcp placement=same-cpu chunk=64K", "ipc.tcp placement=same-cpu chunk=4K",
			      "ipc.tcp placement=idle-cpu chunk=64K", "ipc.tcp placement=idle-cpu chunk=4K" } },
		{ { "host=", "chunk=4K" }, { "ipc.tcp placement=same-cpu chunk=4K", "ipc.tcp placement=idle-cpu chunk=4K" } },
		{ { "host=a:1,b" }, { "ipc.tcp host=a:1 chunk=64K", "ipc.tcp host=a:1 chunk=4K", "ipc.tcp host=b chunk=64K",
				      "ipc.tcp host=b chunk=4K" } },
		{ { "host=,b", "chunk=4K" }, { "ipc.tcp placement=same-cpu chunk=4K", "ipc.tcp placement=idle-cpu chunk=4K", "ipc.tcp host=b chunk=4K" } },
	};
	struct kb_row *rows;
	size_t count;
	char error[256];

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		assert_int_equal(kb_select(KB_SELECT_FULL, two, WORDS("ipc"), 1, cases[c].sets, length_of(cases[c].sets), &rows, &count, error), 0);
		assert_int_equal(count, length_of(cases[c].keys));
		for (size_t i = 0; i < count; i++)
			assert_string_equal(rows[i].key, cases[c].keys[i]);
		free(rows);
	}
	assert_int_equal(kb_select(KB_SELECT_FULL, two, WORDS("ipc"), 1, WORDS("host=b", "placement=idle-cpu"), 2, &rows, &count, error), -EINVAL);
	assert_string_equal(error, "ipc.tcp: placement: means nothing with the partner on another machine (b)");
	assert_int_equal(kb_select(KB_SELECT_FULL, two, WORDS("sys"), 1, WORDS("host="), 1, &rows, &count, error), -EINVAL);
}

static void too_many(void **state)
{
	static char values[32768] = "size=64";
	struct kb_row *rows;
	size_t count;
	char error[256];
	const char *sets[] = { values };

	(void)state;
	for (int i = 65; i < 4200; i++)
		snprintf(values + strlen(values), sizeof values - strlen(values), ",%d", i);
	assert_int_equal(kb_select(KB_SELECT_FULL, benches, WORDS("mem.copy"), 1, sets, 1, &rows, &count, error), -ERANGE);
	assert_string_equal(error, "parameter size: more than 4096 values");
}

static void nearest(void **state)
{
	struct kb_nearest near = { .typed = "rnu" };

	(void)state;
	kb_nearest_offer(&near, "analyze");
	assert_null(near.best);
	kb_nearest_offer(&near, "run");
	assert_string_equal(near.best, "run");
	kb_nearest_offer(&near, "rnus");
	assert_string_equal(near.best, "run");
	assert_int_equal(near.distance, 1);
}

/* Behind the semicolon stand values of the full selection; what was typed is always meant. */
static void reach(void **state)
{
	static const struct kb_bench create = {
		.name = "fs.create",
		.params = { { .name = "on", .kind = KB_CHOICE, .values = "memory;disk", .choices = "memory,disk" },
			    { .name = "size", .kind = KB_SIZE, .values = "0,1K;10K", .min = 0, .max = 1 << 20 } },
	};
	static const struct kb_bench *const one[] = { &create, NULL };
	static const enum kb_reach wanted[] = { KB_REACH_FIRST, KB_REACH_STANDARD, KB_REACH_FULL, KB_REACH_FULL, KB_REACH_FULL,
						KB_REACH_FULL };
	static const enum kb_reach typed[] = { KB_REACH_FIRST, KB_REACH_STANDARD, KB_REACH_FULL };
	struct kb_row *rows;
	size_t count;
	char error[256];

	(void)state;
	assert_int_equal(kb_select(KB_SELECT_FULL, one, NULL, 0, NULL, 0, &rows, &count, error), 0);
	assert_int_equal(count, 6);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(rows[i].reach, wanted[i]);
	free(rows);
	assert_int_equal(kb_select(KB_SELECT_FULL, one, NULL, 0, WORDS("on=disk"), 1, &rows, &count, error), 0);
	assert_int_equal(count, 3);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(rows[i].reach, typed[i]);
	free(rows);
}

/* lmbench's selection has the values that lmbench measures; a typed one goes before, and other benchmarks keep theirs. */
static void lmbench_values(void **state)
{
	static const struct kb_bench create = {
		.name = "fs.create", .lmbench = "lat_fs", .lmbench_with = "size=0,4K on=disk",
		.params = { { .name = "on", .kind = KB_CHOICE, .values = "memory;disk", .choices = "memory,disk" },
			    { .name = "size", .kind = KB_SIZE, .values = "0,1K;10K", .min = 0, .max = 1 << 20 },
			    { .name = "depth", .kind = KB_NUMBER, .values = "1", .min = 1, .max = 9 } },
	};
	static const struct kb_bench *const two[] = { &create, &latency, NULL };
	static const char *const wanted[] = { "fs.create on=disk size=0 depth=1", "fs.create on=disk size=4K depth=1",
					      "mem.latency size=16K" };
	struct kb_row *rows;
	size_t count;
	char error[256];

	(void)state;
	assert_int_equal(kb_select(KB_SELECT_LMBENCH, two, NULL, 0, NULL, 0, &rows, &count, error), 0);
	assert_int_equal(count, 3);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(rows[i].key, wanted[i]);
	/* The first of them is what --defaults takes. */
	assert_int_equal(rows[0].reach, KB_REACH_FIRST);
	assert_int_equal(rows[1].reach, KB_REACH_STANDARD);
	free(rows);
	assert_int_equal(kb_select(KB_SELECT_LMBENCH, two, WORDS("fs"), 1, WORDS("on=memory", "size=10K"), 2, &rows, &count, error), 0);
	assert_int_equal(count, 1);
	assert_string_equal(rows[0].key, "fs.create on=memory size=10K depth=1");
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything), cmocka_unit_test(patterns), cmocka_unit_test(sweeps),
		cmocka_unit_test(settings_are_in_the_row), cmocka_unit_test(unknown), cmocka_unit_test(bad_parameters),
		cmocka_unit_test(hosts), cmocka_unit_test(too_many), cmocka_unit_test(reach), cmocka_unit_test(lmbench_values), cmocka_unit_test(nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
