/* Our own records, between the lines of any log. They are kept as they stand there, garbled ones too: they say so themselves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"
#include "result/samples.h"

#define START "kbench-record "

/* The benchmark that the record names. A name that none of ours can have was not made by us; of a damaged record, and of a start that
   failed, it is not known. */
static void read_through(struct kb_record_reader *record, char bench[KB_BENCH_NAME_MAX + 2])
{
	struct kb_line line;

	bench[0] = '\0';
	while (kb_record_next(record, &line) != KB_LINE_NONE) {
		if (line.kind == KB_LINE_HEADER && kb_span_is(line.word, "bench"))
			snprintf(bench, KB_BENCH_NAME_MAX + 2, "%.*s", (int)(line.rest.length < 80 ? line.rest.length : 80), line.rest.at);
	}
}

/* Row and clock, also of what is left of a record. */
static int name_process(struct kb_import_process *process, bool named)
{
	struct kb_process_text text = { .process = 1, .outcome = "", .record = process->record, .length = process->length };
	struct kb_samples samples;
	int result = kb_samples_load(&samples, &text);

	if (result == 0) {
		kb_row_name_of(process->row, named ? samples.bench : "unknown.record", samples.params);
		memcpy(process->clock, samples.clock, sizeof process->clock);
	}
	kb_samples_free(&samples);
	return result;
}

/* One record: behind its end the text goes on with something else. */
static int take(struct kb_import_reader *reader, struct kb_span text)
{
	struct kb_import_process process = { .line = reader->number, .length = text.length };
	struct kb_import_run *run = kb_import_run_of(reader->import, "", "", "");
	char bench[KB_BENCH_NAME_MAX + 2];
	struct kb_record_reader record;

	kb_record_open(&record, text.at, text.length);
	read_through(&record, bench);

	bool ended = record.state == KB_RECORD_WHOLE || record.state == KB_RECORD_FAILED, named = kb_is_bench_name(bench);

	reader->number += (unsigned)record.line - 1;
	if (record.state == KB_RECORD_VERSION_UNKNOWN)
		return kb_import_refuse(reader, "%s", kb_record_state_words(record.state));
	if (ended && bench[0] && !named)
		return kb_import_refuse_name(reader, bench);
	if (record.state != KB_RECORD_WHOLE) {
		snprintf(process.cut, sizeof process.cut, "%s", kb_record_state_words(record.state));
		process.cut_line = reader->number;
		process.sampled = ended;
	}
	if (ended)
		process.length = (size_t)(record.rest.at - text.at);
	process.record = malloc(process.length + 1);
	if (!process.record || !run) {
		free(process.record);
		return -ENOMEM;
	}
	memcpy(process.record, text.at, process.length);
	process.record[process.length] = '\0';
	return kb_import_add_process(run, &process, name_process(&process, named));
}

static bool is_record(struct kb_span text)
{
	return kb_import_find_line(text, 0, START) < text.length;
}

/* A reader that was not told the end of a record would take the next one's lines for lines of other programs. */
static int read_records(struct kb_import_reader *reader)
{
	struct kb_span text = reader->text;
	size_t at = kb_import_find_line(text, 0, START), end;
	unsigned line = 1 + kb_import_count_lines(text, at);
	int result = 0;

	if (at == text.length)
		return kb_import_refuse_at(reader, 0, "no line of it begins with 'kbench-record'");
	for (; result == 0 && at < text.length; at = end) {
		struct kb_span record = { text.at + at, 0 };

		end = kb_import_find_line(text, at + 1, START);
		record.length = end - at;
		reader->number = line;
		line += kb_import_count_lines(record, record.length);
		result = take(reader, record);
	}
	return result;
}

const struct kb_import_kind kb_import_record = { "record", true, is_record, read_records, false };
