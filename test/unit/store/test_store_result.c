/* Results by their columns: what is asked comes back, in order; what was changed behind our back is told. */
#include "three_runs.h"

#include <math.h>

/* Ends the query: "run:row=value " of each, run by the last letter of its id, '!' where it is damaged. */
static const char *answer(int error, struct kb_query *query)
{
	static char text[4096];
	struct kb_stored_result row;
	size_t used = 0;
	int found;

	assert_int_equal(error, 0);
	text[0] = '\0';
	while ((found = kb_store_next(query, &row)) > 0)
		used += (size_t)snprintf(text + used, sizeof text - used, "%c:%s=%g%s ", row.run_id[35], row.row, row.estimate.value,
					 row.damaged ? "!" : "");
	assert_int_equal(found, 0);
	kb_store_done(query);
	return text;
}

#define ASK(ask, ...) ({ struct kb_query *asked; int error = ask(store, ##__VA_ARGS__, &asked); answer(error, asked); })

static void questions(void **state)
{
	struct kb_store *store = three_runs(*state);
	char ids[4][37];
	unsigned count;

	assert_string_equal(ASK(kb_store_results, ID_A), "a:x size=2=2 a:x size=1=1 ");
	assert_string_equal(ASK(kb_store_results, ID_C), "c:x size=1=3 c:w=4 c:v=nan ");
	assert_string_equal(ASK(kb_store_history, "x", "size=1", NULL, KB_NEWEST_FIRST), "c:x size=1=3 a:x size=1=1 ");
	assert_string_equal(ASK(kb_store_history, "x", "size=1", "env", KB_OLDEST_FIRST), "a:x size=1=1 c:x size=1=3 ");
	assert_string_equal(ASK(kb_store_history, "x", "size=1", "its-own", KB_OLDEST_FIRST), "");
	assert_string_equal(ASK(kb_store_history, "v", "", "its-own", KB_OLDEST_FIRST), "c:v=nan ");
	assert_string_equal(ASK(kb_store_history, "v", "", "env", KB_OLDEST_FIRST), "");
	assert_string_equal(ASK(kb_store_history, "x", "", NULL, KB_OLDEST_FIRST), "");
	assert_string_equal(ASK(kb_store_series), "c:v=nan c:w=4 a:x size=1=1 a:x size=2=2 ");
	assert_string_equal(ASK(kb_store_series_of, "w", "x"), "c:w=4 ");
	assert_string_equal(ASK(kb_store_series_of, "x", "x/"), "a:x size=1=1 a:x size=2=2 ");
	assert_string_equal(ASK(kb_store_series_of, "xx", "y"), "");
	assert_int_equal(kb_store_recent_runs(store, "env", 3, ids, 4, &count), 0);
	assert_int_equal(count, 2);
	assert_string_equal(ids[0], ID_C);
	assert_string_equal(ids[1], ID_A);
	assert_int_equal(kb_store_recent_runs(store, "env", 3, ids, 1, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(kb_store_recent_runs(store, "env", 4, ids, 4, &count), 0);
	assert_int_equal(count, 0);
	kb_store_close(store);
}

/* How many there are, after it was seen that each comes once and behind the one before. */
static unsigned count_in_order(struct kb_store *store, enum kb_store_order order)
{
	struct kb_stored_result row;
	struct kb_query *query;
	char last[64] = "", place[64];
	unsigned count = 0;
	int found;

	assert_int_equal(kb_store_history(store, "x", "", NULL, order, &query), 0);
	for (; (found = kb_store_next(query, &row)) > 0; count++) {
		snprintf(place, sizeof place, "%s %s", row.started, row.run_id);
		assert_true(count == 0 || (order == KB_OLDEST_FIRST ? strcmp(place, last) > 0 : strcmp(place, last) < 0));
		strcpy(last, place);
	}
	assert_int_equal(found, 0);
	kb_store_done(query);
	return count;
}

#define LONG_SERIES 700u        /* more than two pages of a server (questions.c), of which the first one ends between runs of one second */

static void long_series(void **state)
{
	const struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);

	assert_int_equal(kb_store_begin(store), 0);
	for (unsigned i = 0; i < LONG_SERIES; i++) {
		char id[37], started[24];
		unsigned second = i * 37 % LONG_SERIES / 3;

		snprintf(id, sizeof id, "0193%04x-0000-7000-8000-00000000000d", i);
		snprintf(started, sizeof started, "2025-01-01T00:%02u:%02uZ", second / 60, second % 60);
		assert_int_equal(add(store, id, started, "env", "{}"), 0);
		assert_int_equal(put_value(store, id, "x", 1, 1), 0);
	}
	assert_int_equal(kb_store_end(store, 0), 0);
	assert_int_equal(count_in_order(store, KB_OLDEST_FIRST), LONG_SERIES);
	assert_int_equal(count_in_order(store, KB_NEWEST_FIRST), LONG_SERIES);
	kb_store_close(store);
}

static void all_columns(void **state)
{
	struct place *place = *state;
	struct kb_store *store = three_runs(place);
	struct kb_stored_result row;
	struct kb_query *query;
	char *json;

	assert_int_equal(kb_store_results(store, ID_C, &query), 0);
	assert_int_equal(kb_store_next(query, &row), 1);
	assert_string_equal(row.benchmark, "x");
	assert_string_equal(row.parameters, "size=1");
	assert_string_equal(row.environment, "env");
	assert_string_equal(row.started, "2024-01-01T00:00:00Z");
	assert_string_equal(row.unit, "ns");
	assert_string_equal(row.per, "call");
	assert_string_equal(row.method, "slope");
	assert_string_equal(row.headline, "observed");
	assert_string_equal(row.status, "ok");
	assert_string_equal(row.label, "night");
	assert_string_equal(row.tool, "kbench 1+abc");
	assert_true(fabs(row.estimate.low - 2.97) < 1e-9 && fabs(row.estimate.high - 3.03) < 1e-9 && isnan(row.cycles.value) && isnan(row.ratio.low));
	assert_true(row.processes == 5 && row.n_max == 64 && row.sample_ns == 192 && row.cpu == 3 && row.position == 0);
	assert_int_equal(kb_store_next(query, &row), 1);
	assert_int_equal(kb_store_next(query, &row), 1);
	assert_string_equal(row.environment, "its-own");
	assert_string_equal(row.status, "noisy");
	assert_int_equal(kb_store_json(store, &row, &json), 0);
	assert_non_null(strstr(json, "its-own"));
	free(json);
	kb_store_done(query);
	kb_store_close(store);
	kb_store_done(NULL);
}

/* As the environment of the run states it, which may be anybody's text. */
static void boots(void **state)
{
	static const char *const envs[][2] = {
		{ "{\"readings\":{\"boot_id\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\"}}", "1b4e28ba-2fa1-41d2-883f-0016d3cca427" },
		{ "{\"readings\":{\"boot_id\":\"\\u001b[2J\"}}", "?[2J" }, { "{\"readings\":{\"boot_id\":[]}}", "" }, { "{}", "" }, { "{", "" },
	};
	struct kb_store *store = opened(((struct place *)*state)->path, KB_STORE_WRITE);
	struct kb_stored_result row;
	struct kb_query *query;
	char id[37];

	for (size_t i = 0; i < sizeof envs / sizeof *envs; i++) {
		snprintf(id, sizeof id, "01935a00-0000-7000-8000-%012zu", i);
		assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){ .id = id, .started = "2024-01-01T00:00:00Z", .finished = "", .label = "",
			.command = "", .env_class = "env", .env = envs[i][0], .settings = "{}" }), 0);
		assert_int_equal(put_value(store, id, "w", 0, 1), 0);
		assert_int_equal(kb_store_results(store, id, &query), 0);
		assert_int_equal(kb_store_next(query, &row), 1);
		assert_string_equal(row.boot, envs[i][1]);
		assert_false(row.damaged);
		kb_store_done(query);
	}
	kb_store_close(store);
}

