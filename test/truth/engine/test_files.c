/*
 * T-FILE: what was written once can be read for ever. The files of every version ever released (test/data/record-N and result-N)
 * import; what is printed comes back as it was; a record that ends early is told from a whole one.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "evidence/evidence.h"
#include "result/json/json.h"
#include "result/summary/summary.h"
#include "run/run.h"
#include "truth/truth.h"

#define CASES 1000
#define VERSIONS_MAX 100

/* ---- files of all versions ----------------------------------------------------------------------- */

static char *load(const char *path, size_t *length)
{
	FILE *file = fopen(path, "r");
	char *text = malloc(1 << 20);

	if (!file || !text)
		fail_msg("cannot read %s", path);
	*length = fread(text, 1, (1 << 20) - 1, file);
	text[*length] = '\0';
	fclose(file);
	return text;
}

/* A record gives observations and a result, or says that it failed. */
static void read_record(const char *path)
{
	struct kb_process_text text = { .process = 1, .outcome = "" };
	char *bytes = load(path, &text.length);
	struct kb_samples samples = { 0 };
	static struct kb_result result;

	text.record = bytes;
	assert_int_equal(kb_samples_load(&samples, &text), 0);
	if (samples.state != KB_RECORD_WHOLE && samples.state != KB_RECORD_FAILED)
		fail_msg("%s: %s", path, kb_record_state_words(samples.state));
	assert_true(samples.bench[0] != '\0');
	assert_true((samples.op.count > 0) == (samples.state == KB_RECORD_WHOLE));
	kb_summarise(&text, 1, &(struct kb_summary_rules){ .planned = 1, .precision = 0.01 }, &result);
	assert_string_equal(result.benchmark, samples.bench);
	/* One process of a few blocks may say too little for a number; one that failed says nothing. */
	assert_true(!result.estimate.known || samples.state == KB_RECORD_WHOLE);
	assert_false(kb_verdict_has(&result.verdict, KB_CODE_record_truncated));
	kb_samples_free(&samples);
	free(bytes);
}

/* Members may be added to what a version printed; none may be lost or changed, but for operations that were renamed. */
static void contains(const char *path, const char *name, json_t *printed, json_t *file)
{
	char per[KB_OPERATION_NAME];
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_object(file) && json_is_object(printed)) {
		json_object_foreach(file, key, value)
			contains(path, key, json_object_get(printed, key), value);
	} else if (json_is_array(file) && json_array_size(file) == json_array_size(printed)) {
		json_array_foreach(file, i, value)
			contains(path, name, json_array_get(printed, i), value);
	} else if (printed && !strcmp(name, "per")) {
		kb_rename_operation(strcpy(per, json_string_value(file)));
		assert_string_equal(json_string_value(printed), per);
	} else if (!printed || !json_equal(printed, file)) {
		fail_msg("%s: '%s' is not what it was", path, name);
	}
}

static void read_result(const char *path)
{
	size_t length, i;
	char *bytes = load(path, &length);
	json_t *document = json_loads(bytes, 0, NULL), *element;
	static struct kb_result result;

	assert_non_null(document);
	assert_true(json_array_size(json_object_get(document, "results")) > 0);
	json_array_foreach(json_object_get(document, "results"), i, element) {
		bool first = !json_object_get(element, "headline"); /* version 1, which is printed as it was stored */

		if (kb_result_from_json(&result, element) || first != (result.headline == KB_HEADLINE_TYPICAL))
			fail_msg("%s: results[%zu] is refused", path, i);
		json_t *printed = kb_result_to_json(&result);
		contains(path, "results", printed, first ? printed : element);
		json_decref(printed);
	}
	json_decref(document);
	free(bytes);
}

/* Every file of test/data/KIND-VERSION. */
static unsigned read_directory(const char *kind, unsigned version, void (*read)(const char *path))
{
	const char *source = getenv("KB_SRC");
	char path[PATH_MAX];
	struct dirent *entry;
	unsigned files = 0;
	DIR *directory;

	snprintf(path, sizeof path, "%s/test/data/%s-%u", source ? source : ".", kind, version);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		char file[PATH_MAX + 300];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
		read(file);
		files++;
	}
	if (directory)
		closedir(directory);
	return files;
}

static void every_version_imports(void **state)
{
	unsigned records = 0, results = 0;

	(void)state;
	for (unsigned version = 1; version <= KB_RECORD_VERSION; version++) {
		unsigned files = read_directory("record", version, read_record);

		if (files == 0)
			fail_msg("no record of version %u in test/data; KB_SRC names the sources", version);
		records += files;
	}
	for (unsigned version = 1; version < VERSIONS_MAX; version++)
		results += read_directory("result", version, read_result);
	truth_at_least("T-FILE", "records of released versions that import", 3, records);
	truth_at_least("T-FILE", "result files of released versions that import", 2, results);
}

