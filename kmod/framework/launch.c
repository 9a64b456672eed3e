// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * A launch, from the header of its record to its last line. Whatever order things fail in, teardown runs once for what was set
 * up, the threads are gone before it, and the record ends in `end` or `fail`.
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "framework/framework.h"

#define LADDER_RUNGS 5u
#define LADDER_ADDS 10000u
#define LADDER_TRIES 20u

static atomic_t claimed;

int kb_claim(void)
{
	return atomic_cmpxchg(&claimed, 0, 1) ? -EBUSY : 0;
}

void kb_release(void)
{
	atomic_set(&claimed, 0);
}

static void write_list(struct kb_record_writer *writer, const char *word, const char *format, va_list arguments)
{
	char line[256];

	vscnprintf(line, sizeof line, format, arguments);
	kb_record_line(writer, word, line);
}

void kb_write_format(struct kb_record_writer *writer, const char *word, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_list(writer, word, format, arguments);
	va_end(arguments);
}

void kb_launch_line(struct kb_launch *launch, const char *word, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_list(&launch->out, word, format, arguments);
	va_end(arguments);
}

/* ---- limits of time ------------------------------------------------------------------------------ */

void kb_launch_arm(struct kb_launch *launch)
{
	launch->deadline = kb_kernel_begin() + launch->clock.hz / 1000 * launch->max_ms;
}

int kb_launch_may_go_on(const struct kb_launch *launch)
{
	if (READ_ONCE(launch->stop) || fatal_signal_pending(current))
		return -EINTR;
	return kb_kernel_begin() >= launch->deadline ? -ETIME : 0;
}

/* ---- made and freed ------------------------------------------------------------------------------ */

static u64 setting(const struct kb_launch *launch, const char *name)
{
	struct kb_span span = { name, kb_strlen(name) };

	return launch->context.settings.number[kb_param_index(&launch->context.entry->bench, span)];
}

/* Where locks and allocators sleep (a real-time kernel), no operation that takes one may run with preemption off. */
static bool may_not_isolate(const struct kb_launch *launch)
{
	return launch->context.entry->kernel->hooks->may_sleep || IS_ENABLED(CONFIG_PREEMPT_RT);
}

static void read_settings(struct kb_launch *launch)
{
	launch->loop_count = setting(launch, "loop_count");
	launch->warmup = setting(launch, "warmup");
	launch->threads = (unsigned)setting(launch, "threads");
	launch->batch = setting(launch, "batch");
	launch->isolation = may_not_isolate(launch) ? 0 : (unsigned)setting(launch, "isolation");
	launch->max_ms = setting(launch, "max_ms");
}

static int allocate(struct kb_launch *launch)
{
	launch->measure = kvzalloc(sizeof *launch->measure, GFP_KERNEL);
	launch->block = kzalloc(sizeof *launch->block, GFP_KERNEL);
	launch->workers = kvcalloc(launch->threads, sizeof *launch->workers, GFP_KERNEL);
	return launch->measure && launch->block && launch->workers ? 0 : -ENOMEM;
}

static void init_workers(struct kb_launch *launch)
{
	const struct kb_bench *bench = &launch->context.entry->bench;

	for (unsigned i = 0; i < launch->threads; i++) {
		struct kb_worker *worker = &launch->workers[i];

		worker->launch = launch;
		worker->index = i;
		worker->run = (struct kb_run){
			.bench = bench, .bound = bench->bound, .bytes_per_op = bench->bytes_per_op, .granule = bench->granule,
			.seed = launch->seed, .context = &launch->context,
		};
	}
}

struct kb_launch *kb_launch_new(struct kb_kernel_entry *entry, const struct kb_settings *settings)
{
	struct kb_launch *launch = kvzalloc(sizeof *launch, GFP_KERNEL);

	if (!launch)
		return ERR_PTR(-ENOMEM);
	launch->context.entry = entry;
	launch->context.settings = *settings;
	launch->seed = 1;
	kb_threads_init(launch);
	read_settings(launch);
	if (allocate(launch)) {
		kb_launch_free(launch);
		return ERR_PTR(-ENOMEM);
	}
	return launch;
}

/* ---- set-up and teardown ------------------------------------------------------------------------- */

int kb_worker_set_up(struct kb_worker *worker)
{
	const struct kb_kernel_hooks *hooks = worker->launch->context.entry->kernel->hooks;
	int error = hooks->thread_setup ? hooks->thread_setup(&worker->run) : 0;

	worker->is_set_up = !error;
	return error;
}

void kb_worker_tear_down(struct kb_worker *worker)
{
	const struct kb_kernel_hooks *hooks = worker->launch->context.entry->kernel->hooks;

	if (worker->is_set_up && hooks->thread_teardown)
		hooks->thread_teardown(&worker->run);
	worker->is_set_up = false;
}

