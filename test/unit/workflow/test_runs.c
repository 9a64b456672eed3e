/*
 * Runs as wholes: listed, removed, pruned, merged, and what a kill, a full disk or another writer in the middle of that leaves: all of a run or
 * nothing of it.
 */
#include "unit/store/fixture.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>

#include "run/process/live.h"
#include "workflow/records.h"
#include "workflow/copy.h"
#include "workflow/runs/prune.h"

#define ID(n) "0000000" #n "-0000-7000-8000-000000000000"
#define ROWS 3u
#define BYTES 40000u

static struct kb_failure failure;
static struct kb_run_list list;
static struct kb_pruned pruned;

/* A run with results, records, a comparison and a floor. */
static int put_run(struct kb_store *store, const char *id, const char *started, const char *label, bool finished)
{
	int error = add_run(store, id, started, label);

	for (unsigned i = 0; i < ROWS && !error; i++) {
		char row[32];

		snprintf(row, sizeof row, "sys.null n=%u", i);
		error = put_value(store, id, row, i, 100 + i) ?: add_process(store, id, i + 1, i, BYTES);
		error = error ?: kb_store_put_comparison(store, id, row, "{\"ratio\":1}");
	}
	error = error ?: kb_store_put_floor(store, id, "cpu", 1.5);
	return error ?: finished ? kb_store_finish_run(store, id, "z") : 0;
}

static void make_runs(const char *path)
{
	struct kb_store *store = opened(path, KB_STORE_WRITE);

	assert_int_equal(put_run(store, ID(1), "2026-01-01", "", true), 0);
	assert_int_equal(put_run(store, ID(2), "2026-02-01", "mine", true), 0);
	assert_int_equal(put_run(store, ID(3), "2026-03-01", "ab-a", true), 0);
	assert_int_equal(put_run(store, ID(4), "2026-04-01", "", false), 0);
	assert_int_equal(put_run(store, ID(5), "2026-05-01", "", true), 0);
	kb_store_close(store);
}

/* Digits of the ids of all runs, as "125"; -1: a run that is not whole, or something that is of none. */
static int runs_of(const char *path)
{
	static const char *const of_a_run[] = { "launch", "summary", "result", "comparison", "run_facts", "floor" };
	char sql[300];

	for (size_t i = 0; i < sizeof of_a_run / sizeof *of_a_run; i++) {
		snprintf(sql, sizeof sql, "SELECT count(*) = %s * (SELECT count(*) FROM run) FROM %s JOIN run ON run.number = %s.run",
			 i < 4 ? "3" : "1", of_a_run[i], of_a_run[i]);
		if (ask(path, sql) != 1)
			return -1;
		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE run NOT IN (SELECT number FROM run)", of_a_run[i]);
		if (ask(path, sql) != 0)
			return -1;
	}
	if (ask(path, INTEGRITY) != 1)
		return -1;
	return (int)ask(path, "SELECT ifnull(group_concat(substr(id, 8, 1), ''), '0') + 0 FROM (SELECT id FROM run ORDER BY id)");
}

static void lists(void **state)
{
	struct place *place = *state;
	struct kb_store *store;
	int mark;

	make_runs(place->path);
	mark = kb_live_mark(ID(4));
	assert_true(mark >= 0);
	store = opened(place->path, KB_STORE_READ);
	assert_int_equal(kb_runs_list(store, UINT64_MAX, &list, &failure), 0);
	assert_int_equal(list.count, 5);
	assert_string_equal(list.runs[0].id, ID(1));
	assert_true(list.runs[0].finished && !list.runs[0].live);
	assert_true(!list.runs[3].finished && list.runs[3].live);
	assert_int_equal(list.runs[1].extent.results, ROWS);
	assert_int_equal(list.runs[1].extent.verdicts[KB_OK], ROWS);
	assert_int_equal(list.runs[1].extent.processes, ROWS);
	assert_true(list.runs[1].extent.record_bytes > ROWS * BYTES / 2 && list.runs[1].extent.bytes > list.runs[1].extent.record_bytes);
	kb_runs_release(&list);
	close(mark);
	assert_int_equal(kb_runs_list(store, 2, &list, &failure), 0);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.others, 3);
	assert_string_equal(list.runs[0].id, ID(4));
	assert_true(!list.runs[0].live);
	kb_runs_release(&list);
	kb_store_close(store);
}

