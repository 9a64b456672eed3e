/*
 * kbench compare and history on stores made here: decisions and exit codes (T-EXIT) are certain, for the processes' costs are
 * chosen.
 */
#include "unit/cli/runs.h"

#include <math.h>
#include <time.h>

#include "base/crc32.h"
#include "workflow/exit.h"

static int run(const struct place *place, const char *line)
{
	return run_to(place, &kb_command_compare, line, NULL);
}

/* ---- compare --------------------------------------------------------------------------------------------- */

static const struct row base_rows[] = {
	{ "sys.same", NULL, 100, .001, 5, KB_OK }, { "sys.slow", NULL, 100, .001, 5, KB_OK },
	{ "ipc.wide", NULL, 100, .03, 5, KB_OK }, { "ipc.bad", NULL, 100, .001, 5, KB_OK },
	{ "ipc.two", NULL, 100, .001, 2, KB_OK }, { "old.gone", NULL, 100, .001, 5, KB_OK },
	{ "clk.other", "tsc", 100, .001, 5, KB_OK }, { "sys.fast", NULL, 100, .001, 5, KB_OK },
};
static const struct row new_rows[] = {
	{ "sys.same", NULL, 100.01, .001, 5, KB_OK }, { "sys.slow", NULL, 105, .001, 5, KB_NOISY },
	{ "ipc.wide", NULL, 101, .03, 5, KB_OK }, { "ipc.bad", NULL, 130, .001, 5, KB_INVALID },
	{ "ipc.two", NULL, 130, .001, 2, KB_OK }, { "new.here", NULL, 100, .001, 5, KB_OK },
	{ "clk.other", "ns", 130, .001, 5, KB_OK }, { "sys.fast", NULL, 90, .001, 5, KB_OK },
};

static int make_two(void **state)
{
	if (make_place(state))
		return -1;
	put_run(*state, &(struct plan){ .id = "11111111-0000-7000-8000-000000000001", .label = "one" }, base_rows, 8);
	put_run(*state, &(struct plan){ .id = "22222222-0000-7000-8000-000000000002", .label = "two" }, new_rows, 8);
	put_run(*state, &(struct plan){ .id = "33333333-0000-7000-8000-000000000003", .label = "far", .env_class = "fedcba9876543210" },
	        new_rows, 8);
	return 0;
}

static void decisions_are_printed(void **state)
{
	assert_int_equal(run(*state, "one two"), 5);
	says("only in base: old.gone");
	says("only in new: new.here");
	says("1.0500");
	says("slower !");
	says("faster");
	says("equivalent");
	says("environments differ (clocks tsc and ns)");
	says("one process (2 of 3 that a decision needs)");
	says("7 results: 1 slower (1 after Holm, marked !), 1 faster, 1 equivalent, 4 inconclusive");
	assert_int_equal(run(*state, "two one sys.slow"), 0);
	says("faster");
	assert_int_equal(run(*state, "one two sys.slow --margin 10%"), 0);
	says("equivalent");
	assert_int_equal(run(*state, "one two sys --json"), 0);
	says("\"schema\": \"kbench-compare/2\"");
	says("\"regression\": true");
}

