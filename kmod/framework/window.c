// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Windows without preemption or interrupts. They are bounded by time, not by a count: 2 ms and 100 us. What one operation costs
 * is found before the first of them opens, and where a sample would not fit its window is of a weaker mode, which the record
 * says.
 */
#include <linux/overflow.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>

#include "framework/window.h"

#define FIRST_COST_TRIES 3u

/* ---- limits of time ------------------------------------------------------------------------------ */

void kb_window_arm(struct kb_kernel_process *process)
{
	process->deadline = kb_kernel_begin() + process->clock.hz / 1000 * process->max_ms;
}

int kb_window_may_go_on(const struct kb_kernel_process *process)
{
	if (READ_ONCE(process->stop) || fatal_signal_pending(current))
		return -EINTR;
	return kb_kernel_begin() >= process->deadline ? -ETIME : 0;
}

/* ---- windows -------------------------------------------------------------------------------------- */

u64 kb_window_limit(const struct kb_kernel_process *process, unsigned mode)
{
	return mode == 2 ? process->clock.hz / 10000 : process->clock.hz / 500;
}

unsigned kb_window_mode(const struct kb_kernel_process *process, u64 ticks)
{
	unsigned mode = process->isolation;

	while (mode > 0 && ticks > kb_window_limit(process, mode))
		mode--;
	return mode;
}

void kb_window_open(struct kb_window *window, unsigned mode)
{
	window->mode = mode;
	if (mode > 0)
		preempt_disable();
	if (mode == 2)
		local_irq_save(window->irq_flags);
	window->opened = kb_kernel_begin();
}

u64 kb_window_close(struct kb_window *window)
{
	u64 length = kb_kernel_end() - window->opened;

	if (window->mode == 2)
		local_irq_restore(window->irq_flags);
	if (window->mode > 0)
		preempt_enable();
	cond_resched();
	return window->mode > 0 ? length : 0;
}

/* ---- the cost of an operation -------------------------------------------------------------------- */

static u64 times(u64 n, u64 cost)
{
	u64 ticks;

	return check_mul_overflow(n, cost, &ticks) ? U64_MAX : ticks;
}

u64 kb_expected_ticks(const struct kb_kernel_process *process, u64 n)
{
	return times(n, process->cost);
}

u64 kb_window_ticks(const struct kb_kernel_process *process, u64 n)
{
	u64 probes = process->measure->loops > 0 ? 2 * process->measure->probed : 0, ticks;

	return check_add_overflow(times(n, max(process->cost, process->slow)), probes, &ticks) ? U64_MAX : ticks;
}

/* The least cost was seen alone. After two windows that were too long (one may be an accident) the next are of a weaker mode,
   until one fits again. */
void kb_learn_window(struct kb_kernel_process *process, u64 n, u64 ticks, u64 length)
{
	bool too_long = length > kb_window_limit(process, process->window.mode);

	if ((too_long && process->was_long) || (process->slow > 0 && process->window.mode == 0))
		process->slow = n > 0 ? ticks / n + 1 : 0;
	else
		process->slow = 0;
	process->was_long = too_long;
}

/* The smallest seen: the first operations are cold, and a short sample is mostly the clock. */
void kb_learn_cost(struct kb_kernel_process *process, u64 n, u64 ticks)
{
	u64 cost = n > 0 ? ticks / n + 1 : U64_MAX;

	if (process->cost == 0 || cost < process->cost)
		process->cost = cost;
}

bool kb_may_sleep(const struct kb_kernel_process *process)
{
	return process->context.entry->kernel->hooks->may_sleep || IS_ENABLED(CONFIG_PREEMPT_RT);
}

/* Here preemption is on: what sleeps is found before it would do so in a window. */
int kb_take_sample(struct kb_worker *worker, u64 n, u64 *ticks)
{
	struct kb_kernel_bench *kernel = worker->process->context.entry->kernel;
	const struct kb_kernel_hooks *hooks = kernel->hooks;
	u64 start;
	unsigned long slept;
	int error = hooks->prepare ? hooks->prepare(&worker->run, n) : 0;

	slept = current->nvcsw;
	if (!error)
		error = hooks->op ? kernel->timed(&worker->run, n, &start, ticks) : hooks->observe(&worker->run, n, ticks);
	if (!error && current->nvcsw != slept && !kb_may_sleep(worker->process))
		error = kb_fail(&worker->run, EBADMSG, "the operation slept, which it may only with .may_sleep");
	if (!error && hooks->check)
		error = hooks->check(&worker->run, n);
	cond_resched();
	return error;
}

/* Growing samples, each only if a millisecond holds it. */
int kb_window_first_cost(struct kb_kernel_process *process)
{
	struct kb_worker *worker = &process->workers[0];
	u64 unit = max_t(u64, worker->run.granule, 1), limit = worker->run.bench->max_n, ticks;
	int error = 0;

	for (unsigned i = 0; i < FIRST_COST_TRIES && !error; i++) {
		error = kb_take_sample(worker, unit, &ticks);
		if (!error)
			kb_learn_cost(process, unit, ticks);
	}
	for (u64 n = 16 * unit; n <= 1024 * unit && !error; n *= 8) {
		if ((limit && n > limit) || kb_expected_ticks(process, n) > process->clock.hz / 1000)
			break;
		error = kb_take_sample(worker, n, &ticks);
		if (!error)
			kb_learn_cost(process, n, ticks);
	}
	return error;
}