/* Runs of two fleets, and one of none. */
static void fleets(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	struct kb_stored_result row;
	struct kb_query *query;
	char id[37];

	assert_int_equal(kb_store_find_fleet(store, "last", id), -ENOENT);
	assert_int_equal(add(store, ID_A, "2024-01-02T00:00:00Z", "env", "{\"fleet\":{\"id\":\"f-10\",\"node\":\"n2\"},\"ab\":{\"side\":\"b\"}}"), 0);
	assert_int_equal(add(store, ID_B, "2024-01-01T00:00:00Z", "env", "{\"fleet\":{\"id\":\"f-1\",\"node\":\"n1\"}}"), 0);
	assert_int_equal(add(store, ID_C, "2024-01-03T00:00:00Z", "other", "{}"), 0);
	assert_int_equal(put_value(store, ID_A, "x", 1, 2), 0);
	assert_int_equal(put_value(store, ID_A, "w", 0, 1), 0);
	assert_int_equal(put_value(store, ID_B, "x", 0, 3), 0);
	assert_int_equal(put_value(store, ID_C, "x", 0, 4), 0);
	assert_string_equal(ASK(kb_store_fleet, "f-10", NULL), "a:w=1 a:x=2 ");
	assert_string_equal(ASK(kb_store_fleet, NULL, "2024-01-02"), "a:w=1 a:x=2 c:x=4 ");
	assert_string_equal(ASK(kb_store_fleet, "f", NULL), "");
	assert_int_equal(kb_store_fleet(store, "f-10", NULL, &query), 0);
	assert_int_equal(kb_store_next(query, &row), 1);
	assert_string_equal(row.node, "n2");
	assert_string_equal(row.fleet, "f-10");
	assert_string_equal(row.run_environment, "env");
	assert_int_equal(row.side, 'b');
	kb_store_done(query);
	/* The one that came last, though its clock was behind. */
	assert_int_equal(kb_store_find_fleet(store, "last", id), 0);
	assert_string_equal(id, "f-1");
	assert_int_equal(kb_store_find_fleet(store, "last~1", id), 0);
	assert_string_equal(id, "f-10");
	assert_int_equal(kb_store_find_fleet(store, "f-1", id), 0);
	assert_string_equal(id, "f-1");
	assert_int_equal(kb_store_find_fleet(store, "f", id), -ENOTUNIQ);
	assert_int_equal(kb_store_find_fleet(store, "g", id), -ENOENT);
	kb_store_close(store);
}

