/*
 * The store as its users see it: what goes in comes out, in order; runs are found by name; two processes share it.
 * What damage, full disks and kills do is in test_store_damage.c.
 */
#include "fixture.h"

#define ID_A "01935a00-0000-7000-8000-00000000000a"
#define ID_B "01935a00-0000-7000-8000-00000000000b"
#define ID_C "01935b00-0000-7000-8000-00000000000c"
#define MEGABYTES (3u << 20)

static const struct kb_stored_run full_run = {
	.id = ID_A, .started = "2024-11-23T10:00:00Z", .finished = "", .label = "vor dem Umbau \xc3\xa4 'x' \"y\"",
	.command = "kbench run -p a=1\n--x", .env_class = "abc; DROP TABLE run", .env = "{\"cpu\":\"x\"}",
	.settings = "{\"seed\":18446744073709551615}",
};

static int check_full_run(void *context, const struct kb_stored_run *run)
{
	++*(int *)context;
	assert_string_equal(run->id, full_run.id);
	assert_string_equal(run->started, full_run.started);
	assert_string_equal(run->finished, "2024-11-23T10:05:00Z");
	assert_string_equal(run->label, full_run.label);
	assert_string_equal(run->command, full_run.command);
	assert_string_equal(run->env_class, full_run.env_class);
	assert_string_equal(run->env, full_run.env);
	assert_string_equal(run->settings, full_run.settings);
	return 0;
}

/* In the order in which they must come back. */
static const struct { const char *row, *outcome; unsigned process; uint64_t seed; size_t length; } processes[] = {
	{ "sys.null", "", 0, 1, 0 },
	{ "sys.null", "", 1, 2, MEGABYTES },
	{ "ipc.pipe_latency placement=same-cpu", "signal=11 \xe2\x9c\x97", 1, 3, 1 },
	{ "sys.null", "timeout", 2, 4, 70000 },
};

static int check_process(void *context, const struct kb_stored_process *process)
{
	unsigned *at = context;

	assert_true(*at < sizeof(processes) / sizeof(*processes));
	assert_string_equal(process->run_id, ID_A);
	assert_string_equal(process->row, processes[*at].row);
	assert_string_equal(process->outcome, processes[*at].outcome);
	assert_int_equal(process->process, processes[*at].process);
	assert_true(same_record(process, processes[*at].seed, processes[*at].length));
	assert_int_equal(process->record[process->record_length], 0);
	++*at;
	return 0;
}

static void round_trip(void **state)
{
	static const unsigned order_of_arrival[] = { 3, 0, 1, 2 };
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	unsigned seen = 0;
	int runs = 0;

	assert_string_equal(kb_store_path(store), place->path);
	assert_int_equal(kb_store_add_run(store, &full_run), 0);
	for (unsigned i = 0; i < 4; i++) {
		unsigned k = order_of_arrival[i];
		char *record = make_record(processes[k].seed, processes[k].length);

		assert_int_equal(kb_store_add_process(store, &(struct kb_stored_process){ ID_A, processes[k].row,
			processes[k].process, processes[k].outcome, record, processes[k].length }), 0);
		free(record);
	}
	assert_int_equal(kb_store_finish_run(store, ID_A, "2024-11-23T10:05:00Z"), 0);
	kb_store_close(store);

	store = opened(place->path, KB_STORE_READ);
	assert_int_equal(kb_store_each_run(store, check_full_run, &runs), 0);
	assert_int_equal(runs, 1);
	assert_int_equal(kb_store_all_processes(store, ID_A, check_process, &seen), 0);
	assert_int_equal(seen, 4);
	kb_store_close(store);
	/* Nothing but the store stays when the last one closed it. */
	remove_store(place);
	assert_int_equal(rmdir(place->directory), 0);
	assert_int_equal(mkdir(place->directory, 0700), 0);
}

