// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * A process, from the header of its record to its last line. Whatever order things fail in, teardown runs once for what was set
 * up, the threads are gone before it, and the record ends in `end` or `fail`.
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "framework/block.h"
#include "framework/process.h"
#include "framework/samples.h"
#include "framework/threads.h"
#include "framework/trace.h"
#include "framework/window.h"
#include "measure/emulation.h"

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

/* ---- made and freed ------------------------------------------------------------------------------ */

static u64 setting(const struct kb_kernel_process *process, const char *name)
{
	struct kb_span span = { name, kb_strlen(name) };

	return process->context.settings.number[kb_param_index(&process->context.entry->bench, span)];
}

static void read_settings(struct kb_kernel_process *process)
{
	process->loop_count = setting(process, "loop_count");
	process->warmup = setting(process, "warmup");
	process->threads = (unsigned)setting(process, "threads");
	process->batch = setting(process, "batch");
	process->isolation = kb_may_sleep(process) ? 0 : (unsigned)setting(process, "isolation");
	process->max_ms = setting(process, "max_ms");
}

static int allocate(struct kb_kernel_process *process)
{
	process->measure = kvzalloc(sizeof *process->measure, GFP_KERNEL);
	process->block = kzalloc(sizeof *process->block, GFP_KERNEL);
	process->workers = kvcalloc(process->threads, sizeof *process->workers, GFP_KERNEL);
	return process->measure && process->block && process->workers ? 0 : -ENOMEM;
}

static void init_workers(struct kb_kernel_process *process)
{
	const struct kb_bench *bench = &process->context.entry->bench;

	for (unsigned i = 0; i < process->threads; i++) {
		struct kb_worker *worker = &process->workers[i];

		worker->process = process;
		worker->index = i;
		worker->run = (struct kb_run){
			.bench = bench, .bound = bench->bound, .bytes_per_op = bench->bytes_per_op, .granule = bench->granule,
			.seed = process->seed, .context = &process->context,
		};
	}
}

struct kb_kernel_process *kb_process_new(struct kb_kernel_entry *entry, const struct kb_settings *settings)
{
	struct kb_kernel_process *process = kvzalloc(sizeof *process, GFP_KERNEL);

	if (!process)
		return ERR_PTR(-ENOMEM);
	process->context.entry = entry;
	process->context.settings = *settings;
	process->seed = 1;
	kb_threads_init(process);
	read_settings(process);
	if (allocate(process)) {
		kb_process_free(process);
		return ERR_PTR(-ENOMEM);
	}
	return process;
}

/* ---- set-up and teardown ------------------------------------------------------------------------- */

static int check_needs(struct kb_kernel_process *process)
{
	struct kb_run *run = &process->workers[0].run;

	if ((run->bench->needs & KB_NEED_TWO_CPUS) && num_online_cpus() < 2)
		return kb_skip(run, "needs two CPUs");
	if (process->threads > num_online_cpus())
		return kb_fail(run, ERANGE, "threads=%u: only %u CPUs are online", process->threads, num_online_cpus());
	return 0;
}

/* The other threads start with what setup of the first one made. */
static int set_up(struct kb_kernel_process *process)
{
	const struct kb_kernel_hooks *hooks = process->context.entry->kernel->hooks;
	struct kb_worker *first = &process->workers[0];
	int error = check_needs(process);

	if (!error && hooks->setup)
		error = hooks->setup(&first->run);
	if (error)
		return error;
	process->is_open = true;
	process->state = first->run.state;
	for (unsigned i = 1; i < process->threads; i++)
		process->workers[i].run = first->run;
	error = kb_worker_set_up(first);
	return error ? error : kb_threads_create(process);
}

/* setup leaves nothing behind when it fails, as everywhere; what follows it is undone here. */
static int tear_down(struct kb_kernel_process *process)
{
	const struct kb_kernel_hooks *hooks = process->context.entry->kernel->hooks;
	int error = kb_threads_join(process);

	kb_worker_tear_down(&process->workers[0]);
	process->workers[0].run.state = process->state;
	if (process->is_open && hooks->teardown)
		hooks->teardown(&process->workers[0].run);
	process->is_open = false;
	return error;
}

