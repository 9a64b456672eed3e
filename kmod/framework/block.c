// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Blocks of a plan: kb_measure_block executes them, as in user space. Here are its probe, which puts each sample into a window
 * and sees what disturbed it, the bounds that no sample may leave, and the counters that prove the operation.
 */
#include "framework/block.h"
#include "framework/threads.h"
#include "framework/window.h"

#define PROBE_LOOPS_MAX 50000u  /* a fraction of a millisecond, 20 times what the coarsest clock in use asks for */

/* There is one at a time. */
static struct kb_kernel_process *the_process;

static struct kb_kernel_process *process_of(const struct kb_run *run)
{
	return kb_worker_of(run)->process;
}

/* An operation cannot be interrupted, so its bound comes first: a second without sleeping, of a whole group; max_ms with it. */
static int bound(struct kb_run *run, u64 n)
{
	struct kb_kernel_process *process = process_of(run);
	bool may_sleep = process->context.entry->kernel->hooks->may_sleep;
	u64 expected = kb_expected_ticks(process, n), now = kb_kernel_begin();
	int error = kb_window_may_go_on(process);

	if (error)
		return error == -ETIME ? kb_fail(run, ETIME, "max_ms=%llu is over", process->max_ms) : error;
	if (run->bench->max_n && n > run->bench->max_n)
		return kb_fail(run, E2BIG, "%llu operations: %s takes %llu at a time", n, run->bench->name, run->bench->max_n);
	if (!may_sleep && expected > process->clock.hz / process->samples)
		return kb_fail(run, E2BIG, "%llu operations would keep a CPU for more than a second", n);
	if (expected > process->deadline - now)
		return kb_fail(run, ETIME, "%llu operations would last longer than max_ms=%llu", n, process->max_ms);
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	const struct kb_kernel_hooks *hooks = process_of(run)->context.entry->kernel->hooks;
	int error = bound(run, n);

	return error || !hooks->prepare ? error : hooks->prepare(run, n);
}

void kb_block_hooks(struct kb_bench *bench, const struct kb_kernel_hooks *hooks)
{
	bench->before = before;
	bench->op = hooks->op;
	bench->base = hooks->base;
	bench->observe = hooks->observe;
	bench->check = hooks->check;
}

/* ---- evidence ------------------------------------------------------------------------------------ */

static u64 read_counter(struct kb_kernel_process *process, enum kb_counter counter)
{
	u64 counted = atomic64_read(&process->context.counts[counter]);

	switch (counter) {
	case KB_NVCSW:
		return current->nvcsw;
	case KB_NIVCSW:
		return current->nivcsw;
	case KB_SWITCHES:
		return current->nvcsw + current->nivcsw + counted;
	default:
		return counted;
	}
}

static const char *counter_name(enum kb_counter counter)
{
	static const char *const names[KB_COUNTERS] = {
		[KB_NVCSW] = "nvcsw", [KB_NIVCSW] = "nivcsw", [KB_SWITCHES] = "switches", [KB_SEEN] = "seen", [KB_ABSENT] = "absent",
	};

	return names[counter];
}

static void tally(struct kb_kernel_process *process, struct kb_counted *sums, u64 n, u64 samples)
{
	if (process->warm)
		return;
	for (unsigned i = 0; i < KB_COUNTERS; i++)
		sums->counts[i] += read_counter(process, i) - process->seen[i];
	sums->operations += n;
	sums->samples += samples;
}

static void write_evidence(struct kb_kernel_process *process, enum kb_counter counter, const struct kb_counted *sums, bool base)
{
	struct kb_evidence line = { .who = "self", .base = base, .count = sums->counts[counter], .operations = sums->operations,
		.samples = sums->samples };

	if (sums->samples == 0 || !counter_name(counter))
		return;
	strscpy(line.counter, counter_name(counter), sizeof line.counter);
	kb_record_evidence(&process->out, &line);
}