static int removed(const char *path, char *const *names, size_t count)
{
	struct kb_store *store = opened(path, KB_STORE_CHANGE);
	int code = kb_runs_remove(store, names, count, &list, &failure);

	kb_runs_release(&list);
	kb_store_close(store);
	return code;
}

static void all_or_none_is_removed(void **state)
{
	struct place *place = *state;
	char *unknown[] = { "mine", "nobody" }, *live[] = { ID(1), ID(4) }, *twice[] = { "mine", ID(2), "0000000" "1" };
	int mark;

	refused(place->path, KB_STORE_CHANGE, -ENOENT, "no store");
	make_runs(place->path);
	mark = kb_live_mark(ID(4));
	assert_int_equal(removed(place->path, unknown, 2), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "\"nobody\""));
	assert_int_equal(removed(place->path, live, 2), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "being measured"));
	assert_int_equal(runs_of(place->path), 12345);
	assert_int_equal(removed(place->path, twice, 3), 0);
	assert_int_equal(runs_of(place->path), 345);
	close(mark);
	assert_int_equal(removed(place->path, live + 1, 1), 0);
	assert_int_equal(runs_of(place->path), 35);
}

static void reasons_to_stay(void **state)
{
	static const struct { struct kb_prune_request request; int left; } rows[] = {
		/* 2 has a label, 4 is being measured; 'ab-a' is no label of the user's. */
		{ { .keep = 1 }, 245 }, { { .keep = 0 }, 24 }, { { .keep = 4 }, 2345 }, { { .keep = 9 }, 12345 }, { { .keep = 0, .labelled = true }, 4 },
		{ { .keep = UINT64_MAX, .before = "2026-02-28" }, 2345 }, { { .keep = UINT64_MAX, .before = "2026-03-01" }, 245 },
		{ { .keep = 4, .before = "2027" }, 2345 }, { { .keep = 0, .before = "2026-01-02", .labelled = true }, 2345 },
		{ { .keep = 0, .labelled = true, .dry = true }, 12345 },
	};
	struct place *place = *state;
	int mark = kb_live_mark(ID(4));

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kb_store *store;

		unlink(place->path);
		make_runs(place->path);
		store = opened(place->path, rows[i].request.dry ? KB_STORE_READ : KB_STORE_CHANGE);
		assert_int_equal(kb_runs_prune(store, &rows[i].request, &pruned, &failure), 0);
		assert_int_equal(pruned.list.count, pruned.count);
		assert_int_equal(pruned.others, 5 - pruned.count);
		assert_true(rows[i].request.dry || pruned.others == (rows[i].left < 10 ? 1u : rows[i].left < 100 ? 2u : rows[i].left < 1000 ? 3u :
			    rows[i].left < 10000 ? 4u : 5u));
		kb_runs_release(&pruned.list);
		kb_store_close(store);
		assert_int_equal(runs_of(place->path), rows[i].left);
	}
	close(mark);
}