void kb_process_free(struct kb_kernel_process *process)
{
	if (process->workers) {
		tear_down(process);
		kb_samples_free(process);
	}
	kb_events_close(&process->events);
	kb_queue_free(&process->queue);
	kvfree(process->workers);
	kfree(process->block);
	kvfree(process->measure);
	kvfree(process);
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

static int calibrate(struct kb_kernel_process *process)
{
	int error = kb_clock_open(&process->clock);

	if (error)
		return kb_fail(&process->workers[0].run, -error, "no clock of a constant rate");
	error = kb_clock_measure(&process->clock);
	if (error)
		return kb_fail(&process->workers[0].run, -error, "the clock stands still or steps back");
	process->clock.ladder_ok = ladder_holds(&process->clock);
	kb_clock_examine(&process->clock, NULL);
	/* The rate stays, for what is planned here by it; a record does not have it. Only of counters that count one by one is the unit true. */
	if (process->clock.insns == 1 && process->clock.ticks == 1)
		process->clock.name = KB_CLOCK_ICOUNT;
	return 0;
}

/* Only what the benchmark declares: the name of a result is made of it. The rest describes the machine. */
static void write_params(struct kb_kernel_process *process)
{
	const struct kb_bench *about = process->context.entry->kernel->about;

	for (int i = 0; i < KB_PARAM_MAX && about->params[i].name; i++)
		kb_write_format(&process->out, "param", "%s=%s", about->params[i].name, process->context.settings.text[i]);
}

static void write_env(struct kb_kernel_process *process)
{
	const struct kb_bench *bench = &process->context.entry->bench;
	const struct kb_kernel_hooks *hooks = process->context.entry->kernel->hooks;

	char model[100];

	kb_write_format(&process->out, "env", "arch=%s", KB_ARCH_NAME);
	/* By these a reader elsewhere knows what a contention probe takes on this core when nobody shares it. */
	kb_cpu_model(model, sizeof model);
	kb_write_format(&process->out, "env", "probe_loop=%u %s", kb_contention_instructions(), model);
	kb_write_format(&process->out, "env", "cpu=%u pid=%d bytes_per_op=%llu checked=%d", raw_smp_processor_id(), task_pid_nr(current),
		       bench->bytes_per_op, hooks->check || hooks->checked);
	kb_write_format(&process->out, "env", "isolation=%u threads=%u batch=%llu kernel_warmup=%llu max_ms=%llu", process->isolation,
		       process->threads, process->batch, process->warmup, process->max_ms);
	if (bench->half_base)
		kb_write_format(&process->out, "env", "base=half");
	if (process->threads > 1) /* on CPUs of their own, which no contention probe watches */
		kb_write_format(&process->out, "env", "partner=elsewhere");
}

static void write_host_line(struct kb_kernel_process *process, char *line)
{
	char *rest = strchr(line, ' ');

	if (rest)
		*rest++ = '\0';
	kb_record_line(&process->out, line, rest);
}

static void write_host_lines(struct kb_kernel_process *process, char *lines)
{
	char *line;

	while (lines && (line = strsep(&lines, "\n"))) {
		if (*line)
			write_host_line(process, line);
	}
}

static void write_header(struct kb_kernel_process *process, char *lines)
{
	const struct kb_kernel_entry *entry = process->context.entry;
	const struct kb_clock *clock = &process->clock;

	kb_record_begin(&process->out, kb_queue_sink(&process->queue));
	kb_record_line(&process->out, "bench", entry->name);
	kb_record_line(&process->out, "per", entry->bench.per ? entry->bench.per : "call");
	kb_write_format(&process->out, "method", "%s seed=%llu process=%llu", process->method, process->seed, process->number);
	write_params(process);
	kb_write_format(&process->out, "clock", "%s hz=%llu quantum=%llu cost=%llu ordered=%d ladder=%d", clock->name, kb_clock_rate(clock),
		       clock->quantum, clock->cost, clock->ordered, clock->ladder_ok);
	if (clock->counts == KB_COUNTS_EMULATION)
		kb_record_line(&process->out, "note", "emulated_clock \"an emulator runs this kernel\"");
	write_env(process);
	write_host_lines(process, lines);
}

static void write_set_up(struct kb_kernel_process *process)
{
	static const char *const bounds[] = { "kernel", "latency", "issue", "memory", "nothing" };
	const struct kb_run *run = &process->workers[0].run;

	if (run->granule != run->bench->granule)
		kb_write_format(&process->out, "env", "granule=%llu", run->granule);
	kb_record_line(&process->out, "bound", bounds[run->bound]);
	if (run->bytes_per_op != run->bench->bytes_per_op)
		kb_write_format(&process->out, "env", "bytes_per_op=%llu", run->bytes_per_op);
}

int kb_process_begin(struct kb_kernel_process *process, char *lines)
{
	int wrong, error;

	kb_trace_release();
	init_workers(process);
	wrong = calibrate(process);
	write_header(process, lines);
	if (wrong)
		return kb_process_fail(process, "setup", wrong);
	kb_block_probe(process);
	kb_window_arm(process);
	error = set_up(process);
	write_set_up(process);
	if (error)
		return kb_process_fail(process, "setup", error);
	error = kb_window_first_cost(process);
	if (!error)
		error = process->out.error;
	if (!error)
		kb_events_open(&process->events);
	return error ? kb_process_fail(process, "setup", error) : 0;
}

/* The last line waits for the samples that nobody has read yet. */
static void close_record(struct kb_kernel_process *process, const char *stage, int error)
{
	process->last.due = true;
	process->last.stage = stage;
	process->last.error = error;
	if (!kb_samples_pending(process))
		kb_process_last_line(process);
}

void kb_process_last_line(struct kb_kernel_process *process)
{
	if (!process->last.due)
		return;
	process->last.due = false;
	if (!process->last.error) {
		kb_record_end(&process->out);
		return;
	}
	if (process->context.skipped)
		kb_record_note(&process->out, "need_unmet", process->context.detail);
	kb_record_fail(&process->out, process->last.stage, -process->last.error, process->context.detail);
}

int kb_process_fail(struct kb_kernel_process *process, const char *stage, int error)
{
	process->failed = true;
	tear_down(process);
	close_record(process, stage, error);
	return error;
}

void kb_process_abandon(struct kb_kernel_process *process)
{
	process->failed = true;
	tear_down(process);
}

int kb_process_end(struct kb_kernel_process *process)
{
	int error = tear_down(process);

	if (error)
		return kb_process_fail(process, "teardown", error);
	kb_block_evidence(process);
	if (process->threads > 1) {
		kb_write_format(&process->out, "env", "overlap_percent=%u", process->report.overlap);
		if (process->report.overlap < 90)
			kb_write_format(&process->out, "note", "partial_overlap \"the threads ran at the same time for %u %% only\"",
				       process->report.overlap);
	}
	process->failed = true; /* nothing may follow */
	close_record(process, NULL, 0);
	return process->out.error;
}

int kb_process_param(struct kb_settings *settings, struct kb_span name, struct kb_span value, unsigned threads)
{
	struct kb_settings *changed = kmemdup(settings, sizeof *changed, GFP_KERNEL);
	char ignored[8];
	struct kb_text detail = kb_text_in(ignored, sizeof ignored);
	int error, i;

	if (!changed)
		return -ENOMEM;
	error = kb_settings_set(changed, name, value, &detail);
	i = kb_param_index(changed->bench, (struct kb_span){ "threads", 7 });
	if (!error && i >= 0 && changed->number[i] > threads)
		error = -ERANGE;
	if (!error)
		*settings = *changed;
	kfree(changed);
	return error;
}