/* Records are text and shrink; a store that kept them plain would fill disks. */
static void records_are_compressed(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	struct kb_run_extent extent;
	char *record = malloc(MEGABYTES);

	memset(record, 'o', MEGABYTES);
	assert_int_equal(add_run(store, ID_A, "1", ""), 0);
	assert_int_equal(kb_store_add_process(store, &(struct kb_stored_process){ ID_A, "r", 1, "", record, MEGABYTES }), 0);
	free(record);
	assert_int_equal(kb_store_run_extent(store, ID_A, &extent), 0);
	assert_true(extent.record_bytes < MEGABYTES / 100);
	assert_true(server() || kb_store_bytes(store) < MEGABYTES / 10);
	kb_store_close(store);
}

static void default_paths(void **state)
{
	struct place *place = *state;
	struct kb_store *store;
	char wanted[PATH_MAX];

	setenv("HOME", place->directory, 1);
	setenv("XDG_DATA_HOME", "relative/is/ignored", 1);
	store = opened(NULL, KB_STORE_WRITE);
	snprintf(wanted, sizeof(wanted), "%s/.local/share/kbench/kbench.db", place->directory);
	assert_string_equal(kb_store_path(store), wanted);
	assert_int_equal(access(wanted, F_OK), 0);
	kb_store_close(store);

	snprintf(wanted, sizeof(wanted), "%s/data", place->directory);
	setenv("XDG_DATA_HOME", wanted, 1);
	strcat(wanted, "/kbench/kbench.db");
	refused(wanted, KB_STORE_READ, -ENOENT, "kbench run");
	store = opened(NULL, KB_STORE_WRITE);
	assert_string_equal(kb_store_path(store), wanted);
	assert_int_equal(access(wanted, F_OK), 0);
	kb_store_close(store);

	unsetenv("XDG_DATA_HOME");
	unsetenv("HOME");
	assert_int_equal(kb_store_open(&store, NULL, KB_STORE_WRITE), -ENOENT);
	assert_non_null(strstr(kb_store_error(store), "--store FILE"));
	assert_string_equal(kb_store_path(store), "");
	kb_store_close(store);
	kb_store_close(NULL);
}

/* Names that SQLite would give a meaning of its own. */
static void odd_names(void **state)
{
	static const char *const names[] = { ":memory:", "file:x?mode=memory", "a?b#c%41 d", "new\nline", "deep/er/x.db" };
	struct place *place = *state;
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct kb_store *store;

	assert_int_equal(chdir(place->directory), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		store = opened(names[i], KB_STORE_WRITE);
		assert_int_equal(access(names[i], F_OK), 0);
		assert_int_equal(kb_store_finish_run(store, "none", "x"), -ENOENT);
		assert_null(strchr(kb_store_error(store), '\n'));
		kb_store_close(store);
	}
	assert_int_equal(kb_store_open(&store, "", KB_STORE_WRITE), -ENOENT);
	kb_store_close(store);
	assert_int_equal(fchdir(here), 0);
	close(here);
}

static int check_visible_run(void *context, const struct kb_stored_run *run)
{
	++*(int *)context;
	assert_string_equal(run->id, ID_A);
	assert_string_equal(run->started, "?2024??");
	assert_string_equal(run->label, "?[31m \u65e5?");
	assert_string_equal(run->env_class, "???");
	assert_string_equal(run->command, "\u202e");
	assert_string_equal(run->env, "{\"a\":\"\u202e\"}");
	return 0;
}

static int check_visible_process(void *context, const struct kb_stored_process *process)
{
	++*(int *)context;
	assert_string_equal(process->row, "a ?=?");
	assert_string_equal(process->outcome, "?\u65e5");
	assert_memory_equal(process->record, "\x1b", 1);
	return 0;
}