/* Weeks begin on Thursdays: 2026-01-01, 01-08, 01-15. What stays is named by the last digits of its id. */
#define FLEET(id, node) "{\"cpus\":[0],\"fleet\":{\"id\":\"" id "\",\"node\":\"" node "\"}}"
static const struct { const char *id, *started, *label, *command, *env_class, *settings; bool thinned, labelled; } alike[] = {
	{ "01", "2026-01-01T00:00:00Z", "", "kbench run a", "e", "{\"cpus\":[0]}", true, true },
	{ "02", "2026-01-07T23:59:59Z", "", "kbench run a --store 'b c' --label d", "e", "{\"cpus\":[0]}", false, false },
	{ "03", "2026-01-07T23:59:59Z", "", "kbench run a b", "e", "{\"cpus\":[0]}", true, true },
	{ "04", "2026-01-07T23:59:59Z", "", "kbench run a", "e", "{\"cpus\":[1]}", true, true },
	{ "05", "2026-01-07T23:59:59Z", "", "kbench run a", "f", "{\"cpus\":[0]}", true, true },
	{ "06", "2026-01-07T23:59:59Z", "mine", "kbench run a", "e", "{\"cpus\":[0]}", true, false },
	{ "07", "2026-01-07T23:59:59Z", "ab-a", "kbench run a", "e", "{\"cpus\":[0],\"ab\":{\"side\":\"a\"}}", true, true },
	{ "08", "2026-01-08T00:00:00Z", "", "kbench run a --label=d", "e", "{\"cpus\":[0]}", true, true },
	{ "09", "2026-01-08T00:00:01Z", "", "kbench run a", "e", "{\"cpus\":[0]}", false, false },
	/* Of three fleets that are alike one stays; that with another node stays whole; that with a label, too, and it does not count. */
	{ "10", "2026-01-08T01:00:00Z", "", "kbench run a --store=/1", "e", FLEET("F1", "n1"), true, true },
	{ "11", "2026-01-08T01:00:00Z", "", "kbench run a --store=/1", "e", FLEET("F1", "n2"), true, true },
	{ "12", "2026-01-08T02:00:00Z", "", "kbench run a --store /2", "e", FLEET("F2", "n1"), false, false },
	{ "13", "2026-01-08T02:00:00Z", "", "kbench run a --store /2", "other", FLEET("F2", "n2"), false, false },
	{ "14", "2026-01-08T03:00:00Z", "", "kbench run a", "e", FLEET("F3", "n1"), true, true },
	{ "15", "2026-01-08T03:00:00Z", "", "kbench run a", "e", FLEET("F3", "n3"), true, true },
	{ "16", "2026-01-08T04:00:00Z", "", "kbench run a", "e", FLEET("F4", "n1"), true, false },
	{ "17", "2026-01-08T04:00:00Z", "mine", "kbench run a", "e", FLEET("F4", "n2"), true, false },
	/* A fleet that is partly new enough. */
	{ "18", "2026-01-09T00:00:00Z", "", "kbench run a", "e", FLEET("F5", "n1"), true, true },
	{ "19", "2026-01-10T00:00:00Z", "", "kbench run a", "e", FLEET("F5", "n2"), true, true },
};
#define ALIKE (sizeof alike / sizeof *alike)

static bool is_there(const char *path, const char *id)
{
	char sql[100];

	snprintf(sql, sizeof sql, "SELECT count(*) FROM run WHERE id = '%s'", id);
	return ask(path, sql) == 1;
}

/* The second time nothing more goes. */
static void one_of_many_stays(void **state)
{
	struct place *place = *state;

	for (int labelled = 0; labelled < 2; labelled++) {
		struct kb_store *store = opened(place->path, KB_STORE_WRITE);
		size_t gone = 0;

		for (size_t i = 0; i < ALIKE; i++)
			assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){ .id = alike[i].id, .started = alike[i].started, .finished = "z",
				.label = alike[i].label, .command = alike[i].command, .env_class = alike[i].env_class, .env = "{}",
				.settings = alike[i].settings }), 0);
		for (int again = 0; again < 2; again++) {
			const struct kb_prune_request request = {
				.keep = UINT64_MAX, .before = "2026-01-09T12:00:00Z", .thin_s = 7 * 24 * 3600, .labelled = labelled,
			};

			assert_int_equal(kb_runs_prune(store, &request, &pruned, &failure), 0);
			gone += pruned.count;
			assert_int_equal(pruned.others, ALIKE - gone);
			assert_true(again == (pruned.count == 0));
			assert_true(again || strcmp(pruned.first, "2026-01-07T23:59:59Z") == 0);
			kb_runs_release(&pruned.list);
		}
		for (size_t i = 0; i < ALIKE; i++) {
			if (is_there(place->path, alike[i].id) != (labelled ? alike[i].labelled : alike[i].thinned))
				fail_msg("labelled %d: run %s", labelled, alike[i].id);
		}
		kb_store_close(store);
		unlink(place->path);
	}
}

static void results_without_records(void **state)
{
	struct place *place = *state;
	struct kb_old_records old;
	struct kb_store *store;
	json_t *done = json_array();
	int64_t before;

	make_runs(place->path);
	store = opened(place->path, KB_STORE_CHANGE);
	before = kb_store_bytes(store);
	assert_int_equal(kb_runs_drop_records(store, "2026-03-02", true, &old, &failure), 0);
	assert_int_equal(old.runs, 3);
	assert_int_equal(old.bytes, ask(place->path, "SELECT sum(length(record)) FROM launch WHERE run <= 3"));
	assert_int_equal(ask(place->path, "SELECT count(*) FROM launch"), 5 * ROWS);
	assert_int_equal(kb_runs_drop_records(store, "2026-03-02", false, &old, &failure), 0);
	assert_int_equal(kb_store_compact(store), 0);
	assert_true(kb_store_bytes(store) < before / 2);
	kb_store_close(store);
	assert_int_equal(ask(place->path, "SELECT count(*) FROM launch"), 2 * ROWS);
	assert_int_equal(ask(place->path, "SELECT count(*) FROM summary"), 5 * ROWS);
	assert_int_equal(ask(place->path, INTEGRITY), 1);

	/* What cannot be made again stays as it is. */
	assert_int_equal(kb_rebuild_runs(place->path, ID(1), done, &(struct kb_notes){ NULL, NULL }, &failure), 0);
	assert_true(json_is_true(json_object_get(json_array_get(done, 0), "kept")));
	json_decref(done);
	assert_int_equal(ask(place->path, "SELECT count(*) FROM result WHERE status = 'ok'"), 5 * ROWS);
}

