// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Blocks of a plan: kb_measure_block executes them, as in user space. Here are its probe, which puts each interval into a window
 * and sees what disturbed it, the bounds that no interval may leave, and the counters that prove the operation.
 */
#include "framework/framework.h"

#define PROBE_LOOPS_MAX 50000u  /* a fraction of a millisecond, 20 times what the coarsest clock in use asks for */

/* There is one at a time. */
static struct kb_launch *the_launch;

static struct kb_launch *launch_of(const struct kb_run *run)
{
	return kb_worker_of(run)->launch;
}

/* An operation cannot be interrupted, so its bound comes first: a second without sleeping, of a whole group; max_ms with it. */
static int bound(struct kb_run *run, u64 n)
{
	struct kb_launch *launch = launch_of(run);
	bool may_sleep = launch->context.entry->kernel->hooks->may_sleep;
	u64 expected = kb_expected_ticks(launch, n), now = kb_kernel_begin();
	int error = kb_launch_may_go_on(launch);

	if (error)
		return error == -ETIME ? kb_fail(run, ETIME, "max_ms=%llu is over", launch->max_ms) : error;
	if (run->bench->max_n && n > run->bench->max_n)
		return kb_fail(run, E2BIG, "%llu operations: %s takes %llu at a time", n, run->bench->name, run->bench->max_n);
	if (!may_sleep && expected > launch->clock.hz / launch->intervals)
		return kb_fail(run, E2BIG, "%llu operations would keep a CPU for more than a second", n);
	if (expected > launch->deadline - now)
		return kb_fail(run, ETIME, "%llu operations would last longer than max_ms=%llu", n, launch->max_ms);
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	const struct kb_kernel_hooks *hooks = launch_of(run)->context.entry->kernel->hooks;
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

static u64 read_counter(struct kb_launch *launch, enum kb_counter counter)
{
	u64 counted = atomic64_read(&launch->context.counts[counter]);

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

static void tally(struct kb_launch *launch, struct kb_tally *sums, u64 n, u64 intervals)
{
	if (launch->warm)
		return;
	for (unsigned i = 0; i < KB_COUNTERS; i++)
		sums->counts[i] += read_counter(launch, i) - launch->seen[i];
	sums->operations += n;
	sums->intervals += intervals;
}

static void write_evidence(struct kb_launch *launch, enum kb_counter counter, const struct kb_tally *sums, bool base)
{
	struct kb_evidence line = { .who = "self", .base = base, .count = sums->counts[counter], .operations = sums->operations,
		.samples = sums->intervals };

	if (sums->intervals == 0 || !counter_name(counter))
		return;
	strscpy(line.counter, counter_name(counter), sizeof line.counter);
	kb_record_evidence(&launch->out, &line);
}

void kb_block_evidence(struct kb_launch *launch)
{
	const struct kb_bench *bench = &launch->context.entry->bench;

	for (int i = 0; i < KB_EXPECT_MAX && bench->expect[i].counter; i++) {
		if (!kb_settings_match(&launch->context.settings, bench->expect[i].when))
			continue;
		write_evidence(launch, bench->expect[i].counter, &launch->op, false);
		write_evidence(launch, bench->expect[i].counter, &launch->base, true);
	}
}

/* ---- the probe ----------------------------------------------------------------------------------- */

static void block_begin(void *context, bool warm)
{
	struct kb_launch *launch = context;

	launch->warm = warm;
	launch->cursor = 0;
	launch->intervals = 1;
	launch->block_window = 0;
	launch->block_mode = launch->isolation;
}

/* The operations of the interval that comes now; the plan knows, kb_measure_block need not. */
static u64 next_n(struct kb_launch *launch)
{
	const struct kb_block *block = launch->block;

	if (block->tests > 0)
		return block->steps[0].n * launch->intervals;
	while (launch->cursor + 1 < block->count && block->steps[launch->cursor].kind == KB_STEP_PROBE)
		launch->cursor++;
	return block->steps[launch->cursor++].n;
}

static void probe_before(void *context, enum kb_role role)
{
	struct kb_launch *launch = context;
	unsigned mode = kb_window_mode(launch, kb_window_ticks(launch, next_n(launch)));

	(void)role;
	launch->block_mode = min(launch->block_mode, mode);
	for (unsigned i = 0; i < KB_COUNTERS; i++)
		launch->seen[i] = read_counter(launch, i);
	kb_window_open(&launch->window, mode);
	kb_seen_read(&launch->workers[0].before);
}

static unsigned probe_after(void *context, enum kb_role role, uint64_t n, uint64_t ticks, unsigned *cpu)
{
	struct kb_launch *launch = context;
	unsigned flags = kb_seen_flags(&launch->workers[0].before, launch->context.entry->kernel->hooks->may_sleep);
	u64 length;

	*cpu = raw_smp_processor_id();
	length = kb_window_close(&launch->window);
	launch->block_window = max(launch->block_window, length);
	if (role == KB_ROLE_OP || role == KB_ROLE_SINGLE) {
		kb_learn_cost(launch, n, ticks);
		kb_learn_window(launch, n, ticks, length);
		tally(launch, &launch->op, n, launch->intervals);
	} else if (role == KB_ROLE_BASE) {
		tally(launch, &launch->base, n, 1);
	}
	return flags;
}

static void group(void *context, uint64_t intervals)
{
	((struct kb_launch *)context)->intervals = intervals;
}

static void report_block(struct kb_launch *launch)
{
	launch->report.window = max(launch->report.window, launch->block_window);
	launch->report.isolation = min(launch->report.isolation, launch->block_mode);
}

static void block_end(void *context, struct kb_record_writer *out, uint64_t block)
{
	struct kb_launch *launch = context;
	char line[100];

	report_block(launch);
	scnprintf(line, sizeof line, "%llu window=%llu isolation=%u threads=%u", block, launch->block_window, launch->block_mode,
		  launch->threads);
	kb_record_line(out, "k", line);
}

/* Between intervals, also those that no `before` precedes. */
static int line_up(void *line)
{
	return kb_launch_may_go_on(line);
}

/* Why an observation was refuted; of several in a block the words are the last one's. */
static size_t said(unsigned index, char *fields, size_t room)
{
	struct kb_text text = kb_text_in(fields, room);
	const struct kb_launch *launch = the_launch;

	if (launch->measure->observations[index].flags & KB_FLAG_REFUTED) {
		kb_text_str(&text, "refuted=");
		kb_text_quoted(&text, launch->context.refuted);
	}
	return text.used;
}

void kb_block_probe(struct kb_launch *launch)
{
	launch->probe = (struct kb_probe){
		.context = launch, .block_begin = block_begin, .before = probe_before, .after = probe_after,
		.block_end = block_end, .group = group,
	};
	*launch->measure = (struct kb_measure){
		.run = &launch->workers[0].run, .clock = &launch->clock, .probe = &launch->probe, .out = &launch->out,
		.line_up = line_up, .line = launch, .said = said,
	};
	the_launch = launch;
	launch->report = (struct kb_run_report){ .isolation = launch->isolation, .threads = launch->threads, .overlap = 100 };
}

/* ---- a block ------------------------------------------------------------------------------------- */

/* Some 50 us of operations at a time, so that the end of the round is not far. */
static u64 portion(const struct kb_launch *launch)
{
	const struct kb_run *run = &launch->workers[0].run;
	u64 unit = max_t(u64, run->granule, 1), n = launch->clock.hz / 20000 / max_t(u64, launch->cost * unit, 1) * unit;

	if (run->bench->max_n)
		n = min(n, run->bench->max_n);
	return max(n, unit);
}

/* What the other threads do while the first one measures. Time in which they were off their CPU is not busy. */
static void keep_busy(struct kb_worker *worker)
{
	struct kb_launch *launch = worker->launch;
	u64 n = portion(launch), ticks;

	worker->busy = 0;
	worker->error = kb_worker_line_up(worker);
	while (!worker->error && !READ_ONCE(launch->stop)) {
		u64 switches = current->nivcsw, began = kb_kernel_begin();

		worker->error = kb_interval(worker, n, &ticks);
		if (current->nivcsw == switches)
			WRITE_ONCE(worker->busy, worker->busy + kb_kernel_end() - began);
	}
}

/* Share of the round in which the others were at work, of the worst of them. */
static void note_overlap(struct kb_launch *launch, u64 elapsed)
{
	for (unsigned i = 1; i < launch->threads; i++) {
		u64 busy = min(launch->workers[i].busy, elapsed);
		unsigned percent = elapsed ? (unsigned)div64_u64(busy * 100, elapsed) : 100;

		launch->report.overlap = min(launch->report.overlap, percent);
	}
}

static int measure_contended(struct kb_launch *launch)
{
	u64 began, elapsed;
	int error, other;

	kb_threads_start(launch, keep_busy);
	error = kb_worker_line_up(&launch->workers[0]);
	began = kb_kernel_begin();
	if (error)
		kb_record_fail(&launch->out, "barrier", -error, "");
	else
		error = kb_measure_block(launch->measure, launch->block);
	elapsed = kb_kernel_begin() - began;
	other = kb_threads_stop(launch);
	note_overlap(launch, elapsed);
	if (!error && other)
		kb_record_fail(&launch->out, "op", -other, launch->context.detail);
	return error ? error : other;
}

/* No hook precedes an interval of the base, which is bounded as one of the operation, whose cost is not less; and nothing else bounds
   the contention probe, which runs inside the window. */
static int bound_plan(struct kb_launch *launch)
{
	const struct kb_block *block = launch->block;
	int error = 0;

	launch->intervals = 1;
	if (block->probe > PROBE_LOOPS_MAX)
		error = kb_fail(&launch->workers[0].run, E2BIG, "a contention probe has at most %u loops", PROBE_LOOPS_MAX);
	for (unsigned i = 0; i < block->count && !error; i++) {
		if (block->steps[i].kind == KB_STEP_BASE)
			error = bound(&launch->workers[0].run, block->steps[i].n);
	}
	if (error)
		kb_record_fail(&launch->out, "plan", -error, launch->context.detail);
	return error;
}

int kb_block_run(struct kb_launch *launch)
{
	int error;

	kb_launch_arm(launch);
	launch->next_block = max(launch->next_block, launch->block->index + 1);
	launch->context.detail[0] = '\0';
	launch->measure->detail = launch->context.detail;
	error = bound_plan(launch);
	if (!error)
		error = launch->threads > 1 ? measure_contended(launch) : kb_measure_block(launch->measure, launch->block);
	launch->failed |= error != 0;
	return error;
}
