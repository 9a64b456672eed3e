/*
 * The workflow without a command: what it refuses and how, a benchmark measured and read from the store, and what happens where nothing
 * can be kept. That all of it runs in one process is the point: nothing of it may exit.
 */
#include "unit/store/fixture.h"

#include <jansson.h>

#include "base/units.h"
#include "suite/select.h"
#include "workflow/ab.h"
#include "workflow/data_files.h"
#include "workflow/machine.h"
#include "workflow/workflow.h"

static struct kb_failure failure;
static char noted[2000];

static void hear(void *context, const char *text)
{
	(void)context;
	snprintf(noted + strlen(noted), sizeof noted - strlen(noted), "%s\n", text);
}

/* The collector of this build; "": it has not been built. */
static const char *collector(void)
{
	static char path[PATH_MAX + 40];
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	assert_true(length > 0);
	self[length] = '\0';
	for (int up = 0; up < 4; up++)
		*strrchr(self, '/') = '\0';
	snprintf(path, sizeof path, "%s/kbench-collect", self);
	return access(path, X_OK) == 0 ? path : "";
}

static const struct kb_bench *find(const char *name)
{
	for (unsigned i = 0; i < kb_bench_count; i++) {
		if (strcmp(kb_benches[i]->name, name) == 0)
			return kb_benches[i];
	}
	fail_msg("no benchmark %s", name);
	return NULL;
}

/* One benchmark, once, quickly. */
static struct kb_workflow_request small_request(void)
{
	static const struct kb_bench *only[2];
	struct kb_workflow_request request = kb_workflow_defaults();

	only[0] = find("sys.null");
	request.benches = only;
	request.run.collector = collector();
	request.run.budget_ns = 2 * KB_S;
	request.run.processes = 1;
	request.run.precision = 1;
	request.no_store = true;
	request.notes = (struct kb_notes){ hear, NULL };
	noted[0] = '\0';
	return request;
}

/* ---- what is refused --------------------------------------------------------------------------------------- */

static void is_refused(const struct kb_workflow_request *request, bool typed_wrong, const char *says)
{
	static struct kb_workflow w;

	assert_int_equal(kb_workflow_measure(request, &w, &failure), KB_EXIT_USAGE);
	assert_int_equal(failure.code, KB_EXIT_USAGE);
	if (!strstr(failure.text, says) || strchr(failure.text, '\n') || failure.typed_wrong != typed_wrong)
		fail_msg("'%s' does not say '%s'", failure.text, says);
	assert_int_equal(w.outcome.processes, 0);
	kb_workflow_release(&w);
}

static void selections(void **state)
{
	static const char *const unknown[] = { "sys.nul" }, *const full[] = { "atomic.op" }, *const known[] = { "sys.stat" };
	static const char *const value[] = { "depth=none" };
	struct kb_workflow_request request = small_request();

	(void)state;
	request.benches = NULL;
	request.patterns = unknown;
	request.pattern_count = 1;
	is_refused(&request, false, "did you mean sys.null?");
	request.patterns = known;
	request.sets = value;
	request.set_count = 1;
	is_refused(&request, false, "depth");
	request.set_count = 0;
	request.suite = KB_SELECT_QUICK;
	request.patterns = full;
	is_refused(&request, false, "see 'kbench list --suite quick'");
	request = small_request();
	request.benches = NULL;
	request.plugin = "/nowhere/x.so";
	is_refused(&request, false, "plug-in");
	request = small_request();
	request.cpus = "x";
	is_refused(&request, true, "not a list");
}

static void combinations(void **state)
{
	struct kb_workflow_request request = small_request();

	(void)state;
	request.store = "/tmp/x.db";
	is_refused(&request, true, "--store and --no-store");
	request = small_request();
	request.parallel = "1,2";
	request.interfere = "memory";
	is_refused(&request, true, "--parallel and --interfere");
	request.interfere = NULL;
	request.run.method = KB_METHOD_KANATA;
	is_refused(&request, true, "--parallel and --method kanata");
	request = small_request();
	request.emulate = true;
	request.interfere = "memory";
	is_refused(&request, true, "--emulate and --interfere");
	request = small_request();
	request.run.kanata.group_size = KB_GROUP_TESTS_MAX;
	request.run.kanata.skip = 1;
	is_refused(&request, true, "together at most");
}

