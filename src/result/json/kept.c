/* What a kernel of seL4 kept: both objects are there only where it kept something. */
#include "result/json/fields.h"
#include "result/json/json.h"

#include <stdio.h>

static json_t *write_row(const struct kb_kept_row *row)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", kb_json_string(row->name), "count", kb_json_whole(row->count), "total",
			 kb_json_real(row->total), "min", kb_json_real(row->min), "median", kb_json_real(row->median), "max", kb_json_real(row->max));
}

static json_t *write_log(const struct kb_result_kept *kept)
{
	json_t *kinds = json_array();

	for (unsigned i = 0; i < kept->row_count; i++)
		json_array_append_new(kinds, write_row(&kept->rows[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o}", "entries", kb_json_whole(kept->entries), "lost", kb_json_whole(kept->lost), "operations",
			 kb_json_whole(kept->operations), "tests", kb_json_whole(kept->log_tests), "last", kept->last, "kinds", kinds);
}

json_t *kb_json_write_kept(const void *from)
{
	const struct kb_result_kept *kept = &((const struct kb_result *)from)->kept;
	json_t *both = json_object();

	if (kept->tests > 0)
		json_object_set_new(both, "utilisation", json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "tests", kb_json_whole(kept->tests),
			"low", kb_json_real(kept->low), "high", kb_json_real(kept->high), "init", kb_json_real(kept->init), "idle",
			kb_json_real(kept->idle), "kernel", kb_json_real(kept->kernel)));
	if (kept->entries > 0)
		json_object_set_new(both, "kernel_log", write_log(kept));
	return both;
}

static uint64_t whole(const json_t *object, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(object, key));

	return value > 0 ? (uint64_t)value : 0;
}

static double real(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void read_log(const json_t *log, struct kb_result_kept *kept)
{
	const json_t *row;
	size_t i;

	kept->entries = whole(log, "entries");
	kept->lost = whole(log, "lost");
	kept->operations = whole(log, "operations");
	kept->log_tests = whole(log, "tests");
	kept->last = json_is_true(json_object_get(log, "last"));
	json_array_foreach(json_object_get(log, "kinds"), i, row) {
		const char *name = json_string_value(json_object_get(row, "name"));

		if (kept->row_count == KB_KEPT_ROWS)
			break;
		struct kb_kept_row *to = &kept->rows[kept->row_count++];

		snprintf(to->name, sizeof to->name, "%s", name ? name : "?");
		to->count = whole(row, "count");
		to->total = real(row, "total");
		to->min = real(row, "min");
		to->median = real(row, "median");
		to->max = real(row, "max");
	}
}

void kb_json_read_kept(struct kb_json_reader reader, void *to)
{
	struct kb_result_kept *kept = &((struct kb_result *)to)->kept;
	const json_t *use = json_object_get(reader.object, "utilisation");

	*kept = (struct kb_result_kept){
		.tests = whole(use, "tests"), .low = real(use, "low"), .high = real(use, "high"), .init = real(use, "init"),
		.idle = real(use, "idle"), .kernel = real(use, "kernel"),
	};
	read_log(json_object_get(reader.object, "kernel_log"), kept);
}
