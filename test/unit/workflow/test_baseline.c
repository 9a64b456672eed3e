/*
 * What a run is held against: which older run is found, what is refused, what is decided, and the line that tells it. Costs of the
 * processes are chosen, so all of it is certain.
 */
#include "unit/cli/runs.h"

#include "report/text/changes.h"
#include "workflow/runs/baseline.h"

#define HERE "0123456789abcdef"
#define ON_CPU_0 "{\"tool\":\"kbench 0.1.0+abc1234\",\"cpus\":[0,1]}"

static struct kb_failure failure;
static struct kb_workflow w;
static struct kb_row rows[8];
static struct kb_workflow_request request;

static const struct row older[] = {
	{ "sys.same", NULL, 100, .001, 6, KB_OK }, { "sys.slow", NULL, 100, .001, 6, KB_OK }, { "sys.fast", NULL, 100, .001, 6, KB_OK },
	{ "ipc.wide", NULL, 100, .05, 6, KB_OK }, { "ipc.skipped", NULL, 100, .001, 1, KB_SKIPPED }, { "old.gone", NULL, 1, .001, 6, KB_OK },
};
static const struct row newer[] = {
	{ "sys.same", NULL, 100.01, .001, 6, KB_OK }, { "sys.slow", NULL, 130, .001, 6, KB_OK }, { "sys.fast", NULL, 70, .001, 6, KB_OK },
	{ "ipc.wide", NULL, 103, .05, 6, KB_OK }, { "ipc.skipped", NULL, 100, .001, 1, KB_SKIPPED }, { "new.here", NULL, 1, .001, 6, KB_OK },
};

/* This run, as it was planned. */
static void begin(const struct place *place, const struct row *measured, size_t count)
{
	memset(rows, 0, sizeof rows);
	w = (struct kb_workflow){ .rows = rows, .count = count, .env = json_pack("{s:s}", "id", HERE), .id = "99999999-0000-7000-8000-000000000009" };
	request = (struct kb_workflow_request){ .store = place->path };
	for (size_t i = 0; i < count; i++)
		snprintf(rows[i].key, sizeof rows[i].key, "%s", measured[i].name);
}

/* And as it was measured. */
static int compare(const struct place *place, const struct plan *plan, const struct row *measured, struct kb_baseline *baseline)
{
	put_run(place, plan, measured, w.count);
	return kb_baseline_compare(&request, &w, .01, baseline, &failure);
}

static void prints(const struct kb_baseline *baseline, const char *started, const char *const *parts)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	kb_changes_print(out, baseline, started, &(struct kb_style){ .width = 400 });
	fclose(out);
	for (; *parts; parts++) {
		if (!strstr(text, *parts))
			fail_msg("no '%s' in: %s", *parts, text);
	}
	free(text);
}

static int find(const char *name, struct kb_baseline *baseline)
{
	return kb_baseline_find(&request, &w, name, baseline, &failure);
}

static void end(struct kb_baseline *baseline)
{
	kb_baseline_release(baseline);
	json_decref(w.env);
}

/* The newest with at least half of the results; not another machine's, another CPU's, nor a side of an A/B comparison. */
static void found(void **state)
{
	const struct place *place = *state;
	struct kb_baseline baseline;

	begin(place, newer, 6);
	assert_int_equal(find(NULL, &baseline), 0); /* no store yet */
	assert_string_equal(baseline.id, "");
	assert_false(kb_baseline_forecast(&baseline, &w).measured);
	kb_baseline_release(&baseline);
	put_run(place, &(struct plan){ .id = "11111111-0000-7000-8000-000000000001", .label = "first", .settings = ON_CPU_0 }, older, 6);
	put_run(place, &(struct plan){ .id = "22222222-0000-7000-8000-000000000002", .settings = ON_CPU_0 }, older, 1);
	put_run(place, &(struct plan){ .id = "33333333-0000-7000-8000-000000000003", .settings = ON_CPU_0, .env_class = "fedcba9876543210" }, older, 6);
	put_run(place, &(struct plan){ .id = "44444444-0000-7000-8000-000000000004", .settings = "{\"cpus\":[1,0]}", .label = "cpu" }, older, 6);
	put_run(place, &(struct plan){ .id = "55555555-0000-7000-8000-000000000005",
				       .settings = "{\"cpus\":[0,1],\"ab\":{\"batch\":\"x\",\"side\":\"a\"}}" }, older, 6);
	assert_int_equal(find(NULL, &baseline), 0);
	assert_string_equal(baseline.id, "11111111-0000-7000-8000-000000000001");
	assert_string_equal(baseline.label, "first");
	/* 42 s of 31 processes. */
	assert_true(baseline.seconds_per_process == 42.0 / 31);
	w.run.processes = 6;
	assert_true(kb_baseline_forecast(&baseline, &w).measured && kb_baseline_forecast(&baseline, &w).processes == 36);
	assert_true(kb_baseline_forecast(&baseline, &w).seconds == 36 * 42.0 / 31);
	/* 4.1 of these in 5.5 s: the proofs are in them. Where nothing is known of them, a first process takes longer than others. */
	w.run.budget_ns = UINT64_C(5500000000);
	assert_int_equal(kb_baseline_forecast(&baseline, &w).reached, 4);
	baseline.seconds_per_process = 0;
	w.run.budget_ns = UINT64_C(1000000000);
	assert_int_equal(kb_baseline_forecast(&baseline, &w).reached, 3);
	kb_baseline_release(&baseline);
	/* Named, any of them that has something in common. */
	assert_int_equal(find("22222222", &baseline), 0);
	kb_baseline_release(&baseline);
	assert_int_equal(find("33333333", &baseline), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "is of environment ID fedcba9876543210, and this machine is " HERE));
	kb_baseline_release(&baseline);
	assert_int_equal(find("cpu", &baseline), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "has none of these results on CPU 0"));
	kb_baseline_release(&baseline);
	assert_int_equal(find("nobody", &baseline), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "--baseline nobody: "));
	end(&baseline);
}