/* Names and dates as reports print them; command lines, JSON and records as they are. */
static void foreign_texts(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	int seen = 0;

	assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){ ID_A, "\x1b" "2024\xc2\x9b", "", "\x1b[31m \u65e5\xff", "\u202e", "\u2028",
		"{\"a\":\"\u202e\"}", "{}" }), 0);
	assert_int_equal(kb_store_add_process(store, &(struct kb_stored_process){ ID_A, "a \u202e=\n", 1, "\x9b\u65e5", "\x1b", 1 }), 0);
	assert_int_equal(kb_store_each_run(store, check_visible_run, &seen), 0);
	assert_int_equal(kb_store_all_processes(store, ID_A, check_visible_process, &seen), 0);
	assert_int_equal(seen, 2);
	assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){ "\x1b[2J", "", "", "", "", "", "{}", "{}" }), 0);
	assert_int_equal(kb_store_each_run(store, check_visible_run, &seen), -EUCLEAN);
	assert_non_null(strstr(kb_store_error(store), "'?[2J'"));
	kb_store_close(store);
}

static void found(struct kb_store *store, const char *name, const char *id)
{
	char got[37];

	if (kb_store_find_run(store, name, got))
		fail_msg("%s", kb_store_error(store));
	assert_string_equal(got, id);
}

static void not_found(struct kb_store *store, const char *name, int error)
{
	char got[37];

	assert_int_equal(kb_store_find_run(store, name, got), error);
	assert_non_null(strstr(kb_store_error(store), name));
	assert_non_null(strstr(kb_store_error(store), kb_store_path(store)));
}

static void finding_runs(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);

	not_found(store, "last", -ENOENT);
	/* The order in which they came decides which is the last: the clock went back twice. */
	assert_int_equal(add_run(store, ID_B, "2024-01-03T00:00:00Z", "0"), 0);
	assert_int_equal(add_run(store, ID_C, "2024-01-01T00:00:00Z", "twice"), 0);
	assert_int_equal(add_run(store, ID_A, "2024-01-02T00:00:00Z", "twice"), 0);
	found(store, "last", ID_A);
	found(store, "last~0", ID_A);
	found(store, "last~1", ID_C);
	found(store, "last~2", ID_B);
	found(store, ID_A, ID_A);
	found(store, "01935b", ID_C);
	found(store, "01935a00-0000-7000-8000-00000000000b", ID_B);
	found(store, "twice", ID_A);
	found(store, "0", ID_B);                /* a label in full, though every id starts so */
	not_found(store, "01935a", -ENOTUNIQ);
	not_found(store, "last~3", -ENOENT);
	not_found(store, "last~", -ENOENT);
	not_found(store, "last~-1", -ENOENT);
	not_found(store, "last~18446744073709551615", -ENOENT);
	not_found(store, "last~99999999999999999999", -ENOENT);
	not_found(store, "lastly", -ENOENT);
	not_found(store, "twic", -ENOENT);
	not_found(store, "%", -ENOENT);
	not_found(store, "", -ENOENT);
	kb_store_close(store);
}

/* "row=value " of all, in their order; what columns and JSON state is one thing. */
static void has_results(struct kb_store *store, const char *run, const char *wanted)
{
	struct kb_stored_result row;
	struct kb_query *query;
	char text[256] = "", *json;
	size_t used = 0;
	int found;

	assert_int_equal(kb_store_results(store, run, &query), 0);
	while ((found = kb_store_next(query, &row)) > 0) {
		char value[64];

		assert_int_equal(kb_store_json(store, &row, &json), 0);
		snprintf(value, sizeof value, "\"value\":%g,", row.estimate.value);
		assert_non_null(strstr(json, value));
		free(json);
		assert_string_equal(row.run_id, run);
		used += (size_t)snprintf(text + used, sizeof text - used, "%.30s=%g ", row.row, row.estimate.value);
	}
	assert_int_equal(found, 0);
	kb_store_done(query);
	assert_string_equal(text, wanted);
}

/* Writes while it iterates. */
static int rebuild_process(void *context, const struct kb_stored_process *process)
{
	return put_value(context, process->run_id, process->row, process->process, (double)process->record_length);
}