static int check_needs(struct kb_launch *launch)
{
	struct kb_run *run = &launch->workers[0].run;

	if ((run->bench->needs & KB_NEED_TWO_CPUS) && num_online_cpus() < 2)
		return kb_skip(run, "needs two CPUs");
	if (launch->threads > num_online_cpus())
		return kb_fail(run, ERANGE, "threads=%u: only %u CPUs are online", launch->threads, num_online_cpus());
	return 0;
}

/* The other threads start with what setup of the first one made. */
static int set_up(struct kb_launch *launch)
{
	const struct kb_kernel_hooks *hooks = launch->context.entry->kernel->hooks;
	struct kb_worker *first = &launch->workers[0];
	int error = check_needs(launch);

	if (!error && hooks->setup)
		error = hooks->setup(&first->run);
	if (error)
		return error;
	launch->is_open = true;
	launch->state = first->run.state;
	for (unsigned i = 1; i < launch->threads; i++)
		launch->workers[i].run = first->run;
	error = kb_worker_set_up(first);
	return error ? error : kb_threads_create(launch);
}

/* setup leaves nothing behind when it fails, as everywhere; what follows it is undone here. */
static int tear_down(struct kb_launch *launch)
{
	const struct kb_kernel_hooks *hooks = launch->context.entry->kernel->hooks;
	int error = kb_threads_join(launch);

	kb_worker_tear_down(&launch->workers[0]);
	launch->workers[0].run.state = launch->state;
	if (launch->is_open && hooks->teardown)
		hooks->teardown(&launch->workers[0].run);
	launch->is_open = false;
	return error;
}

void kb_launch_free(struct kb_launch *launch)
{
	if (launch->workers) {
		tear_down(launch);
		kb_samples_free(launch);
	}
	kb_queue_free(&launch->queue);
	kvfree(launch->workers);
	kfree(launch->block);
	kvfree(launch->measure);
	kvfree(launch);
}

/* ---- the record ---------------------------------------------------------------------------------- */

/* Time must be proportional to work, within a twentieth: then neither an emulator's jumps nor a changing rate is at work. */
static bool ladder_holds(const struct kb_clock *clock)
{
	u64 ticks[LADDER_RUNGS], span;

	kb_clock_ladder(clock, LADDER_ADDS, LADDER_RUNGS, LADDER_TRIES, ticks);
	span = ticks[LADDER_RUNGS - 1] - ticks[0];
	for (unsigned i = 1; i + 1 < LADDER_RUNGS; i++) {
		u64 expected = span / (LADDER_RUNGS - 1) * i, seen = ticks[i] - ticks[0];

		if (max(expected, seen) - min(expected, seen) > span / 20)
			return false;
	}
	return true;
}

static int calibrate(struct kb_launch *launch)
{
	int error = kb_clock_open(&launch->clock);

	if (error)
		return kb_fail(&launch->workers[0].run, -error, "no clock of a constant rate");
	error = kb_clock_measure(&launch->clock);
	if (error)
		return kb_fail(&launch->workers[0].run, -error, "the clock stands still or steps back");
	launch->clock.ladder_ok = ladder_holds(&launch->clock);
	kb_clock_examine(&launch->clock, NULL);
	/* The rate stays, for what is planned here by it; a record does not have it. Only of counters that count one by one is the unit true. */
	if (launch->clock.insns == 1 && launch->clock.ticks == 1)
		launch->clock.name = KB_CLOCK_ICOUNT;
	return 0;
}

/* Only what the benchmark declares: the name of a row is made of it. The rest is surroundings. */
static void write_params(struct kb_launch *launch)
{
	const struct kb_bench *about = launch->context.entry->kernel->about;

	for (int i = 0; i < KB_PARAM_MAX && about->params[i].name; i++)
		kb_launch_line(launch, "param", "%s=%s", about->params[i].name, launch->context.settings.text[i]);
}

static void write_env(struct kb_launch *launch)
{
	const struct kb_bench *bench = &launch->context.entry->bench;
	const struct kb_kernel_hooks *hooks = launch->context.entry->kernel->hooks;

	char model[100];

	kb_launch_line(launch, "env", "arch=%s", KB_ARCH_NAME);
	/* By these a reader elsewhere knows what a contention probe takes on this core when nobody shares it. */
	kb_cpu_model(model, sizeof model);
	kb_launch_line(launch, "env", "probe_loop=%u %s", kb_contention_instructions(), model);
	kb_launch_line(launch, "env", "cpu=%u pid=%d bytes_per_op=%llu checked=%d", raw_smp_processor_id(), task_pid_nr(current),
		       bench->bytes_per_op, hooks->check || hooks->checked);
	kb_launch_line(launch, "env", "isolation=%u threads=%u batch=%llu kernel_warmup=%llu max_ms=%llu", launch->isolation,
		       launch->threads, launch->batch, launch->warmup, launch->max_ms);
	if (bench->half_base)
		kb_launch_line(launch, "env", "base=half");
	if (launch->threads > 1) /* on CPUs of their own, which no contention probe watches */
		kb_launch_line(launch, "env", "partner=elsewhere");
}

