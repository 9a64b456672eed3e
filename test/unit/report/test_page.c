/* The document of a page, and the page: what stands in it of results, records and reasons, and that no text of them ends its element. */
#include "unit/store/fixture.h"

#include <jansson.h>

#include "report/html/document.h"
#include "report/html/template.h"
#include "result/contention.h"
#include "result/json/json.h"
#include "unit/report/fixed.h"

#define ID "01965e7a-0000-7000-8000-000000000001"
#define HEAD "kbench-record 2\nbench ipc.pipe_latency\nper round-trip\nmethod slope seed=1 process=1 probe=100\nparam placement=same-cpu\n" \
	"clock tsc hz=1000000000 quantum=1 cost=20 ordered=1 ladder=1\nenv started_ms=1745338171393\n"

/* Forty samples; the last half between probes that a neighbour has made longer. */
static const char *make_text(void)
{
	static char text[8000];
	int used = snprintf(text, sizeof text, HEAD);

	for (unsigned i = 0; i < 40; i++)
		used += snprintf(text + used, sizeof text - (size_t)used, "o %u %u t=%u k=%u cpu=1 p=%s%s\np clock %u %u k=%u\n", 10 + i % 2 * 10,
				 1000 + i % 2 * 1000, i * 5000000, i / 2, i < 20 ? "1000,1000" : "1500,1500", i == 7 ? " flags=irq" : "",
				 i % 2 ? 40000 : 2000, i % 2 ? 40000 : 2000, i / 2);
	snprintf(text + used, sizeof text - (size_t)used, "b 10 40 t=205000000 k=20 cpu=1\nq 1 120 t=206000000 k=20 cpu=1\nq 1 110 t=207000000 k=20 cpu=1\n");
	return text;
}

/* What the element of `samples`, and of the time line, has of these processes. */
static json_t *samples_of(const struct kb_process_text *texts, size_t count, double k, json_t **timeline)
{
	struct kb_result result = fixed_pipe();
	struct kb_floor floor = { k, KB_FLOOR_SHIPPED };
	struct kb_page_counts counts = { 0 };
	json_t *samples = json_array(), *one;

	result.ticks_per_ns = 1;
	*timeline = json_array();
	assert_int_equal(kb_page_add_samples(&(struct kb_page_source){
		.result = &result, .position = 3, .texts = texts, .text_count = count, .floor = &floor, .started_ms = 1745338171000, .room = 1000,
	}, samples, *timeline, &counts), 0);
	assert_int_equal(json_array_size(samples), 1);
	one = json_incref(json_array_get(samples, 0));
	json_decref(samples);
	return one;
}

static const char *causes_of(const json_t *samples)
{
	return json_string_value(json_object_get(json_array_get(json_object_get(samples, "processes"), 0), "cause"));
}

static void one_process(void **state)
{
	const char *text = make_text();
	struct kb_process_text one = { 1, "", text, strlen(text) };
	struct kb_floor floor = { 10, KB_FLOOR_SHIPPED };
	struct kb_samples read;
	json_t *timeline, *samples = samples_of(&one, 1, 10, &timeline), *process = json_array_get(json_object_get(samples, "processes"), 0);
	const char *causes = causes_of(samples);

	(void)state;
	/* Sample by sample what analysis decides. */
	assert_int_equal(kb_samples_load(&read, &one), 0);
	kb_contention_flag(&read, &floor);
	assert_int_equal(strlen(causes), 40);
	for (size_t i = 0; i < 40; i++)
		assert_int_equal(causes[i], i == 7 ? '4' : read.op.flags[i] & KB_FLAG_CONTENDED ? '1' : '0');
	assert_int_equal(strspn(causes + 21, "1"), 19);
	kb_samples_free(&read);
	assert_true(json_is_true(json_object_get(process, "used")));
	assert_int_equal(json_integer_value(json_array_get(json_object_get(process, "t"), 2)), 10);     /* ms */
	assert_int_equal(json_integer_value(json_array_get(json_object_get(process, "y"), 39)), 2000);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(process, "single"), 0)), 110);
	assert_int_equal(json_integer_value(json_object_get(process, "single_all")), 2);
	assert_int_equal(json_array_size(json_object_get(json_object_get(process, "base"), "n")), 1);
	json_decref(samples);
	process = json_array_get(timeline, 0);
	assert_int_equal(json_integer_value(json_object_get(process, "result")), 3);
	assert_true(json_number_value(json_object_get(process, "start_s")) == 0.393);
	assert_string_equal(json_string_value(json_object_get(process, "outcome")), kb_record_state_words(KB_RECORD_OPEN));
	json_decref(timeline);
}