static void results(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE), *other = opened(place->path, KB_STORE_WRITE);
	struct kb_query *query;

	assert_int_equal(add_run(store, ID_A, "1", ""), 0);
	assert_int_equal(add_run(store, ID_B, "2", ""), 0);
	assert_int_equal(put_value(store, ID_A, "z", 1, 99), 0);
	assert_int_equal(put_value(store, ID_A, "a", 2, 2), 0);
	assert_int_equal(put_value(store, ID_A, "m", 0, 1), 0);
	assert_int_equal(put_value(store, ID_B, "z", 0, 7), 0);
	assert_int_equal(put_value(store, ID_A, "z", 3, 3), 0);
	has_results(store, ID_A, "m=1 a=2 z=3 ");
	has_results(store, ID_B, "z=7 ");
	assert_int_equal(kb_store_drop_results(store, ID_A), 0);
	has_results(store, ID_A, "");
	has_results(other, ID_B, "z=7 ");
	assert_int_equal(kb_store_drop_results(store, NULL), 0);
	has_results(other, ID_B, "");
	assert_int_equal(kb_store_drop_results(store, "nobody"), -ENOENT);
	assert_int_equal(put_value(store, "nobody", "z", 0, 1), -ENOENT);
	assert_int_equal(kb_store_results(store, "nobody", &query), -ENOENT);
	assert_null(query);

	assert_int_equal(add_process(store, ID_A, 1, 7, 1234), 0);
	assert_int_equal(kb_store_all_processes(store, ID_A, rebuild_process, other), 0);
	assert_int_equal(kb_store_all_processes(store, ID_A, rebuild_process, store), 0);
	has_results(store, ID_A, "sys.null=1234 ");

	/* What `kbench maintain` does: all or nothing. */
	assert_int_equal(kb_store_begin(store), 0);
	assert_int_equal(kb_store_drop_results(store, ID_A), 0);
	assert_int_equal(put_value(store, ID_A, "n", 0, 4), 0);
	has_results(other, ID_A, "sys.null=1234 ");
	assert_int_equal(kb_store_end(store, -ENOSPC), -ENOSPC);
	has_results(store, ID_A, "sys.null=1234 ");
	kb_store_close(other);
	kb_store_close(store);
}

static int stop(void *context, const struct kb_stored_run *run)
{
	(void)run;
	return ++*(int *)context == 2 ? 77 : 0;
}

