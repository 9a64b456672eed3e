/* What a kernel of seL4 kept: either object is left out where it kept nothing of the kind. */
#include "result/json/fields.h"

#define OF(kind, key, member) KB_JSON_FIELD(kind, key, kb_result_kept, member)
#define OF_ROW(kind, key, member) KB_JSON_FIELD(kind, key, kb_kept_row, member)

const struct kb_json_field kb_utilisation_fields[] = {
	{ OF(WHOLE, "tests", tests), .flags = KB_JSON_NEEDED },
	{ OF(REAL, "low", low) },
	{ OF(REAL, "high", high) },
	{ OF(REAL, "init", init) },
	{ OF(REAL, "idle", idle) },
	{ OF(REAL, "kernel", kernel) },
	{ 0 }
};

static const struct kb_json_field row_fields[] = {
	{ OF_ROW(TEXT, "name", name), .flags = KB_JSON_NEEDED },
	{ OF_ROW(WHOLE, "count", count) },
	{ OF_ROW(REAL, "total", total) },
	{ OF_ROW(REAL, "min", min) },
	{ OF_ROW(REAL, "median", median) },
	{ OF_ROW(REAL, "max", max) },
	{ 0 }
};

const struct kb_json_field kb_kernel_log_fields[] = {
	{ OF(WHOLE, "entries", entries), .flags = KB_JSON_NEEDED },
	{ OF(WHOLE, "lost", lost) },
	{ OF(WHOLE, "operations", operations) },
	{ OF(WHOLE, "tests", log_tests) },
	{ OF(TRUTH, "last", last) },
	{ .kind = KB_JSON_ARRAY, .key = "kinds", .at = offsetof(struct kb_result_kept, rows), .size = sizeof(struct kb_kept_row),
	  .inside = row_fields, .count_at = offsetof(struct kb_result_kept, row_count), .most = KB_KEPT_ROWS },
	{ 0 }
};