/* T-EXIT: each code, and each pair that one comparison can bring about. */
static void exit_codes(void **state)
{
	static const struct { int code; const char *line; } rows[] = {
		{ 0, "one two sys" }, { 0, "one two sys.same --gate --margin 3%" }, { 0, "two one sys.slow --gate" },
		{ 1, "one two sys.slow --gate" }, { 1, "one two sys --gate" },
		{ 2, "one" }, { 2, "" }, { 2, "one none" }, { 2, "one two zz" }, { 2, "one two --gate=strict" }, { 2, "one two --margin 0" },
		{ 2, "one far" }, { 2, "one far --gate" }, { 2, "one two old.gone --gate" }, { 2, "one two old.gone" },
		{ 0, "one far sys --any-env" }, { 4, "one far sys --any-env --gate" },
		{ 4, "one two ipc.wide --gate" }, { 0, "one two ipc.wide" },
		{ 4, "one two ipc.two --gate" },
		{ 4, "one two clk.other --gate" },
		{ 5, "one two ipc.bad" },
		/* 5 before 1, 4 and both; 1 before 4. */
		{ 5, "one two ipc.bad sys.slow --gate" }, { 5, "one two ipc.bad ipc.wide --gate" },
		{ 5, "one two --gate" }, { 1, "one two sys.slow ipc.wide --gate" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int code = run(*state, rows[i].line);

		if (code != rows[i].code)
			fail_msg("compare %s: exit code %d, not %d:\n%s", rows[i].line, code, rows[i].code, output);
	}
	if (access("/dev/full", W_OK))
		return;
	/* 2 before 5, 1, 4 and 0: a full disk. */
	static const char *const full[] = { "one two ipc.bad", "one two sys.slow --gate", "one two ipc.wide --gate", "one two sys" };

	for (size_t i = 0; i < sizeof full / sizeof *full; i++)
		assert_int_equal(run_to(*state, &kb_command_compare, full[i], "/dev/full"), 2);
}

/* What neither machine has is no matter; what neither run had time for is not settled. */
static void skipped_rows(void **state)
{
	static const struct row rows[] = {
		{ "ipc.absent", NULL, 0, 0, 1, KB_SKIPPED }, { "ipc.late", NULL, 0, 0, 0, KB_SKIPPED },
	};

	put_run(*state, &(struct plan){ .id = "11111111-0000-7000-8000-000000000001", .label = "one" }, rows, 2);
	put_run(*state, &(struct plan){ .id = "22222222-0000-7000-8000-000000000002", .label = "two" }, rows, 2);
	assert_int_equal(run(*state, "one two ipc.absent --gate"), 0);
	assert_int_equal(run(*state, "one two ipc.late --gate"), 4);
	says("1 result: 1 inconclusive");
}

/* All pairs, also those that need a machine or a signal. */
static void precedence(void **state)
{
	static const int order[] = { 2, 130, 5, 3, 1, 4, 0 };

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		for (size_t k = i; k < 7; k++) {
			assert_int_equal(kb_worse_exit(order[i], order[k]), order[i]);
			assert_int_equal(kb_worse_exit(order[k], order[i]), order[i]);
		}
	}
}

/* Sides of one `kbench ab`: a drift of both from launch to process that would hide the difference cancels in pairs. */
static void pairs_of_a_batch(void **state)
{
	static const char a[] = "{\"ab\":{\"batch\":\"x\",\"side\":\"a\"}}", b[] = "{\"ab\":{\"batch\":\"x\",\"side\":\"b\"}}";
	static const char other[] = "{\"ab\":{\"batch\":\"y\",\"side\":\"b\"}}";
	static const struct row left = { "plugin.old op=add", NULL, 100, .1, 12, KB_OK }, right = { "plugin.new op=add", NULL, 102, .1, 12, KB_OK };

	put_run(*state, &(struct plan){ .id = "a-1", .settings = a }, &left, 1);
	put_run(*state, &(struct plan){ .id = "b-1", .settings = b }, &right, 1);
	put_run(*state, &(struct plan){ .id = "b-2", .settings = other }, &left, 1);
	assert_int_equal(run(*state, "a-1 b-1 --gate"), 1);
	says("1.0200");
	says("margin 1 %, interleaved");
	assert_int_equal(run(*state, "b-1 a-1 --gate"), 0);
	says("faster");
	assert_int_equal(run(*state, "a-1 b-2 --gate"), 4);
	says("not interleaved: the CIs hold what differs between occasions");
}

/* Earlier runs of this environment differ by far more than their processes do: so do these two, then, and 5 % more is no regression. */
static void occasions(void **state)
{
	char id[37];

	for (int i = 0; i < 25; i++) {
		const struct row row = { "sys.slow", NULL, i % 2 ? 105 : 95, .001, 5, KB_OK };

		snprintf(id, sizeof id, "day-%02d", i);
		put_run(*state, &(struct plan){ .id = id }, &row, 1);
	}
	assert_int_equal(run(*state, "one two sys.slow --gate --verbose"), 4);
	says("inconclusive");
	says("(sd, by 20 runs in the store)");
	assert_int_equal(run(*state, "one two sys.slow --json"), 0);
	says("\"runs\": 20");
}

