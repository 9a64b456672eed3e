/* What tests of logs share: a text that is read as a log, well or with one message. */
#ifndef KB_TEST_IMPORT_LOG_H
#define KB_TEST_IMPORT_LOG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/import.h"
#include "result/summary/summary.h"
#include "run/run.h"

static char error[KB_IMPORT_ERROR];
static struct kb_import_options options = { .confidence = .9, .records = true };

/* A copy of exactly that size: a sanitizer sees one byte too many. */
static inline int read_log(struct kb_import *log, const char *text, size_t length)
{
	char *copy = malloc(length ? length : 1);
	int result;

	assert_non_null(copy);
	memcpy(copy, text, length);
	*log = (struct kb_import){ .count = 0 };
	result = kb_import_text(log, &options, "t.log", copy, length, error);
	free(copy);
	return result;
}

static inline struct kb_import good(const char *text)
{
	struct kb_import log;

	if (read_log(&log, text, strlen(text)))
		fail_msg("%s", error);
	return log;
}

static inline void wrong(const char *text, const char *message)
{
	struct kb_import log;

	assert_int_not_equal(read_log(&log, text, strlen(text)), 0);
	assert_string_equal(error, message);
	kb_import_free(&log);
}

static inline struct kb_result result_of(const struct kb_import_run *run)
{
	struct kb_process_text texts[16];
	struct kb_result result;

	unsigned count = 0;

	assert_in_range(run->count, 1, 16);
	/* Its first row. */
	for (size_t i = 0; i < run->count; i++) {
		if (strcmp(run->processes[i].row, run->processes[0].row) == 0) {
			texts[count] = (struct kb_process_text){ count + 1, "", run->processes[i].record, run->processes[i].length };
			count++;
		}
	}
	kb_summarise(texts, count, &(struct kb_summary_rules){ .planned = count, .precision = .01 }, &result);
	return result;
}

#endif
