/*
 * The environment of an imported run, from the `env` lines of its records. Only what names the machine makes its ID:
 * kernels and their configurations are what one wants to compare.
 */
#include "cli/import.h"

#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "import/import.h"
#include "result/json/json.h"

static const char *const machine_facts[] = { "arch", "machine", "board", "cpu", "cpu_vendor", "cpu_family", "cpu_model_number",
	"cpu_stepping", "microcode", "qemu", "accel", "os" };

/* Fields of `env` lines that belong to a launch, not to where it ran. */
static const char *const launch_facts[] = { "bytes_per_op", "checked", "base", "code", "granule", "first", "copies", "copy",
	"log_index", "log_room", "log_circles", "log_tests", "log_calls", "log_of", "log_raw", "util_tests", "util_low", "util_high", "util_init",
	"util_idle", "util_kernel", "util_total" };

static bool is_one_of(const char *key, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(key, list[i]) == 0)
			return true;
	}
	return false;
}

#define IS_ONE_OF(key, list) is_one_of(key, list, sizeof list / sizeof list[0])

static void add(const struct kb_import_request *request, struct kb_env *env, const char *key, const char *value)
{
	if (kb_env_add(env, key, value[0] ? value : "unknown", IS_ONE_OF(key, machine_facts)))
		kb_no_memory(request->command);
}

/* Two launches of one run may differ in much, but not in the kernel. */
static void check(const struct kb_import_request *request, const struct kb_env *env, const char *key, const char *value)
{
	const char *before = kb_env_get(env, key);

	if (before && strcmp(before, value) != 0 && (strcmp(key, "kernel") == 0 || strcmp(key, "config") == 0))
		kb_die(request->command, KB_EXIT_USAGE, "processes of two runs: %s is %.40s in one and %.40s in another; import "
		       "them one by one", key, before, value);
}

static void take_line(const struct kb_import_request *request, struct kb_env *env, struct kb_span rest)
{
	for (struct kb_span word = kb_span_word(&rest), key, value; word.length > 0; word = kb_span_word(&rest)) {
		char name[64], text[256];

		if (!kb_span_pair(word, &key, &value) || kb_span_unquote(value, text, sizeof text) < 0 ||
		    key.length >= sizeof name)
			continue;
		snprintf(name, sizeof name, "%.*s", (int)key.length, key.at);
		if (IS_ONE_OF(name, launch_facts) || strncmp(name, "reported_", 9) == 0)
			continue;
		check(request, env, name, text);
		add(request, env, name, text);
	}
}

static void take_record(const struct kb_import_request *request, struct kb_env *env, const struct kb_log_launch *launch)
{
	struct kb_record_reader reader;
	struct kb_line line;

	kb_record_open(&reader, launch->record, launch->length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind == KB_LINE_HEADER && kb_span_is(line.word, "env"))
			take_line(request, env, line.rest);
	}
}

/* A board's cycles and an emulator's instructions would make one number of one unit. */
static void check_clock(const struct kb_import_request *request, const struct kb_log_run *run, const struct kb_log_launch *launch)
{
	const struct kb_log_launch *first = run->launches;

	while (strcmp(first->row, launch->row) != 0)
		first++;

	struct kb_span a = kb_import_clock(first->record, first->length), b = kb_import_clock(launch->record, launch->length);

	if (a.length && b.length && (a.length != b.length || memcmp(a.at, b.at, a.length) != 0))
		kb_die(request->command, KB_EXIT_USAGE, "processes of two runs: %.80s has clock %.*s in one and %.*s in another; import "
		       "them one by one", launch->row, (int)a.length, a.at, (int)b.length, b.at);
}

/* What other programs measured on seL4 has no record of ours to say so. */
static const char *os_of(const struct kb_log_run *run)
{
	return run->count > 0 && strncmp(run->launches[0].row, "sel4", 4) == 0 ? "seL4" : NULL;
}

json_t *kb_import_env(const struct kb_import_request *request, const struct kb_log_run *run)
{
	const char *os = os_of(run);
	struct kb_env env = { 0 };

	if (os)
		add(request, &env, "os", os);
	for (size_t i = 0; i < run->count; i++) {
		check_clock(request, run, &run->launches[i]);
		take_record(request, &env, &run->launches[i]);
	}
	if (request->machine)
		add(request, &env, "machine", request->machine);

	json_t *json = kb_env_to_json(&env);

	kb_env_free(&env);
	if (!json)
		kb_no_memory(request->command);
	return json;
}
