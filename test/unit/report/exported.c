/* See exported.h. */
#include "unit/report/exported.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A record of the fixed rows: their process 1 (pipe) or 2 (add) counts. */
const char exported_record[] =
	"kbench-record 1\nbench x.y\nper call\nmethod slope seed=1 launch=1\nclock tsc hz=1000000000 quantum=1 cost=20\n"
	"o 10 1000 t=0 k=0 cpu=1\no 20 2100 t=1 k=0 cpu=1\no 10 9000 t=2 k=0 cpu=1 flags=gap\nq 1 120 t=3 k=0 cpu=1\n"
	"q 1 7000 t=4 k=0 cpu=1 flags=irq\no 10 1010 t=5 k=1 cpu=1\n";
const size_t exported_record_length = sizeof exported_record - 1;

const struct kb_export_format *format_of(const char *name)
{
	for (size_t i = 0; i < KB_EXPORT_FORMATS; i++) {
		if (strcmp(kb_export_formats[i]->name, name) == 0)
			return kb_export_formats[i];
	}
	fail_msg("no format %s", name);
	return NULL;
}

/* The whole export of these results as text, or NULL with *error. */
char *exported(const struct kb_export_format *format, const struct kb_result *results, size_t count, int *error)
{
	struct kb_process_text texts[] = { { 1, "", exported_record, exported_record_length }, { 2, "", exported_record, exported_record_length } };
	struct kb_exported rows[8];
	json_t *run = json_pack("{s:s, s:s}", "id", "run-1", "started", "2026-05-04T10:00:00Z");
	json_t *env = json_pack("{s:s, s:{s:s}}", "class", "0123456789abcdef", "facts", "cpu_model", "Some CPU");
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	for (size_t i = 0; i < count; i++)
		rows[i] = (struct kb_exported){ &results[i], texts, 2 };
	*error = kb_export_write(out, format, &(struct kb_export){ .run = run, .env = env, .rows = rows, .count = count });
	fclose(out);
	json_decref(run);
	json_decref(env);
	return text;
}

char *written(const char *name, const struct kb_result *result)
{
	int error;
	char *text = exported(format_of(name), result, 1, &error);

	assert_int_equal(error, 0);
	return text;
}

void contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%.2000s", part, text);
}

void lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' in:\n%.2000s", part, text);
}