/* One CPU may be dearer than another, and samples of another length find other caches: these are no two measures of one thing. */
static void unlike_runs(void **state)
{
	static const char cpu0[] = "{\"cpus\":[0,1]}", cpu1[] = "{\"cpus\":[1,0]}";
	static const struct row row = { "sys.slow", NULL, 100, .001, 5, KB_OK };

	put_run(*state, &(struct plan){ .id = "on-0", .settings = cpu0 }, &row, 1);
	put_run(*state, &(struct plan){ .id = "on-1", .settings = cpu1 }, &row, 1);
	assert_int_equal(run(*state, "on-0 on-0 --gate --margin 5%"), 0);
	assert_int_equal(run(*state, "on-0 on-1"), 2);
	says("the CPUs 0 and 1, on which was measured, differ");
	assert_int_equal(run(*state, "on-0 on-1 --any-env --gate"), 4);
}

static void old_and_damaged_results(void **state)
{
	struct place *place = *state;
	struct kb_store *store;

	assert_int_equal(kb_store_open(&store, place->path, KB_STORE_WRITE), 0);
	assert_int_equal(kb_store_put_result(store, "22222222-0000-7000-8000-000000000002", "sys.same", 0,
	                                      "{\"benchmark\":\"sys.same\",\"launches\":5,\"verdict\":{\"status\":\"ok\"}}"), 0);
	assert_int_equal(kb_store_put_result(store, "22222222-0000-7000-8000-000000000002", "sys.slow", 1, "{"), 0);
	kb_store_close(store);
	assert_int_equal(run(place, "one two sys.same"), 2);
	says("older version; 'kbench maintain 22222222");
	assert_int_equal(run(place, "one two sys.slow"), 2);
	says("damaged");
}

/* ---- old against new --------------------------------------------------------------------------------------- */

static size_t put_bytes(char *text, size_t used, const char *line)
{
	memcpy(text + used, line, strlen(line) + 1);
	return used + strlen(line);
}

/* A record of that version: 60 blocks of three sizes on a clock of ns, each operation so long, one part in a thousand more or less. */
static size_t write_record(char *text, int version, unsigned process, double cost)
{
	char line[160];
	size_t used = 0, samples = 0;

	snprintf(line, sizeof line, "kbench-record %d\nbench sys.null\nper call\nmethod slope seed=1 %s=%u\n", version,
	         version == 1 ? "launch" : "process", process);
	used = put_bytes(text, used, line);
	used = put_bytes(text, used, "clock tsc hz=1000000000 quantum=1 cost=20 ordered=1\nenv checked=1\nbound kernel\n");
	for (unsigned block = 0; block < 60; block++) {
		for (unsigned k = 0; k < 3; k++) {
			unsigned n = 100u << (block + k) % 3;
			double noise = 1 + .001 * ((int)((block * 7 + k * 5 + process) % 11) - 5) / 5;

			snprintf(line, sizeof line, "o %u %.0f t=%u k=%u cpu=0\n", n, cost * n * noise + 20, block * 200000 + k * 50000, block);
			used = put_bytes(text, used, line);
			samples++;
		}
	}
	snprintf(line, sizeof line, "end o=%zu b=0 q=0 e=0 crc=%08x\n", samples, (unsigned)kb_crc32(0, text, used));
	return put_bytes(text, used, line);
}

static void put_records(const struct place *place, const char *id, int version, double cost)
{
	static char text[1 << 16];
	struct kb_store *store;

	assert_int_equal(kb_store_open(&store, place->path, KB_STORE_WRITE), 0);
	for (unsigned process = 1; process <= 5; process++) {
		size_t length = write_record(text, version, process, cost * (1 + .0005 * ((int)(process % 3) - 1)));

		assert_int_equal(kb_store_add_process(store, &(struct kb_stored_process){ .run_id = id, .row = "sys.null", .process = process,
		                                     .outcome = "", .record = text, .record_length = length }), 0);
	}
	kb_store_close(store);
}

