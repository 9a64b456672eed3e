/*
 * kbench-collect-kernel: one process of a measurement inside the kernel. It hands the plan on to /dev/kbench, line by line, and the record back,
 * whose lines the kernel writes; what could not even begin there becomes a record of its own. It looks at neither.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/plan.h"
#include "collect/common/neighbour.h"
#include "collect/common/record.h"
#include "evidence/evidence.h"
#include "io.h"
#include "stamp.h"

extern const struct kb_bench *const kb_kernel_benches[];       /* made by tools/target-list */

static struct kb_collect_options options;

/*
 * /dev/kbench: whole lines in, the record out. A write returns when its line was executed; a read takes what the record has
 * by then, and 0 once that is all. One process at a time has it open; closing it ends whatever runs there.
 */
static struct {
	int fd;
	bool begun;             /* the record has */
	bool failed;            /* it has its `fail` line */
	bool ended;             /* or its `end` line */
	char start[8];          /* the first bytes of the line that is being read */
	size_t at;              /* bytes of it so far */
} device;

static const struct kb_failure_record record = { .options = &options, .clock = KB_ARCH_CLOCK " hz=0 quantum=0 cost=0 ordered=1",
                                                 .begun = &device.begun };

/* A requirement that the machine does not meet (unmet) makes the result `skipped`; other errors are the benchmark's. */
#define fail(stage, error, unmet, ...) kb_failure_record(&record, stage, error, unmet, __VA_ARGS__)

/* ---- the device ---------------------------------------------------------------------------------------- */

#define LIMIT_NS UINT64_C(20000000000)  /* the process of another run is shorter */
#define PAUSE_NS 5000000

/* Waits while another process has it, so that two runs take turns. 0 or -errno. */
static int open_waiting(const char *path)
{
	uint64_t deadline = kb_wall_ns() + LIMIT_NS;

	device.fd = open(path, O_RDWR | O_CLOEXEC);
	while (device.fd < 0 && (errno == EBUSY || errno == EINTR) && kb_wall_ns() < deadline) {
		kb_sleep_ns(PAUSE_NS);
		device.fd = open(path, O_RDWR | O_CLOEXEC);
	}
	return device.fd < 0 ? -errno : 0;
}

/* Only to know whether the record has its end. */
static void follow(const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (bytes[i] == '\n') {
			device.at = 0;
			continue;
		}
		if (device.at < sizeof device.start)
			device.start[device.at] = bytes[i];
		device.at++;
		if (device.at == 5 && !memcmp(device.start, "fail ", 5))
			device.failed = true;
		if (device.at == 4 && !memcmp(device.start, "end ", 4))
			device.ended = true;
	}
	device.begun |= count > 0;
}

/* The first line of a record is in the first read. Nothing of another version is handed on: it would be read as ours. */
static bool is_of_this_version(const char *bytes, size_t count)
{
	char line[32];
	int length = snprintf(line, sizeof line, "kbench-record %d\n", KB_RECORD_VERSION);

	return count >= (size_t)length && !memcmp(bytes, line, (size_t)length);
}