/* ---- random records ------------------------------------------------------------------------------ */

struct text { char bytes[1 << 16]; size_t length; };

static int take(void *context, const char *bytes, size_t count)
{
	struct text *text = context;

	assert_true(text->length + count < sizeof text->bytes);
	memcpy(text->bytes + text->length, bytes, count);
	text->length += count;
	return 0;
}

/* Small numbers, and all sizes up to 64 bits. */
static uint64_t any(struct kb_rng *rng)
{
	return kb_rng_next(rng) >> kb_rng_below(rng, 64);
}

/* Printable text without what a header line takes apart. */
static void any_word(struct kb_rng *rng, char *word, size_t room)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
	size_t length = 1 + kb_rng_below(rng, room - 1);

	for (size_t i = 0; i < length; i++)
		word[i] = letters[kb_rng_below(rng, sizeof letters - 1)];
	word[length] = '\0';
}

static struct kb_obs any_obs(struct kb_rng *rng)
{
	static const enum kb_role roles[] = { KB_ROLE_OP, KB_ROLE_BASE, KB_ROLE_SINGLE, KB_ROLE_CLOCK };
	enum kb_role role = roles[kb_rng_below(rng, 4)];

	return (struct kb_obs){
		.role = role, .n = role == KB_ROLE_CLOCK ? 0 : role == KB_ROLE_SINGLE ? 1 : 1 + (any(rng) >> 1),
		.ticks = any(rng), .t = any(rng), .block = any(rng) >> 32, .cpu = (unsigned)(any(rng) >> 33),
		.flags = (unsigned)kb_rng_below(rng, 1u << KB_FLAGS),
	};
}

static void print_line(struct kb_record_writer *out, const struct kb_line *line)
{
	char word[64], rest[KB_RECORD_LINE_MAX];

	switch (line->kind) {
	case KB_LINE_OBS: kb_record_obs(out, &line->obs); break;
	case KB_LINE_PROBE: kb_record_probe(out, &line->probe); break;
	case KB_LINE_EVIDENCE: kb_record_evidence(out, &line->evidence); break;
	case KB_LINE_FAIL: kb_record_fail(out, line->fail.stage, line->fail.error, line->fail.detail); break;
	case KB_LINE_HEADER:
		snprintf(word, sizeof word, "%.*s", (int)line->word.length, line->word.at);
		snprintf(rest, sizeof rest, "%.*s", (int)line->rest.length, line->rest.at);
		kb_record_line(out, word, rest);
		break;
	case KB_LINE_BLOCK:
		snprintf(rest, sizeof rest, "%llu %.*s", (unsigned long long)line->block.index,
		         (int)line->block.rest.length, line->block.rest.at);
		kb_record_line(out, "k", rest);
		break;
	default: break;
	}
}

static void any_header(struct kb_rng *rng, struct kb_record_writer *out)
{
	static const char *const words[] = { "bench", "per", "method", "param", "clock", "env", "note", "module" };
	char word[20], rest[128];

	any_word(rng, word, sizeof word);
	snprintf(rest, sizeof rest, "%s key=%llu text=\"a \\\"b\\\" %s\"", word, (unsigned long long)any(rng), word);
	kb_record_line(out, words[kb_rng_below(rng, 8)], rest);
}

static void any_line(struct kb_rng *rng, struct kb_record_writer *out)
{
	struct kb_line line = { .kind = KB_LINE_OBS };
	char rest[64];

	switch (kb_rng_below(rng, 8)) {
	case 0: any_header(rng, out); return;
	case 1:
		snprintf(rest, sizeof rest, "%llu steal=%llu irq=3", (unsigned long long)any(rng), (unsigned long long)any(rng));
		kb_record_line(out, "k", rest);
		return;
	case 2:
		line.kind = KB_LINE_PROBE;
		any_word(rng, line.probe.name, sizeof line.probe.name);
		line.probe.n = any(rng);
		line.probe.ticks = any(rng);
		line.probe.block = any(rng);
		break;
	case 3:
		line.kind = KB_LINE_EVIDENCE;
		any_word(rng, line.evidence.counter, sizeof line.evidence.counter);
		strcpy(line.evidence.who, "self");
		line.evidence.base = kb_rng_below(rng, 2);
		line.evidence.count = any(rng);
		line.evidence.operations = any(rng);
		line.evidence.samples = any(rng);
		break;
	default: line.obs = any_obs(rng);
	}
	print_line(out, &line);
}