static void compared(void **state)
{
	const struct place *place = *state;
	struct kb_baseline baseline;

	put_run(place, &(struct plan){ .id = "11111111-0000-7000-8000-000000000001", .label = "<b>\n", .settings = ON_CPU_0 }, older, 6);
	begin(place, newer, 6);
	assert_int_equal(find(NULL, &baseline), 0);
	assert_int_equal(compare(place, &(struct plan){ .id = w.id, .settings = ON_CPU_0 }, newer, &baseline), 0);
	assert_int_equal(kb_baseline_decision(&baseline.rows[0]), KB_EQUIVALENT);
	assert_int_equal(kb_baseline_decision(&baseline.rows[1]), KB_SLOWER);
	assert_int_equal(kb_baseline_decision(&baseline.rows[2]), KB_FASTER);
	assert_int_equal(kb_baseline_decision(&baseline.rows[3]), KB_INCONCLUSIVE);
	assert_false(baseline.rows[4].counts || baseline.rows[5].counts);
	/* A ratio of 1.3, and one of 0.7; a label is text. */
	prints(&baseline, "2026-05-04T12:30:00Z", (const char *const[]){
		"against run 11111111-0000 (<b>?) of 2 h ago: 1 slower (sys.slow +30 % +-", "1 faster (sys.fast -30 % +-",
		", 1 equivalent, 1 inconclusive; not compared: 1\n", NULL });
	snprintf(baseline.kernels[0], sizeof baseline.kernels[0], "6.1");
	snprintf(baseline.kernels[1], sizeof baseline.kernels[1], "6.2");
	prints(&baseline, "2026-05-09T10:00:00Z", (const char *const[]){ " of 5 days ago: ", "; kernel 6.1 then, 6.2 now\n", NULL });
	end(&baseline);
}

/* Of another machine after all: nothing is decided. And what cannot be compared at all is a failure, with nothing for the table. */
static void not_compared(void **state)
{
	const struct place *place = *state;
	struct kb_baseline baseline;

	put_run(place, &(struct plan){ .id = "11111111-0000-7000-8000-000000000001", .settings = ON_CPU_0 }, older, 2);
	begin(place, newer, 2);
	assert_int_equal(find(NULL, &baseline), 0);
	assert_int_equal(compare(place, &(struct plan){ .id = w.id, .settings = ON_CPU_0, .env_class = "fedcba9876543210" }, newer, &baseline), 0);
	assert_int_not_equal(kb_baseline_decision(&baseline.rows[1]), KB_SLOWER);
	prints(&baseline, "2026-05-04T10:00:30Z", (const char *const[]){ " of 30 s ago: 2 inconclusive\n", NULL });
	kb_baseline_release(&baseline);
	assert_int_equal(find(NULL, &baseline), 0);
	snprintf(baseline.id, sizeof baseline.id, "gone");
	assert_int_equal(kb_baseline_compare(&request, &w, .01, &baseline, &failure), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "not compared with run gone: "));
	assert_null(baseline.rows);
	end(&baseline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(found, make_place, remove_place),
		cmocka_unit_test_setup_teardown(compared, make_place, remove_place),
		cmocka_unit_test_setup_teardown(not_compared, make_place, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
