/* See print.h. */
#include "cli/print.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "report/text/comparison.h"
#include "report/text/reasons.h"
#include "report/text/table.h"
#include "result/json/json.h"

/* A run from another machine, or of an older version, may lack a fact. */
static const char *fact(const json_t *env, const char *key)
{
	const char *value = json_string_value(json_object_get(json_object_get(env, "facts"), key));

	/* An imported run has its kernel among the readings: it does not make its class. */
	if (!value)
		value = json_string_value(json_object_get(json_object_get(env, "readings"), key));
	return value ? value : "unknown";
}

void kb_print_heading(const char *started, const json_t *env)
{
	const char *id = kb_json_env_id(env);

	printf("%.10s %.8s UTC, %s, kernel %s, environment ID %s\n\n", started, strlen(started) > 11 ? started + 11 : "",
	       fact(env, "cpu_model"), fact(env, "kernel"), id ? id : "unknown");
}

/* Seconds since 1970 of "2026-05-04T10:00:00Z"; -1 of anything else. */
static double seconds_of(const char *stamp)
{
	struct tm fields = { 0 };

	if (!stamp || sscanf(stamp, "%4d-%2d-%2dT%2d:%2d:%2d", &fields.tm_year, &fields.tm_mon, &fields.tm_mday, &fields.tm_hour,
			     &fields.tm_min, &fields.tm_sec) != 6)
		return -1;
	fields.tm_year -= 1900;
	fields.tm_mon--;
	return (double)timegm(&fields);
}

struct kb_heading kb_heading_of(const char *title, const json_t *env, const char *started, const char *finished)
{
	double from = seconds_of(started), to = seconds_of(finished);

	return (struct kb_heading){ .title = title, .cpu = fact(env, "cpu_model"), .hypervisor = fact(env, "hypervisor"),
				    .cpus = fact(env, "cpus"), .kernel = fact(env, "kernel"), .seconds = from >= 0 && to > from ? to - from : 0 };
}

void kb_print_results(const struct kb_heading *heading, const struct kb_result *const *results, size_t count,
		      const struct kb_print_how *how)
{
	struct kb_style style = kb_style_here(how->detail);
	char name[KB_ROW_NAME];
	bool virtual = heading && strcmp(heading->hypervisor, "unknown") != 0 && strcmp(heading->hypervisor, "none") != 0;

	style.unit = how->unit;
	style.width = style.width ? style.width : KB_WIDTH_USUAL;
	if (heading)
		kb_table_heading(stdout, heading, count, &style);
	kb_table_print(stdout, results, count, virtual, &style);
	for (size_t i = 0; how->detail && i < count; i++) {
		printf("\n%s\n", kb_row_name(name, results[i]));
		/* One result is printed with its reasons already. */
		if (count > 1)
			kb_print_reasons(stdout, &style, &results[i]->verdict);
		kb_detail_print(stdout, results[i], &style);
	}
	if (how->detail)
		putchar('\n');
	kb_parallel_print(stdout, results, count, &style);
	kb_variants_print(stdout, results, count, &style);
	kb_table_count(stdout, results, count, &style);
}

const char *kb_print_example(const struct kb_result *const *results, size_t count)
{
	const struct kb_result *worst = results[0];

	for (size_t i = 0; i < count; i++) {
		if (results[i]->verdict.status != KB_SKIPPED && results[i]->verdict.status > worst->verdict.status)
			worst = results[i];
	}
	return worst->benchmark;
}

struct kb_shown kb_shown(const char *text)
{
	struct kb_shown shown;

	kb_visible_copy(shown.text, sizeof shown.text, text);
	return shown;
}

void kb_print_lines(FILE *out, const char *text, size_t length)
{
	struct kb_span rest = { text, length };

	while (rest.length > 0) {
		struct kb_character c = kb_character_at(rest);
		bool returned = c.code == '\r' && rest.length > 1 && (rest.at[1] == '\n' || rest.at[1] == '\r');

		if (c.visible || c.code == '\n' || c.code == '\t')
			fwrite(rest.at, 1, c.length, out);
		else if (!returned)
			fputc('?', out);
		rest = (struct kb_span){ rest.at + c.length, rest.length - c.length };
	}
}

void kb_print_json(json_t *json)
{
	if (!json)
		kb_no_memory(NULL);
	kb_json_print(stdout, json);
	json_decref(json);
}
