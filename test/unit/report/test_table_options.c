/* The table against a baseline, in one list, and without what stands around it. */
#include "unit/report/made_run.h"

#include "result/comparison.h"

/* Against a baseline: slower, slower but not surely, faster, equivalent; a bandwidth that became lower; and results that it does not have. */
static void changes(void **state)
{
	static struct kb_comparison rows[RESULTS_MAX];
	static const struct { enum kb_decision decision; double ln; bool regression; } made[] = {
		{ KB_SLOWER, 0.041, true }, { KB_SLOWER, 0.02, false }, { KB_INCONCLUSIVE, 0.3, false }, { KB_EQUIVALENT, 0.001, false },
		{ KB_FASTER, -0.35, false }, { KB_SLOWER, 0.12, true },
	};

	(void)state;
	make_run();
	for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
		rows[i] = (struct kb_comparison){ .counts = true, .decision = made[i].decision, .regression = made[i].regression,
						  .difference.ln.value = made[i].ln };
	table_options.changes = rows;
	for (unsigned width = 80; width <= 140; width += width == 80 ? 20 : 40) {
		char name[64];

		table(run, run_count, (struct kb_style){ .utf8 = true, .width = width });
		assert_true(fixed_widest(text) <= width);
		snprintf(name, sizeof name, "table-changes-%u", width);
		equals_file(name);
	}
	table_options.changes = NULL;
}

/* The names of the lines, without parameters. */
static void lines_are(const char *names)
{
	char found[1024] = "";
	char *rest = text;

	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (line[0] == ' ' && line[1] == ' ' && line[2] != ' ' && line[2] != '\'')
			snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.*s", found[0] ? " " : "", (int)strcspn(line + 2, " "), line + 2);
	}
	assert_string_equal(found, names);
	free(text);
}

static void orders(void **state)
{
	const struct kb_style plain = { .width = 200 };

	make_run();
	(void)state, table_options.order = KB_TABLE_NAME;
	table(run, run_count, plain);
	assert_null(strstr(text, "SYSTEM CALLS"));
	lines_are("cpu.op_latency cpu.op_latency fs.create ipc.pipe_bw ipc.pipe_latency ipc.pipe_latency made.elsewhere mem.latency mem.latency "
		  "net.tcp_connect plugin.broken sys.null sys.perf_read sys.stat");
	table_options.order = KB_TABLE_COST;
	table(run, run_count, plain);
	lines_are("made.elsewhere net.tcp_connect ipc.pipe_bw ipc.pipe_latency fs.create sys.stat ipc.pipe_latency sys.null mem.latency "
		  "mem.latency cpu.op_latency cpu.op_latency plugin.broken sys.perf_read");
	table_options.order = KB_TABLE_CI;
	table(run, run_count, plain);
	lines_are("net.tcp_connect ipc.pipe_latency mem.latency cpu.op_latency fs.create made.elsewhere ipc.pipe_bw mem.latency sys.stat "
		  "ipc.pipe_latency sys.null cpu.op_latency plugin.broken sys.perf_read");
	table_options.order = KB_TABLE_VERDICT;
	table(run, run_count, plain);
	lines_are("plugin.broken fs.create ipc.pipe_latency mem.latency net.tcp_connect cpu.op_latency cpu.op_latency ipc.pipe_bw "
		  "ipc.pipe_latency made.elsewhere mem.latency sys.null sys.stat sys.perf_read");
	table_options.order = KB_TABLE_DOMAIN;
}

static void quiet(void **state)
{
	const struct kb_result *pointers[RESULTS_MAX];
	FILE *out = open_memstream(&text, &length);

	(void)state;
	make_run();
	for (size_t i = 0; i < run_count; i++)
		pointers[i] = &run[i];
	kb_table_print(out, pointers, run_count, true, &(struct kb_style){ .width = 100 }, &(struct kb_table_options){ .quiet = true });
	fclose(out);
	assert_null(strstr(text, "shared host"));
	assert_non_null(strstr(text, "\n  sys.null"));
	/* What the warning would have told, lines do. */
	assert_non_null(strstr(text, "ok          conten..."));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(changes), cmocka_unit_test(orders), cmocka_unit_test(quiet) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
