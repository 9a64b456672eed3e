/* See record.h. */
#include "collect/common/record.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "io.h"
#include "record_format.h"

static int write_out(void *context, const char *bytes, size_t count)
{
	(void)context;
	return kb_write_all(STDOUT_FILENO, bytes, count);
}

void kb_collect_header(struct kb_record_writer *out, const struct kb_collect_options *options)
{
	const struct kb_bench *bench = options->settings.bench;

	kb_record_line(out, "bench", bench->name);
	kb_record_line(out, "per", bench->per ? bench->per : "call");
	kb_record_format(out, "method", "%s seed=%llu process=%llu", options->prove ? "proof" : options->method,
			 (unsigned long long)options->seed, (unsigned long long)options->process);
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++) {
		if (options->settings.text[i][0])
			kb_record_format(out, "param", "%s=%s", bench->params[i].name, options->settings.text[i]);
	}
}

int kb_failure_record(const struct kb_failure_record *record, const char *stage, int error, bool unmet, const char *format, ...)
{
	struct kb_record_writer out = { .sink = { write_out, NULL } };
	char detail[300];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(detail, sizeof detail, format, arguments);
	va_end(arguments);
	if (!*record->begun) {
		kb_record_begin(&out, out.sink);
		kb_collect_header(&out, record->options);
		kb_record_line(&out, "clock", record->clock);
	}
	if (unmet)
		kb_record_note(&out, "need_unmet", detail);
	kb_record_fail(&out, stage, error, detail);
	return KB_COLLECT_FAILED;
}

int kb_collect_begin(int argc, char **argv, const struct kb_bench *const *list, struct kb_collect_options *options,
		     const struct kb_failure_record *record)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	if (kb_collect_options(argc, argv, kb_collect_find_described, list, options))
		return 2;
	if (options->unavailable)
		return kb_failure_record(record, "setup", -ENODEV, true, "%s", options->unavailable);
	if (options->copies)
		return kb_failure_record(record, "setup", -ENOTSUP, true, "--parallel works in user space only; in the kernel -p threads=N contends");
	return 0;
}
