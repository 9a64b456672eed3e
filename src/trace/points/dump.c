/* Logs as one record (doc/record.md); log_lines.c has the lines. */
#include "trace/points/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/record.h"
#include "io.h"
#include "trace/points/log_lines.h"

#define MS UINT64_C(1000000)

static int to_fd(void *context, const char *bytes, size_t count)
{
	return kb_write_all(*(int *)context, bytes, count);
}

/* Ticks per second between the first begin and now, without a log from now; over less than 10 ms that would be a guess. */
static uint64_t rate(void)
{
	uint64_t ns, ticks;

	kb_trace_start_clocks();
	ns = kb_wall_ns() - kb_trace_logs.wall_ns;
	if (ns < 10 * MS)
		kb_sleep_ns(10 * MS - ns);
	ns = kb_wall_ns() - kb_trace_logs.wall_ns;
	ticks = kb_stamp_end() - kb_trace_logs.ticks;
	return (uint64_t)((double)ticks * 1e9 / (double)ns);
}

static void write_logs(struct kb_record_writer *writer)
{
	const struct kb_trace_log *log = kb_trace_logs.first;
	uint64_t first = log ? log->state.origin : 0, block = 1;
	bool light = false, switched = false;
	char line[128];
	uint64_t inner[KB_TRACE_NESTED], outer[KB_TRACE_NESTED];

	/* A log that is ended has an origin; the earliest is 0 on the record's axis. */
	for (log = kb_trace_logs.first; log; log = log->next) {
		light |= log->light;
		switched |= log->switched;
		if (log->ended && (first == 0 || log->state.origin < first))
			first = log->state.origin;
	}
	kb_record_line(writer, "bench", "trace.log");
	kb_record_line(writer, "per", "pair");
	kb_record_line(writer, "method", "single seed=0 process=0");
	snprintf(line, sizeof line, KB_ARCH_CLOCK " hz=%llu quantum=0 cost=0 ordered=%d", (unsigned long long)rate(), !light);
	kb_record_line(writer, "clock", line);
	kb_record_line(writer, "env", "trace=1 arch=" KB_ARCH_NAME);
	(light ? kb_trace_nested_light : kb_trace_nested_ordered)(inner, outer, KB_TRACE_NESTED, switched);
	kb_trace_lines_overhead(writer, inner, outer, KB_TRACE_NESTED);
	for (log = kb_trace_logs.first; log; log = log->next)
		kb_trace_lines_log(writer, &log->state,
				   (struct kb_trace_whose){ log->tid, first, block++, log->light, log->ended });
}

int kb_trace_dump(int fd)
{
	struct kb_record_writer writer;
	int error;

	kb_trace_finalise();
	pthread_mutex_lock(&kb_trace_logs.lock);
	kb_record_begin(&writer, (struct kb_sink){ to_fd, &fd });
	write_logs(&writer);
	error = kb_record_end(&writer);
	pthread_mutex_unlock(&kb_trace_logs.lock);
	return error;
}

int kb_trace_dump_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), error;

	if (fd < 0)
		return -errno;
	error = kb_trace_dump(fd);
	if (close(fd) && !error)
		error = -errno;
	return error;
}
