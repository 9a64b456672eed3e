/* See print.h. */
#include "cli/print.h"

#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/json.h"
#include "report/parallel.h"
#include "report/variants.h"

/* A pipe or a file has no width; the table then has one that fits a page. */
struct kb_look kb_look_here(bool notes)
{
	struct kb_look look = { .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0, .notes = notes };
	struct winsize size;

	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
		look.width = size.ws_col;
	return look;
}

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
	const char *class = json_string_value(json_object_get(env, "class"));

	printf("%.10s %.8s UTC, %s, kernel %s, class %s\n\n", started, strlen(started) > 11 ? started + 11 : "",
	       fact(env, "cpu_model"), fact(env, "kernel"), class ? class : "unknown");
}

void kb_print_results(const struct kb_result *const *results, size_t count, bool detail)
{
	struct kb_look look = kb_look_here(detail);

	kb_table_print(stdout, results, count, &look);
	for (size_t i = 0; detail && i < count; i++) {
		char name[KB_ROW_NAME];

		printf("\n%s\n", kb_row_name(name, results[i]));
		kb_detail_print(stdout, results[i], &look);
	}
	fputc('\n', stdout);
	kb_parallel_print(stdout, results, count, &look);
	kb_variants_print(stdout, results, count, &look);
	kb_table_count(stdout, results, count);
	printf("after %s: the wider half of the 95 %% interval\n", look.utf8 ? "\u00b1" : "+-");
}

void kb_print_json(json_t *json)
{
	if (!json)
		kb_no_memory(NULL);
	kb_json_print(stdout, json);
	json_decref(json);
}
