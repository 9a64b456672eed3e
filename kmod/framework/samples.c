// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Single operations, as in the article that this directory of /sys goes back to: many samples of one operation (of `batch`), each
 * kept. All threads of a contended benchmark take theirs at the same time; who is through goes on without recording until all
 * are, so that nobody's last samples are taken alone. Nothing is dropped: a sample carries what disturbed it.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "base/order_statistics.h"
#include "framework/samples.h"
#include "framework/threads.h"
#include "framework/window.h"

#define SAMPLES_BYTES_MAX (256ul << 20)
#define EMIT_ONCE 512u          /* samples */

void kb_samples_free(struct kb_kernel_process *process)
{
	for (unsigned i = 0; i < process->threads; i++) {
		kvfree(process->workers[i].samples);
		process->workers[i].samples = NULL;
		process->workers[i].count = 0;
	}
	process->emitted = 0;
}

/* Refused before anything is taken, because asking for too much would end another process. The ticks are sorted in a copy. */
static bool has_room(u64 samples)
{
	u64 bytes = samples * (sizeof(struct kb_sample) + sizeof(u64));

	return samples <= SAMPLES_BYTES_MAX / sizeof(struct kb_sample) && bytes / PAGE_SIZE < (u64)max(si_mem_available(), 0l) / 2;
}

/* Zeroed and so touched: a page fault is no operation. */
static int allocate(struct kb_kernel_process *process, u64 count)
{
	if (!has_room(count * process->threads))
		return kb_fail(&process->workers[0].run, ENOMEM, "%llu samples do not fit into half of the free memory, or 256 MiB",
			       count * process->threads);
	kb_samples_free(process);
	for (unsigned i = 0; i < process->threads; i++) {
		process->workers[i].samples = kvcalloc(count, sizeof(struct kb_sample), GFP_KERNEL);
		if (!process->workers[i].samples)
			return -ENOMEM;
	}
	return 0;
}

/* ---- taking them --------------------------------------------------------------------------------- */

struct taking {
	struct kb_worker *worker;
	struct kb_kernel_bench *kernel;
	u64 n, wanted, expected;
	unsigned mode;
	struct kb_window window;
	u64 longest;
};

static void keep(struct kb_worker *worker, u64 start, u64 ticks, unsigned flags)
{
	struct kb_sample *sample = &worker->samples[worker->count++];

	*sample = (struct kb_sample){ .start = start, .ticks = min_t(u64, ticks, U32_MAX), .thread = worker->index,
		.flags = flags | (ticks > U32_MAX ? KB_SAMPLE_SATURATED : 0) };
	if (worker->first == 0)
		worker->first = start;
	worker->last = start + ticks;
}

static int take(struct taking *taking)
{
	struct kb_worker *worker = taking->worker;
	const struct kb_kernel_hooks *hooks = taking->kernel->hooks;
	u64 start = 0, ticks = 0;
	struct kb_seen before;
	unsigned flags;
	int error;

	worker->refuted = false;
	kb_seen_read(&before);
	if (hooks->op) {
		error = taking->kernel->timed(&worker->run, taking->n, &start, &ticks);
	} else {
		start = kb_kernel_begin();
		error = hooks->observe(&worker->run, taking->n, &ticks);
	}
	flags = kb_seen_flags(&before, hooks->may_sleep);
	if (!error && hooks->check)
		error = hooks->check(&worker->run, taking->n);
	if (!error)
		keep(worker, start, ticks, flags | (worker->refuted ? KB_FLAG_REFUTED : 0));
	return error;
}

/* One window of samples: as many as it holds, one if each has to be prepared. */
static int take_window(struct taking *taking)
{
	struct kb_worker *worker = taking->worker;
	const struct kb_kernel_hooks *hooks = taking->kernel->hooks;
	/* What closing it takes, and one sample more, shall still be inside. */
	u64 most = kb_window_limit(worker->process, taking->mode) / 64 * 63, limit = most - min(taking->expected, most);
	int error = hooks->prepare ? hooks->prepare(&worker->run, taking->n) : 0;

	if (error)
		return error;
	kb_window_open(&taking->window, taking->mode);
	do
		error = take(taking);
	while (!error && worker->count < taking->wanted && !hooks->prepare && worker->last - taking->window.opened < limit);
	taking->longest = max(taking->longest, kb_window_close(&taking->window));
	return error;
}

static int warm_up(struct kb_worker *worker, u64 n)
{
	u64 ticks;
	int error = 0;

	for (u64 i = 0; i < worker->process->warmup && !error; i++) {
		error = kb_window_may_go_on(worker->process);
		if (!error)
			error = kb_take_sample(worker, n, &ticks);
	}
	/* Nobody shall wait on the line for it. */
	if (error)
		WRITE_ONCE(worker->process->stop, true);
	return error;
}

/* `batch`, in whole granules, and not more than the benchmark takes at a time. */
static u64 operations(const struct kb_kernel_process *process)
{
	const struct kb_run *run = &process->workers[0].run;
	u64 granule = max_t(u64, run->granule, 1), most = run->bench->max_n ? run->bench->max_n : U64_MAX;

	return max(min(roundup(process->batch, granule), rounddown(most, granule)), granule);
}