static void sides(void **state)
{
	static const struct { const char *text, *says; } wrong[] = {
		{ "/nowhere/kbench-collect", "neither NAME=VALUE nor a file" }, { "/etc/passwd", "neither a plug-in FILE.so nor a program" },
		{ "/bin/true /bin/true", "unexpected path" },
	};
	static struct kb_ab_workflow ab;
	struct kb_workflow_request common = small_request();

	(void)state;
	if (!common.run.collector[0])
		skip();
	common.label = "ab";
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct kb_ab_request request = { &common, { "", wrong[i].text }, 0.01 };

		assert_int_equal(kb_ab_measure(&request, &ab, &failure), KB_EXIT_USAGE);
		if (!strstr(failure.text, wrong[i].says) || !strstr(failure.text, "--b"))
			fail_msg("'%s' does not say '%s'", failure.text, wrong[i].says);
		kb_ab_release(&ab);
	}
}

/* A message of several lines, with its caret. */
static void files(void **state)
{
	struct place *place = *state;
	struct kb_notes notes = { hear, NULL };
	struct kb_model_set set;
	char path[PATH_MAX];
	const char *paths[] = { path };
	FILE *file;

	snprintf(path, sizeof path, "%s/wrong.model", place->directory);
	assert_int_equal(kb_models_load(&set, NULL, 0, paths, 1, &notes, &failure), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "cannot read"));
	kb_models_free(&set);
	file = fopen(path, "w");
	fputs("about a\nnonsense here\n", file);
	fclose(file);
	assert_int_equal(kb_models_load(&set, NULL, 0, paths, 1, &notes, &failure), KB_EXIT_USAGE);
	assert_true(failure.lines);
	assert_non_null(strstr(failure.text, "wrong.model:2:"));
	assert_non_null(strchr(failure.text, '^'));
	kb_models_free(&set);
}

/* ---- what is measured -------------------------------------------------------------------------------------- */

static int count_runs(void *context, const struct kb_stored_run *run)
{
	++*(unsigned *)context;
	assert_string_equal(run->label, "a label");
	assert_string_equal(run->command, "kbench made \"by a test\"");
	assert_true(run->finished[0]);
	assert_non_null(strstr(run->settings, "\"sys.null\""));
	return 0;
}

static void measured(void **state)
{
	static struct kb_workflow w;
	struct place *place = *state;
	struct kb_workflow_request request = small_request();
	struct kb_store *store;
	unsigned runs = 0;

	if (!request.run.collector[0])
		skip();
	request.no_store = false;
	request.store = place->path;
	request.label = "a label";
	request.argc = 2;
	request.argv = (char *[]){ (char[]){ "made" }, (char[]){ "by a test" } };
	if (kb_workflow_measure(&request, &w, &failure))
		fail_msg("%s", failure.text);
	assert_int_equal(w.count, 1);
	assert_true(w.outcome.processes >= 1);
	assert_string_equal(w.rows[0].result.benchmark, "sys.null");
	assert_true(w.rows[0].result.estimate.known && w.rows[0].result.estimate.value > 1);
	assert_true(kb_workflow_kept(&w));
	assert_int_equal(kb_workflow_code(&w, kb_workflow_rows_code(&w)), KB_EXIT_DONE);
	assert_int_equal(kb_store_open(&store, place->path, KB_STORE_READ), 0);
	assert_int_equal(kb_store_each_run(store, count_runs, &runs), 0);
	assert_int_equal(runs, 1);
	kb_store_close(store);
	kb_workflow_release(&w);
}

/* Twice in one process, and without a store. */
static void again(void **state)
{
	static struct kb_workflow w[2];
	struct kb_workflow_request request = small_request();

	(void)state;
	if (!request.run.collector[0])
		skip();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kb_workflow_measure(&request, &w[i], &failure), 0);
		assert_true(w[i].rows[0].result.estimate.known);
		assert_false(kb_workflow_kept(&w[i]));
	}
	assert_string_not_equal(w[0].id, w[1].id);
	assert_string_equal(noted, "");
	kb_workflow_release(&w[0]);
	kb_workflow_release(&w[1]);
}