/* Nothing is called clean of which nobody knows; copies are told apart; what has no samples has no element. */
static void other_processes(void **state)
{
	const char *text = make_text();
	struct kb_process_text two[] = { { 1, "", text, strlen(text) }, { 2, "signal=11", "kbench-record 2\n", 16 }, { 0, "", text, strlen(text) } };
	json_t *timeline, *samples = samples_of(two, 3, 0, &timeline);

	(void)state;
	assert_int_equal(strspn(causes_of(samples), "24"), 40);
	assert_int_equal(json_array_size(json_object_get(samples, "processes")), 1);
	assert_int_equal(json_integer_value(json_object_get(samples, "processes_all")), 2);
	assert_int_equal(json_array_size(timeline), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(timeline, 1), "outcome")), "signal=11");
	assert_true(json_is_null(json_object_get(json_array_get(timeline, 1), "start_s")));
	json_decref(samples);
	json_decref(timeline);
	samples = samples_of(&two[1], 1, 10, &timeline);
	assert_true(json_is_null(samples));
	json_decref(samples);
	json_decref(timeline);
}

/* A stored run to its document. */
static void documented(void **state)
{
	const struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	struct kb_result result = fixed_pipe();
	const struct kb_result *list[] = { &result };
	json_t *run = json_pack("{s:s}", "id", ID), *env = json_object(), *json = json_array(), *document, *reason;
	struct kb_page_run one = { ID, run, env, json, list, 1 };
	struct kb_page page = { .tool = "kbench 0", .made = "2026-05-04T10:00:00Z", .runs = &one, .run_count = 1 };

	assert_int_equal(add_run(store, ID, "2026-05-04T10:00:00Z", "x"), 0);
	json_array_append_new(json, kb_result_to_json(&result));
	assert_int_equal(kb_page_document(&page, store, &document), 0);
	assert_string_equal(json_string_value(json_object_get(document, "schema")), KB_PAGE_SCHEMA);
	assert_true(json_is_null(json_object_get(document, "comparison")) && json_is_null(json_object_get(document, "floor")));
	run = json_array_get(json_object_get(document, "runs"), 0);
	assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(run, "results"), 0), "row")),
			    "ipc.pipe_latency placement=same-cpu");
	assert_true(json_is_null(json_array_get(json_object_get(run, "samples"), 0)));
	assert_int_equal(json_object_size(json_object_get(document, "reasons")), 2);
	reason = json_object_get(json_object_get(document, "reasons"), "contention");
	assert_string_equal(json_string_value(json_object_get(reason, "severity")), "cause");
	assert_non_null(strstr(json_string_value(json_object_get(reason, "text")), "another hardware thread"));
	/* The elements themselves stay as they were. */
	assert_null(json_object_get(json_array_get(json, 0), "row"));
	json_decref(document);
	json_decref(one.run);
	json_decref(env);
	json_decref(json);
	kb_store_close(store);
}

static void every_code_has_its_words(void **state)
{
	(void)state;
	for (unsigned code = 0; code < KB_CODE_COUNT; code++) {
		const struct kb_page_reason *reason = kb_page_reasons;

		while (reason->code && strcmp(reason->code, kb_code_name((enum kb_reason_code)code)) != 0)
			reason++;
		if (!reason->code || !reason->text[0])
			fail_msg("no words for %s", kb_code_name((enum kb_reason_code)code));
	}
}

static void escaped(void **state)
{
	static const char hostile[] = "</script><img src=x onerror=alert(1)>&\u2028\u2029\u202e\"\n";
	json_t *document = json_pack("{s:s}", "label", hostile), *read;
	char *text, *end;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	assert_int_equal(kb_page_print(out, "A@KBENCH_DATA@Z", document), 0);
	fclose(out);
	assert_int_equal(text[0], 'A');
	assert_string_equal(end = text + length - 1, "Z");
	*end = '\0';
	assert_null(strpbrk(text, "<>&\n"));
	assert_null(strstr(text, "\xe2\x80"));
	read = json_loads(text + 1, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(read, "label")), hostile);
	json_decref(read);
	free(text);
	out = open_memstream(&text, &length);
	assert_int_equal(kb_page_print(out, "without", document), -EINVAL);
	fclose(out);
	assert_int_equal(length, 0);
	free(text);
	json_decref(document);
	assert_non_null(strstr(kb_page_template, "<script type=\"application/json\" id=\"data\">@KBENCH_DATA@</script>"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_process), cmocka_unit_test(other_processes),
		cmocka_unit_test_setup_teardown(documented, make_place, remove_place), cmocka_unit_test(every_code_has_its_words),
		cmocka_unit_test(escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