static void any_record(struct kb_rng *rng, struct text *text, bool fails)
{
	struct kb_record_writer out;

	text->length = 0;
	kb_record_begin(&out, (struct kb_sink){ take, text });
	kb_record_line(&out, "bench", "some.row");
	for (uint64_t i = kb_rng_below(rng, 40); i > 0; i--)
		any_line(rng, &out);
	if (fails)
		kb_record_fail(&out, "op", (int)kb_rng_below(rng, 134), "a \"quoted\" reason\twith \\ and \x01");
	else
		assert_int_equal(kb_record_end(&out), 0);
}

/* Reads it and prints what was read. */
static enum kb_record_state copy(const struct text *from, struct text *to)
{
	struct kb_record_reader reader;
	struct kb_record_writer out;
	struct kb_line line;

	to->length = 0;
	kb_record_open(&reader, from->bytes, from->length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind == KB_LINE_BEGIN)
			kb_record_begin(&out, (struct kb_sink){ take, to });
		else if (line.kind == KB_LINE_END)
			assert_int_equal(kb_record_end(&out), 0);
		else
			print_line(&out, &line);
	}
	return reader.state;
}

static void records_come_back(void **state)
{
	static struct text text, again;
	unsigned same = 0;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 1);
	for (unsigned i = 0; i < CASES; i++) {
		enum kb_record_state got;

		any_record(&rng, &text, i % 5 == 0);
		got = copy(&text, &again);
		assert_int_equal(got, i % 5 == 0 ? KB_RECORD_FAILED : KB_RECORD_WHOLE);
		same += text.length == again.length && !memcmp(text.bytes, again.bytes, text.length);
	}
	truth_row("T-FILE", "random records, printed as they were read", CASES, 0, same);
}

/* Cut anywhere before its last byte but the newline, a record is no whole one, and the result says so. */
static void cut_records_are_truncated(void **state)
{
	static struct kb_result result;
	static struct text text;
	unsigned told = 0;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 2);
	for (unsigned i = 0; i < CASES; i++) {
		struct kb_process_text cut = { .process = 1, .outcome = "", .record = text.bytes };

		any_record(&rng, &text, false);
		cut.length = kb_rng_below(&rng, text.length - 1);
		kb_summarise(&cut, 1, &(struct kb_summary_rules){ .planned = 1, .precision = 0.01 }, &result);
		told += kb_verdict_has(&result.verdict, KB_CODE_record_truncated) && result.verdict.status == KB_INVALID;
	}
	truth_row("T-FILE", "records cut anywhere: record_truncated and invalid", CASES, 0, told);
}

/* ---- random results ------------------------------------------------------------------------------ */

/* Of any size, and with digits that need all of a double. */
static double real(struct kb_rng *rng)
{
	return ((double)kb_rng_next(rng) - 0x1p63) * exp2((double)kb_rng_below(rng, 120) - 120);
}

static struct kb_estimate any_estimate(struct kb_rng *rng)
{
	struct kb_estimate e = { .known = kb_rng_below(rng, 4) > 0 };

	e.bounded = e.known && kb_rng_below(rng, 4) > 0;
	if (e.known)
		e.value = real(rng);
	if (e.bounded) {
		e.low = e.value - fabs(real(rng));
		e.high = e.value + fabs(real(rng));
	}
	return e;
}

static uint64_t whole(struct kb_rng *rng)
{
	return any(rng) & KB_JSON_WHOLE_MAX;
}

static void any_lists(struct kb_rng *rng, struct kb_result *r)
{
	for (unsigned i = 0; i < KB_FLAGS; i++)
		r->flags[i] = whole(rng);
	r->process_cost_count = (unsigned)kb_rng_below(rng, 8);
	for (unsigned i = 0; i < r->process_cost_count; i++)
		r->process_costs[i] = (struct kb_process_cost){
			.process = i + 1, .cost = real(rng), .cycles = r->bound == KB_LATENCY ? fabs(real(rng)) : 0, .used = whole(rng),
		};
	r->evidence_count = (unsigned)kb_rng_below(rng, KB_EXPECT_MAX);
	for (unsigned i = 0; i < r->evidence_count; i++) {
		struct kb_finding_evidence *e = &r->evidence[i];

		*e = (struct kb_finding_evidence){ .expected = real(rng), .tolerance = real(rng), .known = kb_rng_below(rng, 2) };
		any_word(rng, e->counter, sizeof e->counter);
		strcpy(e->who, "self");
		if (e->known) {
			e->per_op = real(rng);
			e->ok = kb_rng_below(rng, 2);
		}
	}
	for (uint64_t i = kb_rng_below(rng, 6); i > 0; i--) {
		char word[40];

		any_word(rng, word, sizeof word);
		kb_verdict_add(&r->verdict, (enum kb_reason_code)kb_rng_below(rng, KB_CODE_COUNT), "%s \"quoted\" \\ \xc3\xa9", word);
	}
}