/* ---- merging ------------------------------------------------------------------------------------------------ */

static int merged_into(const char *to, const char *from, struct kb_copied *merged)
{
	return kb_runs_copy(&(struct kb_copy_request){ .from = from, .to = to }, merged, &failure);
}

static void runs_of_other_stores(void **state)
{
	struct place *place = *state;
	struct kb_copied merged;
	struct kb_store *store;
	char other[PATH_MAX + 8], same[PATH_MAX + 300];
	int mark;

	snprintf(other, sizeof other, "%s.other", place->path);
	make_runs(other);
	store = opened(place->path, KB_STORE_WRITE);
	assert_int_equal(put_run(store, ID(5), "2026-05-01", "here", true), 0);
	/* As it was when it was merged while it was measured. */
	assert_int_equal(add_run(store, ID(1), "2026-01-01", ""), 0);
	kb_store_close(store);
	mark = kb_live_mark(ID(4));
	assert_int_equal(merged_into(place->path, other, &merged), 0);
	assert_int_equal(merged.added, 2);
	assert_int_equal(merged.completed, 1);
	assert_int_equal(merged.known, 1);
	assert_int_equal(merged.live, 1);
	assert_int_equal(runs_of(place->path), 1235);
	assert_int_equal(ask(place->path, "SELECT label = 'here' FROM run WHERE id = '" ID(5) "'"), 1);
	close(mark);
	assert_int_equal(merged_into(place->path, other, &merged), 0);
	assert_int_equal(merged.added, 1);
	assert_int_equal(merged.known, 4);
	/* Into itself. */
	assert_int_equal(merged_into(place->path, place->path, &merged), 0);
	assert_int_equal(merged.known, 5);
	assert_int_equal(runs_of(place->path), 12345);
	/* The same bytes. */
	snprintf(same, sizeof same, "ATTACH '%s' AS o; CREATE TABLE differ AS SELECT r.id, row, launch, record FROM launch JOIN run r ON r.number = run"
		 " EXCEPT SELECT r.id, row, launch, record FROM o.launch JOIN o.run r ON r.number = run", other);
	change(place->path, same);
	assert_int_equal(ask(place->path, "SELECT count(*) FROM differ"), 0);
	change(place->path, "DROP TABLE differ");
}

static void old_and_bad_stores(void **state)
{
	struct place *place = *state;
	struct kb_copied merged;
	char other[PATH_MAX + 8];

	snprintf(other, sizeof other, "%s.other", place->path);
	make_runs(other);
	change(other, MAKE_OLD);
	assert_int_equal(merged_into(place->path, other, &merged), 0);
	assert_int_equal(merged.added, 5);
	assert_int_equal(runs_of(place->path), 12345);

	/* The third run's record is rubbish: those before it are in, it is not. */
	unlink(place->path);
	change(other, "UPDATE launch SET record = x'00' WHERE run = 3 AND launch = 2");
	assert_int_equal(merged_into(place->path, other, &merged), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "cannot be unpacked"));
	assert_int_equal(merged.added, 2);
	assert_int_equal(runs_of(place->path), 12);
	/* An id that no run can have never gets in. */
	change(other, "UPDATE run SET id = 'a' || char(10) WHERE number = 1");
	assert_int_equal(merged_into(place->path, other, &merged), KB_EXIT_USAGE);
	assert_int_equal(runs_of(place->path), 12);
	change(other, "PRAGMA user_version = 99");
	assert_int_equal(merged_into(place->path, other, &merged), KB_EXIT_USAGE);
	assert_non_null(strstr(failure.text, "newer kbench"));
	assert_int_equal(merged_into(place->path, "/none.db", &merged), KB_EXIT_USAGE);
	assert_int_equal(runs_of(place->path), 12);
}

/* ---- in the middle ------------------------------------------------------------------------------------------ */

