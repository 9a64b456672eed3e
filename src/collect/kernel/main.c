/*
 * kbench-collect-kernel: one process of a measurement inside the kernel. It hands the plan on to /dev/kbench, line by line, and the record back,
 * whose lines the kernel writes; what could not even begin there becomes a record of its own. It looks at neither.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/plan.h"
#include "collect/common/plan_input.h"
#include "collect/common/record.h"
#include "collect/kernel/device.h"
#include "evidence/evidence.h"
#include "io.h"
#include "stamp.h"

extern const struct kb_bench *const kb_kernel_benches[];       /* made by tools/target-list */

static struct kb_collect_options options;
static struct kb_device device;
static const struct kb_failure_record record = { .options = &options, .clock = KB_ARCH_CLOCK " hz=0 quantum=0 cost=0 ordered=1",
                                                 .begun = &device.begun };

/* What the machine lacks (unmet) makes the result `skipped`; other errors are the benchmark's. */
#define fail(stage, error, unmet, ...) kb_failure_record(&record, stage, error, unmet, __VA_ARGS__)

/* ---- the process --------------------------------------------------------------------------------------- */

static int say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int say(const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	return kb_device_line(&device, (struct kb_span){ line, strlen(line) });
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
	int error = kb_device_open(&device, options.device);

	switch (error) {
	case 0: return 0;
	case -ENOENT: case -ENODEV: case -ENXIO:
		return fail("setup", error, true, "no %s: the module kbench is not loaded ('kbench kernel doctor')", options.device);
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
	return 0;
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

		if (!error)
			error = kb_device_line(&device, line);
		if (error)
			return failed("plan", error, "the plan");
	}
	return more ? failed("plan", more, "the plan") : 0;
}

static int finish(void)
{
	int error = say("end");

	if (error || device.failed)
		return failed("teardown", error ? error : -EIO, "end");
	return device.ended ? 0 : fail("teardown", -EIO, false, "the record has no end");
}

static int find_bench(struct kb_collect_options *asked, char error[256])
{
	return kb_collect_find_described(asked, kb_kernel_benches, error);
}

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	if (kb_collect_options(argc, argv, find_bench, &options))
		return 2;
	if (options.unavailable)
		return fail("setup", -ENODEV, true, "%s", options.unavailable);
	if (options.copies || options.interference)
		return fail("setup", -ENOTSUP, true, "--parallel and --interfere work in user space only; -p threads=N contends in the kernel");

	int error = kb_pin(options.cpu);

	if (error)
		return fail("setup", error, false, "cannot run on CPU %u", options.cpu);
	int code = open_device();

	if (!code)
		code = choose();
	if (!code)
		code = claim(options.settings.bench);
	if (!code)
		code = begin();
	if (!code)
		code = execute_plan();
	return code ? code : finish();
}
