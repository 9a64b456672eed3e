/* See export_format.h. */
#include "cli/export_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/files.h"
#include "store/document.h"

int kb_read_export_format(const char *name, void *place, struct kb_failure *failure)
{
	struct kb_nearest nearest = { .typed = name };

	for (size_t i = 0; i < KB_EXPORT_FORMATS; i++) {
		if (strcmp(kb_export_formats[i]->name, name) == 0) {
			*(const struct kb_export_format **)place = kb_export_formats[i];
			return 0;
		}
		kb_nearest_offer(&nearest, kb_export_formats[i]->name);
	}
	return kb_refuse_typed(failure, "no format '%.40s'%s%s%s", name, nearest.best ? ", did you mean " : "", nearest.best ?: "",
			       nearest.best ? "?" : "");
}

void kb_check_export_format(const struct kb_command *command, const struct kb_export_format *format)
{
	if (format && format->records)
		kb_usage(command, "%s needs the stored records: 'kbench export --format %s' after the run", format->name, format->name);
}

void kb_print_as(const struct kb_command *command, const struct kb_export_format *format, const struct kb_stored_run *run, const json_t *env,
		 const struct kb_result *const *results, size_t count)
{
	struct kb_exported *rows = kb_need_memory(command, calloc(count + 1, sizeof *rows));
	json_t *object = kb_stored_run_to_json(run);
	struct kb_export all = { .run = object, .env = env, .rows = rows, .count = count };
	struct kb_output output;
	int error;

	for (size_t i = 0; i < count; i++)
		rows[i].result = results[i];
	error = kb_export_write(kb_output_begin(command, &output), format, &all);
	if (error)
		kb_die(command, KB_EXIT_USAGE, "nothing measured can be printed as %s: %s", format->name,
		       error == -ENODATA && count > 0 ? format->refuses(&rows[0]) : strerror(-error));
	kb_output_put(command, NULL, &output);
	json_decref(object);
	free(rows);
}