/* "f-10=2024-01-01 " */
static int put_fleet(void *context, const struct kb_stored_fleet *fleet)
{
	char *text = context;

	snprintf(text + strlen(text), 200 - strlen(text), "%s=%.10s ", fleet->id, fleet->started);
	return strstr(text, "stop") ? 7 : 0;
}

/* By the newest run of each, or by its label; and the fleets that share a node. */
static void fleets_in_order(void **state)
{
	const struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	char id[37], text[200] = "";

	assert_int_equal(add(store, ID_A, "2024-01-01T00:00:00Z", "env", "{\"fleet\":{\"id\":\"late\",\"node\":\"n2\"}}"), 0);
	assert_int_equal(add(store, ID_B, "2024-01-02T00:00:00Z", "env", "{\"fleet\":{\"id\":\"early\",\"node\":\"n1\"}}"), 0);
	assert_int_equal(add(store, ID_C, "2024-01-03T00:00:00Z", "other", "{\"fleet\":{\"id\":\"late\",\"node\":\"n3\"},\"cpus\":[1]}"), 0);
	assert_int_equal(add(store, ID_D, "2024-01-03T00:00:00Z", "env", "{\"allocation\":{\"node\":\"n3\"}}"), 0);
	assert_int_equal(put_value(store, ID_A, "x", 1, 1), 0);
	assert_int_equal(put_value(store, ID_B, "x", 0, 2), 0);
	assert_int_equal(put_value(store, ID_C, "x", 0, 3), 0);
	assert_int_equal(put_value(store, ID_D, "x", 0, 4), 0);
	assert_int_equal(kb_store_each_fleet(store, NULL, put_fleet, text), 0);
	assert_string_equal(text, "late=2024-01-01 early=2024-01-02 ");
	text[0] = '\0';
	assert_int_equal(kb_store_each_fleet(store, "early", put_fleet, text), 0);
	assert_string_equal(text, "early=2024-01-02 ");
	snprintf(text, sizeof text, "stop ");
	assert_int_equal(kb_store_each_fleet(store, NULL, put_fleet, text), 7);
	assert_int_equal(kb_store_find_fleet(store, "last~1", id), 0);
	assert_string_equal(id, "early");
	assert_int_equal(kb_store_find_fleet(store, "last~2", id), -ENOENT);
	assert_int_equal(kb_store_find_fleet(store, "last~", id), -ENOENT);
	/* Of several runs of this label the newest one that is of a fleet. */
	assert_int_equal(kb_store_find_fleet(store, "night", id), 0);
	assert_string_equal(id, "late");
	assert_int_equal(kb_store_find_fleet(store, "", id), -ENOENT);
	assert_string_equal(ASK(kb_store_history_of, "x", "", (&(struct kb_series_filter){ .fleets = true }), KB_OLDEST_FIRST), "a:x=1 b:x=2 c:x=3 ");
	assert_string_equal(ASK(kb_store_history_of, "x", "", (&(struct kb_series_filter){ .node = "n3" }), KB_NEWEST_FIRST), "d:x=4 c:x=3 ");
	assert_string_equal(ASK(kb_store_history_of, "x", "", (&(struct kb_series_filter){ .node = "n3", .fleets = true }), KB_NEWEST_FIRST), "c:x=3 ");
	assert_string_equal(ASK(kb_store_history_of, "x", "", (&(struct kb_series_filter){ .since = "2024-01-02" }), KB_OLDEST_FIRST), "b:x=2 c:x=3 d:x=4 ");
	assert_string_equal(ASK(kb_store_history_of, "x", "", (&(struct kb_series_filter){ .environment = "other" }), KB_OLDEST_FIRST), "c:x=3 ");
	kb_store_close(store);
}

