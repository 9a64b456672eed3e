/* See func.h: the record. Raw times only; what they mean is worked out from it again by `kbench analyze`. */
#include "cli/trace/func.h"

#include <stdio.h>
#include <string.h>

#include "base/record.h"
#include "cli/emulated.h"

static int to_file(void *context, const char *bytes, size_t count)
{
	return fwrite(bytes, 1, count, context) == count ? 0 : -errno;
}

static void write_header(struct kb_record_writer *writer, const struct kb_func_report *report)
{
	const struct kb_func_counts *counts = &report->log.counts;
	char line[256];

	kb_record_line(writer, "bench", "trace.func");
	kb_record_line(writer, "per", "call");
	kb_record_line(writer, "bound", "kernel");
	kb_record_line(writer, "method", "single seed=0 process=1");
	snprintf(line, sizeof line, "function=%.100s", report->function);
	kb_record_line(writer, "param", line);
	snprintf(line, sizeof line, "route=%s", kb_func_route_names[report->route]);
	kb_record_line(writer, "param", line);
	kb_put_kernel_clock(writer, report->summary.null.quantiles[0].value);
	snprintf(line, sizeof line, "trace=1 lost=%llu missed=%llu torn=%llu unpaired_entries=%llu unpaired_exits=%llu",
		 (unsigned long long)counts->lost, (unsigned long long)counts->missed, (unsigned long long)counts->torn,
		 (unsigned long long)counts->open, (unsigned long long)counts->unopened);
	kb_record_line(writer, "env", line);
}

static void write_log(struct kb_record_writer *writer, const struct kb_func_log *log, enum kb_role role, uint64_t block)
{
	for (size_t i = 0; i < log->count; i++) {
		const struct kb_func_pair *pair = &log->pairs[i];

		kb_record_obs(writer,
			&(struct kb_obs){
				.role = role,
				.n = 1,
				.ticks = pair->ns,
				.t = pair->begin - log->pairs[0].begin,
				.block = block,
				.cpu = pair->cpu,
				.flags = pair->flags,
			});
	}
}

void kb_func_write_record(const struct kb_command *command, const struct kb_func_report *report, const char *path)
{
	struct kb_record_writer writer;
	FILE *out = report->record;
	int error;

	kb_record_begin(&writer, (struct kb_sink){ to_file, out });
	write_header(&writer, report);
	write_log(&writer, &report->null, KB_ROLE_BASE, 0);
	write_log(&writer, &report->log, KB_ROLE_OP, 1);
	error = kb_record_end(&writer);
	if (fclose(out) && !error)
		error = -errno;
	if (error)
		kb_die(command, KB_EXIT_USAGE, "cannot write all of %.200s: %s", path, strerror(-error));
}