static void put_result(const struct place *place, const char *id, const char *json)
{
	struct kb_store *store;

	assert_int_equal(kb_store_open(&store, place->path, KB_STORE_WRITE), 0);
	assert_int_equal(kb_store_put_result(store, id, "sys.null", 0, json), 0);
	kb_store_close(store);
}

/* One stored by version 1, whose headline has all neighbours in it, and one of today, whose headline has none: as they stand they would
   be a fifth apart. What both records say is 8 %. */
static void old_against_new(void **state)
{
	static const struct row none = { "sys.null", NULL, 80, .001, 5, KB_OK };
	struct kb_result result = result_of(&none);

	put_run(*state, &(struct plan){ .id = "old", .env_class = "0123456789abcdef" }, NULL, 0);
	put_result(*state, "old", "{\"benchmark\":\"sys.null\",\"params\":{},\"per\":\"call\",\"unit\":\"ns\",\"estimate\":{\"value\":100,\"low\":99,"
	           "\"high\":101,\"confidence\":0.95,\"method\":\"slope\"},\"quiet\":{\"value\":90,\"low\":89,\"high\":91},\"launches\":3,"
	           "\"launches_planned\":5,\"launch_costs\":[{\"launch\":1,\"cost\":100,\"cycles\":null},{\"launch\":2,\"cost\":100.1,\"cycles\":null},"
	           "{\"launch\":3,\"cost\":99.9,\"cycles\":null}],\"clock\":\"tsc\",\"ticks_per_ns\":1,\"bound\":\"kernel\",\"verdict\":{\"status\":\"ok\"}}");
	result.headline = KB_HEADLINE_UNCONTENDED;

	json_t *json = kb_result_to_json(&result);
	char *text = kb_json_text(json);

	put_run(*state, &(struct plan){ .id = "new" }, NULL, 0);
	put_result(*state, "new", text);
	/* Without records nobody can tell. */
	assert_int_equal(run(*state, "old new --gate"), 4);
	says("headlines of two kinds, and no records");
	put_records(*state, "old", 1, 100);
	put_records(*state, "new", 2, 108);
	assert_int_equal(run(*state, "old new --gate"), 1);
	says("1 compared by the observed cost, neighbours included");
	says("1.0800");
	says("slower !");
	assert_int_equal(run(*state, "new old --json"), 0);
	says("\"compared\": \"observed\"");
	says("\"processes\": 5");
	/* Of one kind nothing is made again. */
	assert_int_equal(run(*state, "old old --verbose"), 0);
	assert_null(strstr(output, "compared by"));
	says("3 and 3 processes");
	free(text);
	json_decref(json);
}

/* ---- history --------------------------------------------------------------------------------------------- */

static int make_history(void **state)
{
	char id[37], label[20];

	if (make_place(state))
		return -1;
	for (int i = 0; i < 40; i++) {
		struct row row = { "sys.null", i == 5 ? "ns" : NULL, (i < 25 ? 100 : 110) + .1 * (i * 7 % 5), .001, 5,
				   i == 7 ? KB_INVALID : KB_OK };

		snprintf(id, sizeof id, "run-%02d", i);
		snprintf(label, sizeof label, "night%d", i);
		put_run(*state, &(struct plan){ .id = id, .label = label, .env_class = i == 3 ? "fedcba9876543210" : NULL }, &row, 1);
	}
	put_run(*state, &(struct plan){ .id = "side", .settings = "{\"ab\":{\"batch\":\"x\",\"side\":\"b\"}}" },
	        &(struct row){ "sys.null", NULL, 300, .001, 5, KB_OK }, 1);
	return 0;
}

static int history(const struct place *place, const char *line)
{
	return run_to(place, &kb_command_history, line, NULL);
}

