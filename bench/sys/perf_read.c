/*
 * sys.perf_read: read a performance counter of this thread through its descriptor. A software event costs the call and
 * an update; a hardware event adds reading the unit, and is refused in most guests.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

static const struct { const char *name; uint32_t type; uint64_t config; } events[] = {
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
};

static int counter = -1;
static bool runs;               /* the counter moves between two readings */
static uint64_t done;

static int setup(struct kb_run *run)
{
	struct perf_event_attr attributes = { .size = sizeof attributes, .exclude_kernel = 1, .exclude_hv = 1 };
	const char *name = kb_param_text(run, "event");

	runs = !kb_param_is(run, "event", "page-faults");
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		if (kb_param_is(run, "event", events[i].name)) {
			attributes.type = events[i].type;
			attributes.config = events[i].config;
		}
	}
	counter = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (counter < 0 && (errno == EACCES || errno == EPERM))
		return kb_skip(run, "perf_event_open is refused: lower /proc/sys/kernel/perf_event_paranoid, or run as root");
	return counter < 0 ? kb_skip(run, "the event %s cannot be counted here (errno %d)", name, errno) : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t former = 0, value;

	done = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (read(counter, &value, sizeof value) != (ssize_t)sizeof value)
			return kb_fail(run, errno, "read of a counter");
		if (value < former || (runs && value == former))
			return kb_fail(run, EILSEQ, "the counter stands still or steps back");
		former = value;
		done++;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return done == n ? 0 : kb_fail(run, EPROTO, "%llu readings are not n", (unsigned long long)done);
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(counter);
}

KB_BENCHMARK(
	.summary = "read of a performance counter through its file descriptor", .per = "read",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "Linux counts the event in this thread",
	.params = { { "event", "counted", KB_CHOICE, "task-clock", .choices = "task-clock,page-faults,cycles,instructions" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