/* A refused call leaves the store as it was and the handle as good as before. */
static void refusals(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	unsigned count = 0;
	int runs = 0;

	assert_int_equal(add_run(store, ID_A, "1", ""), 0);
	assert_int_equal(add_run(store, ID_A, "2", ""), -EEXIST);
	assert_non_null(strstr(kb_store_error(store), place->path));
	assert_int_equal(add_run(store, ID_A "x", "2", ""), -EINVAL);
	assert_int_equal(add_run(store, "", "2", ""), -EINVAL);
	assert_int_equal(add_process(store, ID_A, 1, 1, 10), 0);
	assert_int_equal(add_process(store, ID_A, 1, 2, 10), -EEXIST);
	assert_int_equal(add_process(store, ID_B, 1, 2, 10), -ENOENT);
	assert_int_equal(kb_store_finish_run(store, ID_B, "3"), -ENOENT);
	assert_int_equal(kb_store_all_processes(store, ID_B, count_process, &count), -ENOENT);
	assert_int_equal(add_process(store, ID_A, 2, 2, 10), 0);
	assert_int_equal(kb_store_all_processes(store, ID_A, count_process, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(add_run(store, ID_B, "2", ""), 0);
	assert_int_equal(add_run(store, ID_C, "3", ""), 0);
	assert_int_equal(kb_store_each_run(store, stop, &runs), 77);
	assert_int_equal(runs, 2);
	kb_store_close(store);
}

/* A reader makes nothing, changes nothing, and sees each process once its writer has committed it. */
static void readers(void **state)
{
	struct place *place = *state;
	struct kb_store *writer, *reader;
	unsigned count = 0;

	refused(place->path, KB_STORE_READ, -ENOENT, "kbench run");
	assert_true(server() || access(place->path, F_OK) < 0);
	writer = opened(place->path, KB_STORE_WRITE);
	assert_int_equal(add_run(writer, ID_A, "1", ""), 0);
	reader = opened(place->path, KB_STORE_READ);
	assert_int_equal(add_process(writer, ID_A, 1, 1, 100), 0);
	assert_int_equal(kb_store_all_processes(reader, ID_A, count_process, &count), 0);
	assert_int_equal(count, 1);
	assert_true(add_run(reader, ID_B, "2", "") < 0);
	assert_int_equal(ask(place->path, "SELECT count(*) FROM run"), 1);
	kb_store_close(reader);
	kb_store_close(writer);
}

#define EACH 200u

static int write_many(const char *path, const char *id)
{
	struct kb_store *store;

	MUST(!kb_store_open(&store, path, KB_STORE_WRITE));
	MUST(!add_run(store, id, "1", ""));
	for (unsigned i = 1; i <= EACH; i++)
		MUST(!add_process(store, id, i, i, 500 + 37 * i));
	kb_store_close(store);
	return 0;
}

static int write_a(const struct place *place) { return write_many(place->path, ID_A); }
static int write_b(const struct place *place) { return write_many(place->path, ID_B); }

static int check_many(void *context, const struct kb_stored_process *process)
{
	unsigned *count = context;

	assert_int_equal(process->process, ++*count);
	assert_true(same_record(process, *count, 500 + 37 * *count));
	return 0;
}

/* Both also make the store: whoever comes second must find it whole. */
static void two_writers(void **state)
{
	struct place *place = *state;
	struct kb_store *store;
	unsigned a = 0, b = 0;
	int status, code;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		alarm(30);
		_exit(write_a(place));
	}
	code = in_child(write_b, place, 30);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(code, 0);
	store = opened(place->path, KB_STORE_READ);
	assert_int_equal(kb_store_all_processes(store, ID_A, check_many, &a), 0);
	assert_int_equal(kb_store_all_processes(store, ID_B, check_many, &b), 0);
	assert_int_equal(a + b, 2 * EACH);
	kb_store_close(store);
	assert_int_equal(server() ? 1 : ask(place->path, INTEGRITY), 1);
}

static int make_and_add(const char *path, int number)
{
	struct kb_store *store;
	char id[37];
	int error = kb_store_open(&store, path, KB_STORE_WRITE);

	snprintf(id, sizeof(id), "run-%d", number);
	if (!error)
		error = add_run(store, id, "1", "");
	if (error)
		fprintf(stderr, "%s\n", kb_store_error(store));
	kb_store_close(store);
	return error != 0;
}

/* The race to make the store, alone: eight at a time, a few rounds. */
static void many_makers(void **state)
{
	struct place *place = *state;

	for (int round = 0; round < 8; round++) {
		pid_t children[8];
		int status, failed = 0;

		fflush(NULL);
		for (int i = 0; i < 8; i++) {
			children[i] = fork();
			if (!children[i]) {
				alarm(30);
				_exit(make_and_add(place->path, i));
			}
		}
		for (int i = 0; i < 8; i++)
			failed += waitpid(children[i], &status, 0) != children[i] || status != 0;
		assert_int_equal(failed, 0);
		assert_int_equal(ask(place->path, "SELECT count(*) FROM run"), 8);
		remove_store(place);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(round_trip), TEST(records_are_compressed), TEST(default_paths), TEST(odd_names), TEST(foreign_texts), TEST(finding_runs),
		TEST(results), TEST(refusals), TEST(readers), TEST(two_writers), TEST(many_makers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
