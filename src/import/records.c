/* Our own records, between the lines of any log. They are kept as they stand there, garbled ones too: they say so themselves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/inside.h"
#include "result/samples.h"

/* A name that no benchmark of ours can have was not made by us. Of a damaged record, and of a start that failed, it is not known. */
static bool is_named(const struct kb_log_launch *launch, char bench[KB_BENCH_NAME_MAX + 2])
{
	struct kb_record_reader record;
	struct kb_line line;

	bench[0] = '\0';
	kb_record_open(&record, launch->record, launch->length);
	while (kb_record_next(&record, &line) != KB_LINE_NONE) {
		if (line.kind == KB_LINE_HEADER && kb_span_is(line.word, "bench"))
			snprintf(bench, KB_BENCH_NAME_MAX + 2, "%.*s", (int)(line.rest.length < 80 ? line.rest.length : 80), line.rest.at);
	}
	return kb_is_bench_name(bench);
}

/* The name of its row, also of what is left of one. */
static int name_row(struct kb_log_launch *launch, bool named)
{
	struct kb_launch_text text = { .launch = 1, .outcome = "", .record = launch->record, .length = launch->length };
	struct kb_samples samples;
	int result = kb_samples_load(&samples, &text);

	if (result == 0)
		kb_row_name_of(launch->row, named ? samples.bench : "unknown.record", samples.params);
	kb_samples_free(&samples);
	return result;
}

/* The whole of what belongs to it: behind `end` the log goes on with something else. */
static int take(struct kb_log_reader *reader, const char *text, size_t length)
{
	struct kb_log_launch launch = { .line = reader->parse.number };
	struct kb_log_run *run = kb_log_run(reader->log, "", "");
	struct kb_record_reader record;
	struct kb_line line;

	kb_record_open(&record, text, length);
	while (kb_record_next(&record, &line) != KB_LINE_NONE)
		;
	reader->log->foreign += record.foreign;
	reader->parse.number += (unsigned)record.line - 1;
	if (record.state == KB_RECORD_VERSION_UNKNOWN)
		return kb_parse_wrong(&reader->parse, "%s", kb_record_state_words(record.state));
	if (record.state != KB_RECORD_WHOLE)
		snprintf(launch.trouble, sizeof launch.trouble, "line %u: %s", reader->parse.number,
			 kb_record_state_words(record.state));
	launch.length = length;
	if (record.state == KB_RECORD_WHOLE || record.state == KB_RECORD_FAILED)
		launch.length = (size_t)(record.rest.at - text);
	launch.record = malloc(launch.length + 1);
	if (!launch.record || !run) {
		free(launch.record);
		return -ENOMEM;
	}
	memcpy(launch.record, text, launch.length);
	launch.record[launch.length] = '\0';

	char bench[KB_BENCH_NAME_MAX + 2];
	bool named = is_named(&launch, bench);

	if (bench[0] && !named && (record.state == KB_RECORD_WHOLE || record.state == KB_RECORD_FAILED)) {
		free(launch.record);
		return kb_log_no_name(reader, bench);
	}

	int result = name_row(&launch, named);

	result = result ? result : kb_log_add(run, &launch);
	if (result)
		free(launch.record);
	return result;
}

int kb_log_records(struct kb_log_reader *reader)
{
	const char *text = reader->text;
	size_t length = reader->length, at = kb_import_record_start(text, length, 0), end;
	unsigned number = 1 + kb_import_lines(text, at);
	int result = 0;

	if (at == length)
		return kb_parse_wrong_file(&reader->parse, "no line of it begins with 'kbench-record'");
	for (; result == 0 && at < length; at = end) {
		end = kb_import_record_start(text, length, at + 1);
		reader->parse.number = number;
		number += kb_import_lines(text + at, end - at);
		result = take(reader, text + at, end - at);
	}
	return result;
}