/* Each change alone makes the first result of A one that is told to be damaged, with the line that says what to do. */
static void changed_rows(void **state)
{
	static const char *const changes[] = {
		"UPDATE result SET value = value * 1.0000001", "UPDATE result SET low = NULL", "UPDATE result SET high = 'x'",
		"UPDATE result SET cycles = 1", "UPDATE result SET mean = 1", "UPDATE result SET clean = 0.5", "UPDATE result SET benchmark = 'y'", "UPDATE result SET parameters = 'size=3'",
		"UPDATE result SET environment = 'en'", "UPDATE result SET started = '2024'", "UPDATE result SET unit = 'cycles'",
		"UPDATE result SET status = 'noisy'", "UPDATE result SET processes = 6", "UPDATE result SET position = 7",
		"UPDATE result SET checksum = checksum + 1", "UPDATE result SET json_sum = json_sum + 1", "UPDATE result SET status = NULL",
		"UPDATE result SET n_max = 32", "UPDATE summary SET json = replace(json, '1.98', '1.99')", "UPDATE summary SET json = ''",
		"UPDATE summary SET json = NULL", "UPDATE result SET number = number + 1000000",
	};
	struct place *place = *state;
	unsigned refused_changes = 0;

	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct kb_store *store = three_runs(place);
		struct kb_stored_result row;
		struct kb_query *query;
		char *json = NULL;

		kb_store_close(store);
		if (server() && !tell_server(place->path, changes[i], NULL, 0)) {      /* which a server refuses by its types */
			remove_store(place);
			refused_changes++;
			continue;
		}
		if (server())
			;
		else if (!strstr(changes[i], "json = NULL"))  /* which SQLite itself refuses */
			change(place->path, changes[i]);
		else
			change(place->path, "UPDATE summary SET json = X'00'");
		store = opened(place->path, KB_STORE_READ);
		assert_int_equal(kb_store_results(store, ID_A, &query), 0);
		assert_int_equal(kb_store_next(query, &row), 1);
		if (kb_store_json(store, &row, &json) != -EUCLEAN)
			fail_msg("nobody noticed: %s", changes[i]);
		assert_null(json);
		assert_non_null(strstr(kb_store_error(store), "is damaged; 'kbench maintain " ID_A "'"));
		assert_true(row.damaged || strstr(changes[i], "summary"));
		kb_store_done(query);
		kb_store_close(store);
		remove_store(place);
	}
	assert_int_equal(refused_changes, server() ? 3 : 0);
}

