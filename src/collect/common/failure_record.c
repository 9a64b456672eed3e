/* See failure_record.h. */
#include "collect/common/failure_record.h"

#include <unistd.h>

#include "io.h"
#include "record_format.h"

static int write_out(void *context, const char *bytes, size_t count)
{
	(void)context;
	return kb_write_all(STDOUT_FILENO, bytes, count);
}

static void write_header(const struct kb_own_record *own, struct kb_record_writer *out)
{
	const struct kb_world_options *options = own->options;
	const struct kb_bench *bench = options->settings.bench;

	kb_record_begin(out, out->sink);
	kb_record_line(out, "bench", bench->name);
	kb_record_line(out, "per", bench->per ? bench->per : "call");
	kb_record_format(out, "method", "%s seed=%llu process=%llu", options->method, (unsigned long long)options->seed,
			 (unsigned long long)options->launch);
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++)
		kb_record_format(out, "param", "%s=%s", bench->params[i].name, options->settings.text[i]);
	kb_record_line(out, "clock", own->clock);
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
