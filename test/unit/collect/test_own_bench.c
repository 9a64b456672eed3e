/* A program that is the collector of its own benchmarks: no plug-in and no generated list, only the descriptor that it hands in. */
#define _GNU_SOURCE
#include "collect/linux/collect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/record.h"

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n * kb_param_number(run, "turns"); i++)
		kb_keep(i);
	return 0;
}

static const struct kb_bench own = {
	.name = "mine.loop", .op = op, .params = { { "turns", "of a loop", KB_NUMBER, "3", 1, 9, NULL } },
};

/* Runs the collector in a child on this plan. Its exit code; the record is in text. */
static int collect(const char *bench, const char *plan, char *text, size_t room)
{
	const struct kb_bench *const list[] = { &own, NULL };
	char name[64], turns[] = "--param=turns=5", program[] = "mine", *arguments[] = { program, name, turns, NULL };
	int in[2], out[2], status;
	size_t used = 0;
	ssize_t got;

	strcpy(name, "--bench=");
	strcat(name, bench);
	assert_int_equal(pipe(in) | pipe(out), 0);
	/* Before it starts: one that ends at once reads nothing, and nobody would be there to write to. */
	assert_int_equal(write(in[1], plan, strlen(plan)), strlen(plan));
	close(in[1]);
	pid_t child = fork();

	if (child == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		_exit(kb_collect_main(3, arguments, list));
	}
	close(in[0]);
	close(out[1]);
	while ((got = read(out[0], text + used, room - 1 - used)) > 0)
		used += (size_t)got;
	close(out[0]);
	text[used] = '\0';
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void its_own_benchmark_is_measured(void **state)
{
	static char text[1 << 16];
	unsigned samples = 0, parameters = 0;
	struct kb_record_reader reader;
	struct kb_line line;

	(void)state;
	assert_int_equal(collect("mine.loop", "block 1 o100\nblock 2 o200 o100\n", text, sizeof text), 0);
	kb_record_open(&reader, text, strlen(text));
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		samples += line.kind == KB_LINE_OBS;
		if (line.kind == KB_LINE_HEADER && kb_span_is(line.word, "bench"))
			assert_true(kb_span_is(line.rest, "mine.loop"));
		parameters += line.kind == KB_LINE_HEADER && kb_span_is(line.word, "param") && kb_span_is(line.rest, "turns=5");
	}
	assert_int_equal(reader.state, KB_RECORD_WHOLE);
	assert_int_equal(samples, 3);
	assert_int_equal(parameters, 1);
}

/* Nor are those of kbench-collect there, which are linked to this test. */
static void no_other_is_there(void **state)
{
	static char text[1 << 16];

	(void)state;
	assert_int_equal(collect("sys.null", "block 1 o100\n", text, sizeof text), 2);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(its_own_benchmark_is_measured), cmocka_unit_test(no_other_is_there) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