void kb_block_evidence(struct kb_kernel_process *process)
{
	const struct kb_bench *bench = &process->context.entry->bench;

	for (int i = 0; i < KB_EXPECT_MAX && bench->expect[i].counter; i++) {
		if (!kb_settings_match(&process->context.settings, bench->expect[i].when))
			continue;
		write_evidence(process, bench->expect[i].counter, &process->op, false);
		write_evidence(process, bench->expect[i].counter, &process->base, true);
	}
	kb_events_report(&process->events, &process->out, false, process->op.operations, process->op.samples);
	kb_events_report(&process->events, &process->out, true, process->base.operations, process->base.samples);
}

/* ---- the probe ----------------------------------------------------------------------------------- */

static void block_begin(void *context, bool warm)
{
	struct kb_kernel_process *process = context;

	process->warm = warm;
	process->cursor = 0;
	process->samples = 1;
	process->block_window = 0;
	process->block_mode = process->isolation;
}

/* The operations of the sample that comes now; the plan knows, kb_measure_block need not. */
static u64 next_n(struct kb_kernel_process *process)
{
	const struct kb_block *block = process->block;

	if (block->tests > 0)
		return block->steps[0].n * process->samples;
	while (process->cursor + 1 < block->count && block->steps[process->cursor].kind == KB_STEP_PROBE)
		process->cursor++;
	return block->steps[process->cursor++].n;
}

static void probe_before(void *context, enum kb_role role)
{
	struct kb_kernel_process *process = context;
	unsigned mode = kb_window_mode(process, kb_window_ticks(process, next_n(process)));

	(void)role;
	process->block_mode = min(process->block_mode, mode);
	for (unsigned i = 0; i < KB_COUNTERS; i++)
		process->seen[i] = read_counter(process, i);
	kb_window_open(&process->window, mode);
	kb_seen_read(&process->workers[0].before);
	kb_events_before(&process->events);
}

static unsigned probe_after(void *context, enum kb_role role, uint64_t n, uint64_t ticks, unsigned *cpu)
{
	struct kb_kernel_process *process = context;
	bool op = role == KB_ROLE_OP || role == KB_ROLE_SINGLE;

	if (!process->warm && (op || role == KB_ROLE_BASE))
		kb_events_after(&process->events, !op);

	unsigned flags = kb_seen_flags(&process->workers[0].before, process->context.entry->kernel->hooks->may_sleep);
	u64 length;

	*cpu = raw_smp_processor_id();
	length = kb_window_close(&process->window);
	process->block_window = max(process->block_window, length);
	if (op) {
		kb_learn_cost(process, n, ticks);
		kb_learn_window(process, n, ticks, length);
		tally(process, &process->op, n, process->samples);
	} else if (role == KB_ROLE_BASE) {
		tally(process, &process->base, n, 1);
	}
	return flags;
}

static void group(void *context, uint64_t samples)
{
	((struct kb_kernel_process *)context)->samples = samples;
}

static void report_block(struct kb_kernel_process *process)
{
	process->report.window = max(process->report.window, process->block_window);
	process->report.isolation = min(process->report.isolation, process->block_mode);
}

static void block_end(void *context, struct kb_record_writer *out, uint64_t block)
{
	struct kb_kernel_process *process = context;
	char line[100];

	report_block(process);
	scnprintf(line, sizeof line, "%llu window=%llu isolation=%u threads=%u", block, process->block_window, process->block_mode,
		  process->threads);
	kb_record_line(out, "k", line);
}

/* Between samples, also those that no `before` precedes. */
static int line_up(void *line)
{
	return kb_window_may_go_on(line);
}

/* Why an observation was refuted; of several in a block the last one's text. */
static size_t add_refuted(unsigned index, char *fields, size_t room)
{
	struct kb_text text = kb_text_in(fields, room);
	const struct kb_kernel_process *process = the_process;

	if (process->measure->observations[index].flags & KB_FLAG_REFUTED) {
		kb_text_str(&text, "refuted=");
		kb_text_quoted(&text, process->context.refuted);
	}
	return text.used;
}