/* What an older version writes behind our back is there, and told to be damaged. */
static void written_by_others(void **state)
{
	struct place *place = *state;
	struct kb_store *store;

	if (server())
		skip();
	kb_store_close(three_runs(place));
	change(place->path, "INSERT INTO summary (run, row, position, json) SELECT number, 'new p=1', 9, '{}' FROM run WHERE id = '" ID_A "';"
	       "UPDATE summary SET json = json WHERE row = 'x size=2'");
	store = opened(place->path, KB_STORE_WRITE);
	assert_string_equal(ASK(kb_store_results, ID_A), "a:x size=2=nan! a:x size=1=1 a:new p=1=nan! ");
	assert_string_equal(ASK(kb_store_history, "new", "p=1", NULL, KB_NEWEST_FIRST), "a:new p=1=nan! ");
	assert_int_equal(put_value(store, ID_A, "x size=2", 0, 2), 0);
	assert_int_equal(put_value(store, ID_A, "new p=1", 9, 4), 0);
	assert_string_equal(ASK(kb_store_results, ID_A), "a:x size=2=2 a:x size=1=1 a:new p=1=4 ");
	kb_store_close(store);
}

/* Without records there is nothing to make a result again from but its JSON, as long as that is what was stored. */
static void mended_without_records(void **state)
{
	struct place *place = *state;
	struct kb_store *store;
	struct kb_mended mended;
	struct kb_query *query;
	struct kb_stored_result row;

	if (server())
		skip();
	kb_store_close(three_runs(place));
	change(place->path, "UPDATE result SET value = 7, status = 'noisy' WHERE benchmark = 'x'");
	store = opened(place->path, KB_STORE_CHANGE);
	assert_string_equal(ASK(kb_store_results, ID_A), "a:x size=2=7! a:x size=1=7! ");
	assert_int_equal(kb_store_mend_run(store, ID_A, &mended), 0);
	assert_string_equal(ASK(kb_store_results, ID_A), "a:x size=2=2 a:x size=1=1 ");
	assert_int_equal(kb_store_results(store, ID_B, &query), 0);
	assert_int_equal(kb_store_next(query, &row), 1);
	assert_true(row.damaged);
	kb_store_done(query);
	kb_store_close(store);
	change(place->path, "UPDATE result SET value = 7; UPDATE summary SET json = replace(json, '2', '3')");
	store = opened(place->path, KB_STORE_CHANGE);
	assert_int_equal(kb_store_mend_run(store, ID_A, &mended), -EUCLEAN);
	assert_non_null(strstr(kb_store_error(store), "no records to make them again from; restore a copy of the file, or 'kbench runs remove " ID_A "'"));
	kb_store_close(store);
}