static void take_all(struct kb_worker *worker)
{
	struct kb_kernel_process *process = worker->process;
	u64 n = operations(process), ticks;
	struct taking taking = {
		.worker = worker, .kernel = process->context.entry->kernel, .n = n, .wanted = process->wanted,
		.expected = kb_expected_ticks(process, n), .mode = kb_window_mode(process, kb_expected_ticks(process, n)),
	};
	int error = warm_up(worker, n);

	worker->cpu = raw_smp_processor_id();
	worker->first = worker->last = 0;
	if (!error)
		error = kb_worker_line_up(worker);
	while (!error && worker->count < taking.wanted) {
		error = take_window(&taking);
		if (!error && worker->count < taking.wanted)
			error = kb_window_may_go_on(process);
	}
	worker->error = error;
	worker->window = taking.longest;
	atomic_inc(&process->through);
	while (!error && (unsigned)atomic_read(&process->through) <= process->created && !kb_window_may_go_on(process))
		error = kb_take_sample(worker, n, &ticks);
	if (!worker->error)
		worker->error = error == -EINTR ? 0 : error;
}

/* The time that all threads share, as a part of the longest of them. */
static void report(struct kb_kernel_process *process)
{
	u64 first = 0, last = U64_MAX, longest = 1, *origin = &process->measure->first;
	u64 expected = kb_expected_ticks(process, operations(process));

	for (unsigned i = 0; i < process->threads; i++) {
		const struct kb_worker *worker = &process->workers[i];

		/* Of threads that begin together any may be the first. */
		if (worker->first && (*origin == 0 || worker->first < *origin))
			*origin = worker->first;
		first = max(first, worker->first);
		last = min(last, worker->last);
		longest = max(longest, worker->last - worker->first);
		process->report.window = max(process->report.window, worker->window);
	}
	process->report.isolation = kb_window_mode(process, expected);
	process->report.overlap = last > first ? (unsigned)div64_u64((last - first) * 100, longest) : 0;
}

static int refuse_too_long(struct kb_kernel_process *process)
{
	u64 expected = kb_expected_ticks(process, operations(process));

	if (process->context.entry->kernel->hooks->may_sleep || expected <= process->clock.hz / 100)
		return 0;
	return kb_fail(&process->workers[0].run, E2BIG, "%llu operations in one go would keep a CPU for more than 10 ms",
		       operations(process));
}

/* A contended run that one thread left early is no run: its error counts, and what it made the others do does not. */
static int take_with_all(struct kb_kernel_process *process)
{
	int error, other;

	atomic_set(&process->through, 0);
	kb_threads_start(process, take_all);
	take_all(&process->workers[0]);
	error = process->workers[0].error;
	other = kb_threads_stop(process);
	return other && (!error || error == -EINTR) ? other : error;
}

int kb_samples_run(struct kb_kernel_process *process, u64 count)
{
	int error;

	process->context.detail[0] = '\0';
	error = refuse_too_long(process);
	if (!error)
		error = allocate(process, count);
	if (error)
		return error;
	process->wanted = count;
	process->sample_block = process->next_block++;
	kb_window_arm(process);
	error = take_with_all(process);
	report(process);
	if (error == -ETIME)
		kb_fail(&process->workers[0].run, ETIME, "max_ms=%llu ended the run; what was taken by then is kept", process->max_ms);
	return error;
}

/* ---- showing them -------------------------------------------------------------------------------- */

static u64 total(const struct kb_kernel_process *process)
{
	u64 count = 0;

	for (unsigned i = 0; i < process->threads; i++)
		count += process->workers[i].count;
	return count;
}

bool kb_samples_pending(const struct kb_kernel_process *process)
{
	return process->emitted < total(process);
}

/* Samples by number through all threads. */
static const struct kb_sample *sample_at(const struct kb_kernel_process *process, u64 index)
{
	const struct kb_worker *worker = process->workers;

	while (index >= worker->count)
		index -= worker++->count;
	return &worker->samples[index];
}

static void emit(struct kb_kernel_process *process, const struct kb_sample *sample)
{
	static const char saturated[] = "saturated=1";
	u64 n = operations(process);
	struct kb_obs obs = {
		.role = n == 1 ? KB_ROLE_SINGLE : KB_ROLE_OP, .n = n, .ticks = sample->ticks, .cpu = process->workers[sample->thread].cpu,
		.flags = sample->flags & ~KB_SAMPLE_SATURATED, .block = process->sample_block,
	};

	obs.t = sample->start - process->measure->first;
	if (sample->flags & KB_SAMPLE_SATURATED)
		obs.extra = (struct kb_span){ saturated, sizeof saturated - 1 };
	kb_record_obs(&process->out, &obs);
}

int kb_samples_emit(struct kb_kernel_process *process)
{
	for (unsigned i = 0; i < EMIT_ONCE && kb_samples_pending(process) && !process->out.error; i++)
		emit(process, sample_at(process, process->emitted++));
	cond_resched();
	return process->out.error;
}

static bool may_go_on(void)
{
	cond_resched();
	return !fatal_signal_pending(current);
}

u64 *kb_samples_sorted(const struct kb_kernel_process *process, size_t *count)
{
	u64 *ticks;

	*count = total(process);
	ticks = *count ? kvmalloc_array(*count, sizeof *ticks, GFP_KERNEL) : NULL;
	for (size_t i = 0; ticks && i < *count; i++) {
		ticks[i] = sample_at(process, i)->ticks;
		if (i % EMIT_ONCE == 0)
			cond_resched();
	}
	if (ticks)
		kb_order_sort(ticks, *count, may_go_on);
	return ticks;
}