static void write_host_line(struct kb_launch *launch, char *line)
{
	char *rest = strchr(line, ' ');

	if (rest)
		*rest++ = '\0';
	kb_record_line(&launch->out, line, rest);
}

static void write_host_lines(struct kb_launch *launch, char *lines)
{
	char *line;

	while (lines && (line = strsep(&lines, "\n"))) {
		if (*line)
			write_host_line(launch, line);
	}
}

static void write_header(struct kb_launch *launch, char *lines)
{
	const struct kb_kernel_entry *entry = launch->context.entry;
	const struct kb_clock *clock = &launch->clock;

	kb_record_begin(&launch->out, kb_queue_sink(&launch->queue));
	kb_record_line(&launch->out, "bench", entry->name);
	kb_record_line(&launch->out, "per", entry->bench.per ? entry->bench.per : "call");
	kb_launch_line(launch, "method", "%s seed=%llu process=%llu", launch->method, launch->seed, launch->number);
	write_params(launch);
	kb_launch_line(launch, "clock", "%s hz=%llu quantum=%llu cost=%llu ordered=%d ladder=%d", clock->name, kb_clock_rate(clock),
		       clock->quantum, clock->cost, clock->ordered, clock->ladder_ok);
	if (clock->counts == KB_COUNTS_EMULATION)
		kb_record_line(&launch->out, "note", "emulated_clock \"an emulator runs this kernel\"");
	write_env(launch);
	write_host_lines(launch, lines);
}

static void write_set_up(struct kb_launch *launch)
{
	static const char *const bounds[] = { "kernel", "latency", "issue", "memory", "nothing" };
	const struct kb_run *run = &launch->workers[0].run;

	if (run->granule != run->bench->granule)
		kb_launch_line(launch, "env", "granule=%llu", run->granule);
	kb_record_line(&launch->out, "bound", bounds[run->bound]);
	if (run->bytes_per_op != run->bench->bytes_per_op)
		kb_launch_line(launch, "env", "bytes_per_op=%llu", run->bytes_per_op);
}

int kb_launch_begin(struct kb_launch *launch, char *lines)
{
	int wrong, error;

	kb_trace_release();
	init_workers(launch);
	wrong = calibrate(launch);
	write_header(launch, lines);
	if (wrong)
		return kb_launch_fail(launch, "setup", wrong);
	kb_block_probe(launch);
	kb_launch_arm(launch);
	error = set_up(launch);
	write_set_up(launch);
	if (error)
		return kb_launch_fail(launch, "setup", error);
	error = kb_block_first_cost(launch);
	if (!error)
		error = launch->out.error;
	return error ? kb_launch_fail(launch, "setup", error) : 0;
}

/* The last line waits for the samples that nobody has read yet. */
static void close_record(struct kb_launch *launch, const char *stage, int error)
{
	launch->last.due = true;
	launch->last.stage = stage;
	launch->last.error = error;
	if (!kb_samples_pending(launch))
		kb_launch_last_line(launch);
}

void kb_launch_last_line(struct kb_launch *launch)
{
	if (!launch->last.due)
		return;
	launch->last.due = false;
	if (!launch->last.error) {
		kb_record_end(&launch->out);
		return;
	}
	if (launch->context.skipped)
		kb_record_unmet(&launch->out, launch->context.detail);
	kb_record_fail(&launch->out, launch->last.stage, -launch->last.error, launch->context.detail);
}

int kb_launch_fail(struct kb_launch *launch, const char *stage, int error)
{
	launch->failed = true;
	tear_down(launch);
	close_record(launch, stage, error);
	return error;
}

void kb_launch_abandon(struct kb_launch *launch)
{
	launch->failed = true;
	tear_down(launch);
}

int kb_launch_end(struct kb_launch *launch)
{
	int error = tear_down(launch);

	if (error)
		return kb_launch_fail(launch, "teardown", error);
	kb_block_evidence(launch);
	if (launch->threads > 1) {
		kb_launch_line(launch, "env", "overlap_percent=%u", launch->report.overlap);
		if (launch->report.overlap < 90)
			kb_launch_line(launch, "note", "partial_overlap \"the threads ran at the same time for %u %% only\"",
				       launch->report.overlap);
	}
	launch->failed = true; /* nothing may follow */
	close_record(launch, NULL, 0);
	return launch->out.error;
}