/* A run that gets a result while it is read is not taken for damaged. */
static void grows_while_read(void **state)
{
	struct place *place = *state;
	struct kb_store *store = three_runs(place), *other = opened(place->path, KB_STORE_WRITE);
	struct kb_stored_result row;
	struct kb_query *query;
	unsigned rows = 0;
	int found;

	assert_int_equal(kb_store_results(store, ID_A, &query), 0);
	while ((found = kb_store_next(query, &row)) > 0) {
		if (rows++ == 0)
			assert_int_equal(put_value(other, ID_A, "late", 9, 5), 0);
	}
	assert_int_equal(found, 0);
	assert_int_equal(rows, 2);
	kb_store_done(query);
	kb_store_close(other);
	kb_store_close(store);
}

/* JSON that is none is kept as it is, and shown as no number. */
static void unreadable(void **state)
{
	static const char *const texts[] = { "", "{", "{}", "[]", "{\"benchmark\":\"x\"}", "{\"benchmark\":\"x\",\"verdict\":{\"status\":\"fine\"}}",
		"{\"benchmark\":\"x\",\"estimate\":{\"value\":\"1\"},\"verdict\":{\"status\":\"ok\"}}" };
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	struct kb_stored_result row;
	struct kb_query *query;

	assert_int_equal(add_run(store, ID_A, "1", ""), 0);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_int_equal(kb_store_put_result(store, ID_A, "x", 0, texts[i]), 0);
		assert_int_equal(kb_store_results(store, ID_A, &query), 0);
		assert_int_equal(kb_store_next(query, &row), 1);
		assert_true(row.damaged);
		kb_store_done(query);
	}
	assert_int_equal(put_value(store, ID_A, "x", 0, 1), 0);
	assert_string_equal(ASK(kb_store_results, ID_A), "a:x=1 ");
	kb_store_close(store);
}

/* Names as they are printed, and settings that are no settings. */
static void hostile_texts(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	char name[2000], ids[1][37];
	unsigned count = 0;

	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = '\0';
	assert_int_equal(add(store, ID_A, "\x1b[1m", "e\x9b", "{\"cpus\":[\"3\"],\"tool\":[1],\"rows\":"), 0);
	assert_int_equal(add(store, ID_B, "2", "e", "{\"cpus\":3,\"tool\":{},\"ab\":null}"), 0);
	assert_int_equal(add(store, ID_C, "3", "e", "[]"), 0);
	assert_int_equal(put_value(store, ID_A, "a\xff \x1b[31m=\n", 0, 1), 0);
	assert_int_equal(put_value(store, ID_A, "x beside=spin", 1, 2), 0);
	assert_int_equal(put_value(store, ID_A, name, 2, 3), 0);
	assert_int_equal(put_value(store, ID_A, "", 3, 4), 0);
	assert_int_equal(kb_store_add_process(store, &(struct kb_stored_process){ ID_A, "a\xff \x1b[31m=\n", 1, "", "r", 1 }), 0);
	assert_int_equal(kb_store_add_process(store, &(struct kb_stored_process){ ID_A, "x beside=spin", 1, "", "r", 1 }), 0);
	assert_int_equal(kb_store_add_process(store, &(struct kb_stored_process){ ID_A, "x", 1, "", "r", 1 }), 0);
	name[63] = '\0';

	const char *got = ASK(kb_store_results, ID_A);

	assert_non_null(strstr(got, "a:a? ?[31m=?=1 a:x interference=spin=2 a:nnn"));
	assert_non_null(strstr(got, name));
	assert_non_null(strstr(got, "a:=4 "));
	/* Records are found by the name that is shown. */
	assert_int_equal(kb_store_each_process(store, ID_A, "a? ?[31m=?", count_process, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(kb_store_each_process(store, ID_A, "x interference=spin", count_process, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(kb_store_each_process(store, ID_A, "y", count_process, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(kb_store_recent_runs(store, "e", -1, ids, 1, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(ids[0], ID_C);
	kb_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(questions), TEST(long_series), TEST(boots), TEST(fleets), TEST(fleets_in_order), TEST(all_columns), TEST(changed_rows),
		TEST(written_by_others), TEST(unreadable), TEST(mended_without_records), TEST(grows_while_read), TEST(hostile_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
