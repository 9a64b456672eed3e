/* Tables of the KBench application as records of method kanata: what it knows, and no more. */
#include <errno.h>

#include "import/console.h"
#include "import/inside.h"

/* Groups one after the other, as they were measured: the table has a column for each. */
static void put_cells(struct kb_record_writer *record, const struct kb_console_table *table)
{
	for (uint64_t g = 0; g < table->groups; g++) {
		for (size_t s = 0; s < table->rows; s++) {
			struct kb_obs obs = {
				.role = KB_ROLE_OP, .n = table->initial + g * table->delta,
				.ticks = table->cells[s * table->groups + g], .block = g,
			};

			kb_record_obs(record, &obs);
		}
	}
}

static int take(struct kb_log_reader *reader, const struct kb_console_table *table)
{
	struct kb_log_run *run = kb_log_run(reader->log, "", "");
	const char *bench = reader->wishes->bench ? reader->wishes->bench : "sel4.signal", *why = NULL;
	char text[160], trouble[160];
	struct kb_log_writer writer;

	if (!run || kb_log_begin(&writer, reader, run, bench, "", "circle", "kanata"))
		return -ENOMEM;
	writer.launch.line = table->line;
	snprintf(text, sizeof text, "imported=kanata group_size=%llu groups=%llu", (unsigned long long)table->tests,
		 (unsigned long long)table->groups);
	kb_record_line(&writer.record, "env", text);
	put_cells(&writer.record, table);
	if (table->cut[0])
		why = table->cut;
	else if (!table->done)
		why = "the log ends without 'Done!'";
	snprintf(trouble, sizeof trouble, "line %u: %s", table->end, why ? why : "");
	return kb_log_end(&writer, why ? trouble : NULL);
}

int kb_log_kanata(struct kb_log_reader *reader)
{
	struct kb_console_table table;
	unsigned tables = 0;
	int result;

	do {
		result = kb_console_next(&reader->parse, &table);
		if (result == 1)
			result = take(reader, &table) ?: 1;
		tables += result == 1;
		kb_console_free(&table);
	} while (result == 1);
	if (result == 0 && tables == 0)
		return kb_parse_wrong_file(&reader->parse, "no table of groups in it");
	return result;
}
