/* Checksums of what stands beside the results, and of runs themselves: a disk that flips a bit must not change what is shown. */
#include "store/sql.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>

#include "base/text.h"

/* With its null byte. A server takes no byte that is not UTF-8 and gets '?' in its place (postgres.c): so it is here, for both. */
static uLong add_text(uLong sum, const char *text)
{
	const char *end = text + strlen(text), *from = text;

	for (const char *at = text; at < end;) {
		unsigned length = kb_character_at((struct kb_span){ at, (size_t)(end - at) }).length;

		if (length == 1 && (unsigned char)*at >= 0x80) {
			sum = crc32(crc32(sum, (const Bytef *)from, (uInt)(at - from)), (const Bytef *)"?", 1);
			from = at + 1;
		}
		at += length;
	}
	return crc32(sum, (const Bytef *)from, (uInt)(end - from) + 1);
}

static uLong add_bytes(uLong sum, const void *bytes, size_t length)
{
	return crc32(sum, bytes, (uInt)length);
}

int64_t kb_sql_sum(const char *types, ...)
{
	uLong sum = crc32(0, NULL, 0);
	va_list values;

	va_start(values, types);
	for (; *types; types++) {
		if (*types == 't') {
			sum = add_text(sum, va_arg(values, const char *) ?: "");
		} else if (*types == 'd') {
			double real = va_arg(values, double);

			sum = add_bytes(sum, &real, sizeof real);
		} else {
			int64_t whole = va_arg(values, int64_t);

			sum = add_bytes(sum, &whole, sizeof whole);
		}
	}
	va_end(values);
	return (int64_t)sum;
}

bool kb_sql_sum_fits(struct kb_statement *statement, unsigned column, int64_t sum)
{
	return kb_sql_is_null(statement, column) || kb_sql_whole(statement, column) == sum;
}

int64_t kb_sql_process_sum(int64_t run, const char *row, int64_t process, const char *outcome, int64_t record_length)
{
	return kb_sql_sum("ititi", run, row, process, outcome, record_length);
}

/* ---- runs --------------------------------------------------------------------------------------------------------- */

int64_t kb_sql_run_sum(int64_t number, const struct kb_stored_run *run)
{
	return kb_sql_sum("itttttttt", number, run->id, run->started, run->finished, run->label, run->command, run->env_class, run->env, run->settings);
}

struct kb_stored_run kb_sql_run_texts(struct kb_statement *statement)
{
	return (struct kb_stored_run){
		.id = kb_sql_text(statement, 0), .started = kb_sql_text(statement, 1), .finished = kb_sql_text(statement, 2),
		.label = kb_sql_text(statement, 3), .command = kb_sql_text(statement, 4), .env_class = kb_sql_text(statement, 5),
		.env = kb_sql_text(statement, 6), .settings = kb_sql_text(statement, 7),
	};
}

bool kb_sql_run_fits(struct kb_statement *statement)
{
	struct kb_stored_run run = kb_sql_run_texts(statement);

	return kb_sql_sum_fits(statement, 9, kb_sql_run_sum(kb_sql_whole(statement, 8), &run));
}

int kb_sql_run_damaged(struct kb_store *store, const char *id)
{
	return kb_sql_say(store, EUCLEAN, "run %s in the store %s is damaged: its times, label, command, environment or settings are not what was stored;"
			  " restore a copy of the file, or 'kbench runs remove %s'", id, store->path, id);
}