static void any_result(struct kb_rng *rng, struct kb_result *r)
{
	struct kb_estimate *const estimates[] = {
		&r->estimate, &r->observed, &r->mean, &r->fixed, &r->core_mhz, &r->estimate_cycles, &r->observed_cycles,
	};
	char word[40];

	memset(r, 0, sizeof *r);
	any_word(rng, r->benchmark, sizeof r->benchmark);
	any_word(rng, word, sizeof word);
	snprintf(r->params, sizeof r->params, "op=%s size=64K", word);
	any_word(rng, r->per, sizeof r->per);
	r->method = kb_rng_below(rng, 2) ? KB_METHOD_SLOPE : KB_METHOD_SINGLE;
	strcpy(r->clock, "tsc");
	r->bound = kb_rng_below(rng, 2) ? KB_LATENCY : KB_MEMORY;
	r->bytes_per_op = whole(rng);
	r->ticks_per_ns = fabs(real(rng));
	for (unsigned i = 0; i < sizeof estimates / sizeof *estimates; i++)
		*estimates[i] = any_estimate(rng);
	for (unsigned i = 0; i < KB_QUANTILES; i++)
		r->quantile[i] = any_estimate(rng);
	r->processes = (unsigned)kb_rng_below(rng, 100);
	r->processes_planned = (unsigned)kb_rng_below(rng, 100);
	r->processes_contended = (unsigned)kb_rng_below(rng, 100);
	r->processes_failed = (unsigned)kb_rng_below(rng, 100);
	r->observations = whole(rng);
	r->disturbed = whole(rng);
	r->n_eff = fabs(real(rng));
	r->n_min = whole(rng);
	r->n_max = whole(rng);
	any_lists(rng, r);
}

/* Reals are printed with 12 digits. */
static bool same_real(double a, double b)
{
	return fabs(a - b) <= 1e-11 * fabs(a);
}

static bool same_estimate(struct kb_estimate a, struct kb_estimate b)
{
	return a.known == b.known && a.bounded == b.bounded && same_real(a.value, b.value) && same_real(a.low, b.low) &&
	       same_real(a.high, b.high);
}

/* What scripts and comparisons live on, to the last digit; all the rest by the text that it prints. */
static bool same_result(const struct kb_result *a, const struct kb_result *b)
{
	bool same = same_estimate(a->estimate, b->estimate) && same_estimate(a->observed, b->observed) &&
	            same_estimate(a->mean, b->mean) && !strcmp(a->benchmark, b->benchmark) && !strcmp(a->params, b->params) &&
	            a->observations == b->observations && a->process_cost_count == b->process_cost_count &&
	            a->verdict.status == b->verdict.status && a->verdict.count == b->verdict.count &&
	            a->evidence_count == b->evidence_count;

	for (unsigned i = 0; same && i < a->process_cost_count; i++)
		same = same_real(a->process_costs[i].cost, b->process_costs[i].cost) &&
		       same_real(a->process_costs[i].cycles, b->process_costs[i].cycles);
	for (unsigned i = 0; same && i < a->verdict.count; i++)
		same = a->verdict.reasons[i].code == b->verdict.reasons[i].code &&
		       !strcmp(a->verdict.reasons[i].detail, b->verdict.reasons[i].detail);
	return same;
}

/* But for the quality, which follows from the headline before it was rounded. */
static char *print(const struct kb_result *result)
{
	json_t *json = kb_result_to_json(result);

	json_object_del(json_object_get(json, "verdict"), "quality");
	char *text = kb_json_text(json);

	assert_non_null(text);
	json_decref(json);
	return text;
}

static void results_come_back(void **state)
{
	static struct kb_result result, again;
	unsigned same_numbers = 0, same_text = 0;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 3);
	for (unsigned i = 0; i < CASES; i++) {
		any_result(&rng, &result);

		char *text = print(&result), *second;
		json_t *json = json_loads(text, 0, NULL);

		assert_int_equal(kb_result_from_json(&again, json), 0);
		second = print(&again);
		same_numbers += same_result(&result, &again);
		same_text += !strcmp(text, second);
		json_decref(json);
		free(text);
		free(second);
	}
	truth_row("T-FILE", "random results, text printed again", CASES, 0, same_text);
	truth_row("T-FILE", "random results, read as they were", CASES, 0, same_numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_version_imports), cmocka_unit_test(records_come_back),
		cmocka_unit_test(cut_records_are_truncated), cmocka_unit_test(results_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