static void history_of_a_row(void **state)
{
	assert_int_equal(history(*state, "sys.null"), 0);
	says("new level: +9.9");
	says("(1 result of other environment IDs or CPUs left out: ");
	/* Neighbours differ by .3, .2 and .1 of 100 in turn, and once by 10: half of them by .2 or less, their CIs by 1. */
	says("runs differ by 0.14 % (sd) beyond their CIs: two are told apart from ");
	says("(1 run of another unit, operation, clock, method, length of samples or kind of headline left out)");
	says("abc1234");
	says("night39");
	assert_null(strstr(output, "night3\n"));        /* another class */
	assert_null(strstr(output, "night5\n"));        /* another clock */
	assert_null(strstr(output, "300"));             /* a side of an A/B comparison */
	assert_int_equal(history(*state, "sys.null --json"), 0);
	says("\"schema\": \"kbench-history/2\"");
	says("\"occasion\": {");
	says("\"step\": 1.09");
	says("\"run\": \"run-25\"");
	assert_int_equal(history(*state, "sys.null --limit 5"), 0);
	assert_null(strstr(output, "night34\n"));
	says("night35\n");
	assert_int_equal(history(*state, "sys.null --label night1*"), 0);
	says("night19\n");
	assert_null(strstr(output, "night2"));
	assert_int_equal(history(*state, "sys.zero"), 2);
	assert_int_equal(history(*state, "sys.null -p size=1K"), 2);
	assert_int_equal(history(*state, ""), 2);
	assert_int_equal(history(*state, "sys.nul"), 2);
	says("has a result of 'sys.nul', did you mean sys.null?");
	assert_int_equal(history(*state, "quite.another"), 2);
	says("has a result of 'quite.another'; 'kbench show' prints");
	assert_int_equal(history(*state, "sys.null --label none"), 2);
	says("with such parameters, labels, nodes and environment IDs");
	assert_int_equal(history(*state, "sys.null more"), 2);
	assert_int_equal(history(*state, "sys.null --limit 0"), 2);
}

/* ---- size ------------------------------------------------------------------------------------------------ */

/* Printed, not asserted: 1000 rows of 10 processes are to take less than a second. */
static void a_thousand_rows(void **state)
{
	enum { ROWS = 1000 };
	static struct row rows[ROWS];
	static char names[ROWS][24];
	struct timespec from, to;

	for (size_t i = 0; i < ROWS; i++) {
		snprintf(names[i], sizeof names[i], "many.row%zu", i);
		rows[i] = (struct row){ names[i], NULL, 100 + (double)i, .001, 10, KB_OK };
	}
	put_run(*state, &(struct plan){ .id = "many-1" }, rows, ROWS);
	put_run(*state, &(struct plan){ .id = "many-2" }, rows, ROWS);
	clock_gettime(CLOCK_MONOTONIC, &from);
	assert_int_equal(run(*state, "many-1 many-2 --gate --margin 3%"), 0);
	clock_gettime(CLOCK_MONOTONIC, &to);
	says("1000 results: 1000 equivalent");
	put_run(*state, &(struct plan){ .id = "few" }, rows, 3);
	assert_int_equal(run(*state, "many-1 few"), 0);
	says("only in base: many.row7\nonly in base: 992 more (--verbose names them)\n");
	assert_int_equal(run(*state, "many-1 few --verbose"), 0);
	says("only in base: many.row999\n");
	print_message("1000 rows of 10 launches compared in %.2f s\n",
	              (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(decisions_are_printed, make_two, remove_place),
		cmocka_unit_test_setup_teardown(exit_codes, make_two, remove_place),
		cmocka_unit_test_setup_teardown(skipped_rows, make_place, remove_place),
		cmocka_unit_test(precedence),
		cmocka_unit_test_setup_teardown(pairs_of_a_batch, make_place, remove_place),
		cmocka_unit_test_setup_teardown(occasions, make_two, remove_place),
		cmocka_unit_test_setup_teardown(unlike_runs, make_place, remove_place),
		cmocka_unit_test_setup_teardown(old_and_damaged_results, make_two, remove_place),
		cmocka_unit_test_setup_teardown(old_against_new, make_place, remove_place),
		cmocka_unit_test_setup_teardown(history_of_a_row, make_history, remove_place),
		cmocka_unit_test_setup_teardown(a_thousand_rows, make_place, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