static int copy_record(void)
{
	static char buffer[1 << 16];
	ssize_t got;

	while ((got = read(device.fd, buffer, sizeof buffer)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (!device.begun && !is_of_this_version(buffer, (size_t)got))
			return -EPROTO;
		follow(buffer, (size_t)got);
		if (kb_write_all(STDOUT_FILENO, buffer, (size_t)got))
			return -EPIPE;
	}
	return 0;
}

/* In one write: the device takes whole lines. */
static int send_line(struct kb_span line)
{
	char whole[KB_PLAN_LINE_MAX + 1];
	ssize_t put;

	if (line.length >= KB_PLAN_LINE_MAX)
		return -EINVAL;
	memcpy(whole, line.at, line.length);
	whole[line.length] = '\n';
	put = write(device.fd, whole, line.length + 1);
	if (put < 0)
		return -errno;
	return (size_t)put == line.length + 1 ? 0 : -EIO;
}

/* Sends a line, which is not terminated, and copies the record as far as it goes to standard output. 0, or -errno: of the line, or
   -EPIPE where nobody reads the record any more, or -EPROTO where it is of another version than ours. */
static int exchange(struct kb_span line)
{
	int error = send_line(line), copied = copy_record();

	return error ? error : copied;
}

/* ---- interference --------------------------------------------------------------------------------------- */

static struct kb_neighbour neighbour;

/* Before the device is open, which would be open in it, too. */
static int start_neighbour(void)
{
	int error = options.interference ? kb_neighbour_start(&neighbour, options.interference, options.cpu, options.peer_cpu) : 0;

	return error ? fail("interference", error, neighbour.unfit, "%s", neighbour.why) : 0;
}

/* ---- the process --------------------------------------------------------------------------------------- */

static int say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int say(const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	return exchange((struct kb_span){ line, strlen(line) });
}

/* A step failed: the kernel's own words go first. */
static int failed(const char *stage, int error, const char *what)
{
	if (device.failed || error == -EPIPE)
		return KB_COLLECT_FAILED;
	if (error == -EPROTO)
		return fail("setup", error, false, "another version of kbench built the module kbench: 'kbench kernel unload', then rebuild it with "
			    "'kbench kernel build'");
	return fail(stage, error, false, "%s: %s", what, strerrorname_np(-error) ?: "?");
}

static int open_device(void)
{
	int error = open_waiting(options.device);

	switch (error) {
	case 0: return 0;
	case -ENOENT: case -ENODEV: case -ENXIO:
		return fail("setup", error, true, "no %s: the module kbench is not loaded ('kbench doctor kernel')", options.device);
	case -EACCES: case -EPERM:
		return fail("setup", error, true, "%s: %s: needs root (CAP_SYS_ADMIN)", options.device, strerrorname_np(-error));
	case -EBUSY: return fail("setup", error, true, "another process has %s open", options.device);
	default: return fail("setup", error, false, "cannot open %s: %s", options.device, strerrorname_np(-error) ?: "?");
	}
}

static int choose(void)
{
	const struct kb_bench *bench = options.settings.bench;
	const char *name = strchr(bench->name, '.') + 1;
	int error = say("bench %s", name);

	if (error == -ENOENT)
		return fail("setup", error, true, "the module kbench_%s is not loaded ('kbench kernel load %s')", name, name);
	if (error)
		return failed("setup", error, "bench");
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++) {
		error = say("param %s=%s", bench->params[i].name, options.settings.text[i]);
		if (error)
			return failed("setup", error, bench->params[i].name);
	}
	for (unsigned i = 0; i < options.event_count; i++) {
		char event[KB_EVENT_TEXT_MAX];

		kb_event_format(event, &options.events[i]);
		error = say("event %s", event);
		if (error)
			return failed("setup", error, options.events[i].name);
	}
	/* A part of the result's name, as the parameters are. */
	error = options.interference ? say("line param interference=%s", options.interference) : 0;
	return error ? failed("setup", error, "interference") : 0;
}

/* Of what the operation claims the kernel counts; fractions it cannot write. */
static int claim(const struct kb_bench *bench)
{
	char line[256];

	for (int i = 0; i < KB_EXPECT_MAX && bench->expect[i].counter; i++) {
		if (!kb_settings_match(&options.settings, bench->expect[i].when))
			continue;
		kb_expect_format(line, sizeof line, &bench->expect[i]);

		int error = say("line expect %s", line);

		if (error)
			return failed("setup", error, "expect");
	}
	return 0;
}

static int begin(void)
{
	int error = say("process method=%s seed=%llu process=%llu", options.method, (unsigned long long)options.seed,
	                (unsigned long long)options.process);

	/* A module of before calls this line otherwise. */
	return error ? failed("setup", error == -EINVAL ? -EPROTO : error, "process") : 0;
}

static int execute_plan(void)
{
	struct kb_span line;
	struct kb_block block;
	int more;

	while ((more = kb_plan_line(STDIN_FILENO, &line)) > 0) {
		/* What is no line of a plan might be a word of the device's. */
		int error = kb_plan_parse(line, &block);

		if (error)
			return failed("plan", error, "the plan");
		kb_neighbour_block_begin(&neighbour, block.warm);
		error = exchange(line);
		if (error)
			return failed("plan", error, "the plan");
		kb_neighbour_block_end(&neighbour, block.warm);
	}
	return more ? failed("plan", more, "the plan") : 0;
}

static int put_line(void *unused, const char *word, const char *text)
{
	(void)unused;
	return say("line %s %s", word, text);
}

static int finish(void)
{
	int error = kb_neighbour_finish(&neighbour, put_line, NULL);

	if (error)
		return failed("interference", error, neighbour.why);
	error = say("end");

	if (error || device.failed)
		return failed("teardown", error ? error : -EIO, "end");
	return device.ended ? 0 : fail("teardown", -EIO, false, "the record has no end");
}

static int stay_on_cpu(void)
{
	int error = kb_pin(options.cpu);

	return error ? fail("setup", error, false, "cannot run on CPU %u", options.cpu) : 0;
}

int main(int argc, char **argv)
{
	int code = kb_collect_begin(argc, argv, kb_kernel_benches, &options, &record);

	if (code)
		return code;

	code = start_neighbour() ?: stay_on_cpu() ?: open_device() ?: choose() ?: claim(options.settings.bench) ?: begin() ?: execute_plan() ?: finish();
	kb_neighbour_kill(&neighbour);
	return code;
}
