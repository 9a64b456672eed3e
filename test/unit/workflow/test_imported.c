/* Runs from files, results made again, and analyses of files, without a command and without an exit: each failure is a value. */
#include "unit/store/fixture.h"

#include <jansson.h>

#include "workflow/analyze.h"
#include "workflow/import.h"
#include "workflow/records.h"

#define TABLE "Initial Test size: 30\nDelta: 2\nNumber of Tests / Sample size of Accumulated latency: 3\nNumber of Groups: 2\n" \
	"Accumulated latencies (clock cycles): \n3000 3200\n3010 3215\n3020 3195\n\nDone!\n"
#define LINE(sha, mean) "{\"ts\": \"2026-06-12T05:57:25Z\", \"sha\": \"" sha "\", \"run_id\": 1, \"notify\": [0, 0, 0, " mean ", 0, 0, 9, 16]}\n"

static struct kb_failure failure;

/* In a file of the place. */
static char *written(const struct place *place, const char *name, const char *text)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 4];
	FILE *out;

	snprintf(path, PATH_MAX, "%s/%.40s", place->directory, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
	return path;
}

static int import(const struct place *place, char *file, struct kb_imported *imported)
{
	char *files[] = { file };

	return kb_import_runs(&(struct kb_import_request){
		.options.confidence = .9, .files = files, .file_count = 1, .store = place->path }, imported, &failure);
}

static void stored_and_made_again(void **state)
{
	const struct place *place = *state;
	struct kb_imported imported;
	json_t *done = json_array();
	int64_t before;

	assert_int_equal(import(place, written(place, "boot.log", TABLE "reboot\n" TABLE), &imported), 0);
	assert_int_equal(imported.count, 1);
	assert_int_equal(imported.runs[0].added, 2);
	assert_int_equal(imported.runs[0].count, 1);
	assert_int_equal(imported.runs[0].results[0].processes, 2);
	assert_string_equal(imported.runs[0].rows[0], "sel4.signal");
	before = ask(place->path, "SELECT sum(length(json)) FROM summary");
	assert_true(before > 100);
	/* Results are a cache: they come back as they were. */
	change(place->path, "CREATE TABLE was AS SELECT * FROM summary");
	change(place->path, "DELETE FROM summary");
	assert_int_equal(kb_rebuild_runs(place->path, imported.runs[0].id, done, &(struct kb_notes){ NULL, NULL }, &failure), 0);
	assert_int_equal(json_array_size(done), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(done, 0), "id")), imported.runs[0].id);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(done, 0), "rows")), 1);
	assert_int_equal(ask(place->path, "SELECT count(*) FROM summary JOIN was USING (json)"), 1);
	json_decref(done);
	kb_imported_release(&imported);
}

/* A file of results is imported again when it has grown: only what is new is added. */
static void grown(void **state)
{
	const struct place *place = *state;
	struct kb_imported imported;

	assert_int_equal(import(place, written(place, "H.jsonl", LINE("a", "1340")), &imported), 0);
	assert_false(imported.runs[0].known);
	kb_imported_release(&imported);
	assert_int_equal(import(place, written(place, "H.jsonl", LINE("a", "1340") LINE("a", "1350") LINE("b", "1300")), &imported), 0);
	assert_int_equal(imported.count, 2);
	assert_true(imported.runs[0].known && imported.runs[0].added == 1);
	assert_true(!imported.runs[1].known && imported.runs[1].added == 1);
	kb_imported_release(&imported);
}

static void refused_files(void **state)
{
	const struct place *place = *state;
	struct kb_imported imported;
	json_t *done = json_array();

	assert_int_equal(import(place, written(place, "x.log", "nothing\n"), &imported), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "x.log: no table, no record"));
	kb_imported_release(&imported);
	assert_int_equal(import(place, "/none/of/it", &imported), KB_EXIT_USAGE);
	assert_string_equal(failure.text, "cannot read /none/of/it: No such file or directory");
	kb_imported_release(&imported);
	/* Nothing was stored, and to rebuild makes no store. */
	assert_int_equal(access(place->path, F_OK), -1);
	assert_int_equal(kb_rebuild_runs(place->path, NULL, done, &(struct kb_notes){ NULL, NULL }, &failure), KB_EXIT_USAGE);
	assert_int_equal(access(place->path, F_OK), -1);
	json_decref(done);
}

static int analyze(char *file, enum kb_analysis_method method, size_t skip, struct kb_analyzed *all)
{
	*all = (struct kb_analyzed){ .options = { .confidence = .9, .half_width = .02 }, .method = method, .skip = skip };
	return kb_analyze_files(all, &file, 1, &failure);
}

static void analyzed(void **state)
{
	char *table = written(*state, "table.log", TABLE), *list = written(*state, "list.csv", "ticks\n5\n6\n7\n");
	struct kb_analyzed all;

	assert_int_equal(analyze(table, KB_ANALYSIS_METHODS, 1, &all), 0);
	assert_int_equal(all.files[0].method, KB_ANALYSIS_KANATA);
	assert_true(all.files[0].groups == 2 && all.files[0].tests == 3 && all.files[0].kanata.count == 2);
	assert_true(all.files[0].kanata.groups[0].k.count == 2 && all.files[0].import.series[1].y[0] == 3215);
	kb_analyzed_release(&all);
	/* As points: the s-th tests of all groups are a block. */
	assert_int_equal(analyze(table, KB_ANALYSIS_SLOPE, 1, &all), 0);
	assert_int_equal(all.files[0].import.count, 1);
	assert_int_equal(all.files[0].import.series[0].count, 4);
	assert_true(all.files[0].import.series[0].x[1] == 32 && all.files[0].import.series[0].y[2] == 3020);
	assert_int_equal(all.files[0].import.series[0].block[2], 1);
	kb_analyzed_release(&all);
	assert_int_equal(analyze(table, KB_ANALYSIS_METHODS, 3, &all), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "--skip 3 leaves nothing of the group with N = 30"));
	kb_analyzed_release(&all);
	assert_int_equal(analyze(list, KB_ANALYSIS_SLOPE, 0, &all), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "method slope takes values of several n"));
	kb_analyzed_release(&all);
	assert_int_equal(analyze(table, KB_ANALYSIS_SINGLE, 0, &all), KB_EXIT_USAGE);
	kb_analyzed_release(&all);
}

/* The first tests of each n, wherever they stand. */
static void skipped(void **state)
{
	char *points = written(*state, "points.csv", "n,ticks\n1,10\n2,20\n1,11\n2,21\n2,22\n1,12\n");
	struct kb_analyzed all;

	assert_int_equal(analyze(points, KB_ANALYSIS_METHODS, 2, &all), 0);
	assert_int_equal(all.files[0].import.series[0].count, 2);
	assert_true(all.files[0].import.series[0].y[0] == 22 && all.files[0].import.series[0].y[1] == 12);
	kb_analyzed_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(stored_and_made_again, make_place, remove_place),
		cmocka_unit_test_setup_teardown(grown, make_place, remove_place),
		cmocka_unit_test_setup_teardown(refused_files, make_place, remove_place),
		cmocka_unit_test_setup_teardown(analyzed, make_place, remove_place),
		cmocka_unit_test_setup_teardown(skipped, make_place, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