/* The results are there, the exit code says that they are not kept, and somebody hears why. */
static void unsaved(void **state)
{
	static struct kb_workflow w;
	struct kb_workflow_request request = small_request();

	(void)state;
	if (!request.run.collector[0])
		skip();
	request.no_store = false;
	request.store = "/proc/none/x.db";
	assert_int_equal(kb_workflow_measure(&request, &w, &failure), 0);
	assert_true(w.rows[0].result.estimate.known);
	assert_true(w.watch.lost);
	assert_int_equal(kb_workflow_code(&w, KB_EXIT_DONE), KB_EXIT_USAGE);
	assert_non_null(strstr(noted, "goes on unsaved"));
	kb_workflow_release(&w);
}

/* What cannot be executed is a row without a number, or a failure of code 5; never an end of this program. */
static void no_collector(void **state)
{
	static struct kb_workflow w;
	struct kb_workflow_request request = small_request();
	int code;

	(void)state;
	request.run.collector = "/nowhere/kbench-collect";
	code = kb_workflow_measure(&request, &w, &failure);
	if (code == 0)
		code = kb_workflow_code(&w, kb_workflow_rows_code(&w));
	assert_int_equal(code, KB_EXIT_FAILED);
	assert_false(w.rows[0].result.estimate.known);
	kb_workflow_release(&w);
}

static void codes(void **state)
{
	struct kb_workflow w = { .unfit = true };

	(void)state;
	assert_int_equal(kb_workflow_code(&w, KB_EXIT_DONE), KB_EXIT_UNFIT);
	assert_int_equal(kb_workflow_code(&w, KB_EXIT_REGRESSION), KB_EXIT_UNFIT);
	assert_int_equal(kb_workflow_code(&w, KB_EXIT_FAILED), KB_EXIT_FAILED);
	w.outcome = (struct kb_run_outcome){ .interrupted = true, .signal = 15 };
	assert_int_equal(kb_workflow_code(&w, KB_EXIT_FAILED), KB_EXIT_SIGNAL + 15);
	w.watch.lost = true;
	assert_int_equal(kb_workflow_code(&w, KB_EXIT_DONE), KB_EXIT_USAGE);
}

static void names(void **state)
{
	struct kb_result result = { .processes = 0 };

	(void)state;
	kb_settle_result(&result, "sys.stat depth=1 x=2", 3);
	assert_string_equal(result.benchmark, "sys.stat");
	assert_string_equal(result.params, "depth=1 x=2");
	assert_true(kb_verdict_has(&result.verdict, KB_CODE_not_reached));
	kb_settle_result(&result, "other", 3);
	assert_string_equal(result.benchmark, "sys.stat");
}

/* Of what no process told anything the store has nothing before the end: a run that is killed then leaves no result that nobody can read. */
static void nameless(void **state)
{
	struct place *place = *state;
	struct kb_stored_run run = { .id = "01935a00-0000-7000-8000-00000000000a", .started = "2024-01-01T00:00:00Z", .finished = "", .label = "",
				     .command = "kbench run", .env_class = "e", .env = "{}", .settings = "{}" };
	struct kb_watch watch = { .run_id = run.id, .notes = { hear, NULL } };
	struct kb_row row = { .key = "sys.null" };
	struct kb_run_extent extent;
	struct kb_run_observer observer;

	kb_watch_open(&watch, place->path, &run);
	observer = kb_watch_observer(&watch);
	for (unsigned results = 0; results < 2; results++) {
		observer.row_updated(observer.context, &row, 0);
		assert_int_equal(kb_store_run_extent(watch.store, run.id, &extent), 0);
		assert_int_equal(extent.results, results);
		assert_int_equal(extent.damaged, 0);
		kb_settle_result(&row.result, row.key, 1);
	}
	kb_watch_close(&watch, "2024-01-01T00:01:00Z");
	assert_false(watch.lost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selections), cmocka_unit_test(combinations), cmocka_unit_test(sides),
		cmocka_unit_test_setup_teardown(files, make_place, remove_place), cmocka_unit_test_setup_teardown(measured, make_place, remove_place),
		cmocka_unit_test(again), cmocka_unit_test(unsaved), cmocka_unit_test(no_collector), cmocka_unit_test(codes),
		cmocka_unit_test(names), cmocka_unit_test_setup_teardown(nameless, make_place, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