/* All that changes the store, one behind the other. */
static int change_much(const struct place *place)
{
	static const struct kb_prune_request all = { .keep = 0, .labelled = true };
	char other[PATH_MAX + 8];
	struct kb_copied merged;
	struct kb_store *store;

	snprintf(other, sizeof other, "%s.other", place->path);
	if (kb_store_open(&store, place->path, KB_STORE_WRITE))
		return 1;
	for (;;) {
		if (merged_into(place->path, other, &merged) || kb_store_compact(store) || kb_runs_prune(store, &all, &pruned, &failure))
			return 1;
		kb_runs_release(&pruned.list);
	}
}

static void a_kill_leaves_whole_runs(void **state)
{
	struct place *place = *state;
	char other[PATH_MAX + 8];
	unsigned seen[2] = { 0, 0 };

	snprintf(other, sizeof other, "%s.other", place->path);
	make_runs(other);
	for (unsigned i = 0; i < 40; i++) {
		int status, runs;
		pid_t child;

		fflush(NULL);
		child = fork();
		if (!child)
			_exit(change_much(place));
		usleep(3000 + 777 * i);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		if (access(place->path, F_OK) < 0 || ask(place->path, "SELECT count(*) FROM sqlite_master") == 0)
			continue;
		runs = runs_of(place->path);
		assert_true(runs >= 0);
		seen[runs > 0]++;
	}
	print_message("killed %u times: %u stores with runs, %u without\n", 40, seen[1], seen[0]);
}

/* One writer waits for the other. */
static int holds_the_lock(const struct place *place)
{
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	int error = kb_store_begin(store);

	usleep(300000);
	return kb_store_end(store, error) ? 1 : 0;
}

static void two_writers(void **state)
{
	struct place *place = *state;
	char *names[] = { ID(1) };
	int status;
	pid_t child;

	make_runs(place->path);
	fflush(NULL);
	child = fork();
	if (!child)
		_exit(holds_the_lock(place));
	usleep(100000);
	assert_int_equal(removed(place->path, names, 1), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(runs_of(place->path), 2345);
}

/* A disk that has room for the store, but not for a second copy of it, seen by this process only. */
static int small_disk(const struct place *place)
{
	char other[PATH_MAX], path[PATH_MAX + 8];
	struct kb_copied merged;
	struct kb_store *store;

	snprintf(other, sizeof other, "%s/other", place->directory);
	snprintf(path, sizeof path, "%s/o.db", other);
	if (geteuid() || unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("kbench", place->directory, "tmpfs", 0, "size=700k") || mkdir(other, 0700) || mount("kbench", other, "tmpfs", 0, "size=8m"))
		return CANNOT;
	make_runs(path);
	MUST(!kb_store_open(&store, place->path, KB_STORE_WRITE));
	MUST(merged_into(place->path, path, &merged) == KB_EXIT_USAGE);
	MUST(strstr(failure.text, "No space left") && strstr(failure.text, "free some space") && !strchr(failure.text, '\n'));
	MUST(merged.added > 0 && merged.added < 5);
	/* What is in is in; nothing is lost by trying to make it smaller. */
	MUST(kb_store_compact(store) == -ENOSPC);
	MUST(strstr(kb_store_error(store), "free some space"));
	kb_store_close(store);
	MUST(runs_of(place->path) == (merged.added == 1 ? 1 : merged.added == 2 ? 12 : merged.added == 3 ? 123 : 1234));
	return 0;
}

static void a_full_disk(void **state)
{
	child_passes(in_child(small_disk, *state, 30), "no mounts of our own");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lists, make_place, remove_place),
		cmocka_unit_test_setup_teardown(all_or_none_is_removed, make_place, remove_place),
		cmocka_unit_test_setup_teardown(reasons_to_stay, make_place, remove_place),
		cmocka_unit_test_setup_teardown(one_of_many_stays, make_place, remove_place),
		cmocka_unit_test_setup_teardown(results_without_records, make_place, remove_place),
		cmocka_unit_test_setup_teardown(runs_of_other_stores, make_place, remove_place),
		cmocka_unit_test_setup_teardown(old_and_bad_stores, make_place, remove_place),
		cmocka_unit_test_setup_teardown(a_kill_leaves_whole_runs, make_place, remove_place),
		cmocka_unit_test_setup_teardown(two_writers, make_place, remove_place),
		cmocka_unit_test_setup_teardown(a_full_disk, make_place, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
