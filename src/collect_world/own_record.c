/* See own_record.h. */
#define _GNU_SOURCE
#include "collect_world/own_record.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/record.h"
#include "io.h"

static int write_out(void *context, const char *bytes, size_t count)
{
	(void)context;
	return kb_write_all(STDOUT_FILENO, bytes, count);
}

static void header(struct kb_record_writer *out, const char *word, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void header(struct kb_record_writer *out, const char *word, const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	kb_record_line(out, word, line);
}

static void write_header(const struct kb_own_record *own, struct kb_record_writer *out)
{
	const struct kb_world_options *options = own->options;
	const struct kb_bench *bench = options->settings.bench;

	kb_record_begin(out, out->sink);
	header(out, "bench", "%s", bench->name);
	header(out, "per", "%s", bench->per ? bench->per : "call");
	header(out, "method", "%s seed=%llu launch=%llu", options->method, (unsigned long long)options->seed,
	       (unsigned long long)options->launch);
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++)
		header(out, "param", "%s=%s", bench->params[i].name, options->settings.text[i]);
	header(out, "clock", "%s", own->clock);
}

int kb_own_fail(const struct kb_own_record *own, const char *stage, int error, bool lacks, const char *detail)
{
	struct kb_record_writer out = { .sink = { write_out, NULL } };

	if (!own->begun)
		write_header(own, &out);
	if (lacks)
		kb_record_unmet(&out, detail);
	kb_record_fail(&out, stage, error, detail);
	return KB_COLLECT_FAILED;
}