void kb_block_probe(struct kb_kernel_process *process)
{
	process->probe = (struct kb_probe){
		.context = process, .block_begin = block_begin, .before = probe_before, .after = probe_after,
		.block_end = block_end, .group = group,
	};
	*process->measure = (struct kb_measure){
		.run = &process->workers[0].run, .clock = &process->clock, .probe = &process->probe, .out = &process->out,
		.line_up = line_up, .line = process, .annotate = add_refuted,
	};
	the_process = process;
	process->report = (struct kb_run_report){ .isolation = process->isolation, .threads = process->threads, .overlap = 100 };
}

/* ---- a block ------------------------------------------------------------------------------------- */

/* Some 50 us of operations at a time, so that the end of the round is not far. */
static u64 portion(const struct kb_kernel_process *process)
{
	const struct kb_run *run = &process->workers[0].run;
	u64 unit = max_t(u64, run->granule, 1), n = process->clock.hz / 20000 / max_t(u64, process->cost * unit, 1) * unit;

	if (run->bench->max_n)
		n = min(n, run->bench->max_n);
	return max(n, unit);
}

/* What the other threads do while the first one measures. Time in which they were off their CPU is not busy. */
static void keep_busy(struct kb_worker *worker)
{
	struct kb_kernel_process *process = worker->process;
	u64 n = portion(process), ticks;

	worker->busy = 0;
	worker->error = kb_worker_line_up(worker);
	while (!worker->error && !READ_ONCE(process->stop)) {
		u64 switches = current->nivcsw, began = kb_kernel_begin();

		worker->error = kb_take_sample(worker, n, &ticks);
		if (current->nivcsw == switches)
			WRITE_ONCE(worker->busy, worker->busy + kb_kernel_end() - began);
	}
}

/* Share of the round in which the others were at work, of the worst of them. */
static void note_overlap(struct kb_kernel_process *process, u64 elapsed)
{
	for (unsigned i = 1; i < process->threads; i++) {
		u64 busy = min(process->workers[i].busy, elapsed);
		unsigned percent = elapsed ? (unsigned)div64_u64(busy * 100, elapsed) : 100;

		process->report.overlap = min(process->report.overlap, percent);
	}
}

static int measure_contended(struct kb_kernel_process *process)
{
	u64 began, elapsed;
	int error, other;

	kb_threads_start(process, keep_busy);
	error = kb_worker_line_up(&process->workers[0]);
	began = kb_kernel_begin();
	if (error)
		kb_record_fail(&process->out, "barrier", -error, "");
	else
		error = kb_measure_block(process->measure, process->block);
	elapsed = kb_kernel_begin() - began;
	other = kb_threads_stop(process);
	note_overlap(process, elapsed);
	if (!error && other)
		kb_record_fail(&process->out, "op", -other, process->context.detail);
	return error ? error : other;
}

/* No hook precedes a sample of the base, which is bounded as one of the operation, whose cost is not less; and nothing else bounds
   the contention probe, which runs inside the window. */
static int bound_plan(struct kb_kernel_process *process)
{
	const struct kb_block *block = process->block;
	int error = 0;

	process->samples = 1;
	if (block->probe > PROBE_LOOPS_MAX)
		error = kb_fail(&process->workers[0].run, E2BIG, "a contention probe has at most %u loops", PROBE_LOOPS_MAX);
	for (unsigned i = 0; i < block->count && !error; i++) {
		if (block->steps[i].kind == KB_STEP_BASE)
			error = bound(&process->workers[0].run, block->steps[i].n);
	}
	if (error)
		kb_record_fail(&process->out, "plan", -error, process->context.detail);
	return error;
}

int kb_block_run(struct kb_kernel_process *process)
{
	int error;

	kb_window_arm(process);
	process->next_block = max(process->next_block, process->block->index + 1);
	process->context.detail[0] = '\0';
	process->measure->detail = process->context.detail;
	error = bound_plan(process);
	if (!error)
		error = process->threads > 1 ? measure_contended(process) : kb_measure_block(process->measure, process->block);
	process->failed |= error != 0;
	return error;
}
