// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Windows without preemption or interrupts. They are bounded by time, not by a count: 2 ms and 100 us. What one operation costs
 * is found before the first of them opens, and where an interval would not fit its window is of a weaker mode, which the record
 * says.
 */
#include <linux/overflow.h>
#include <linux/preempt.h>

#include "framework/framework.h"

#define FIRST_COST_TRIES 3u

u64 kb_window_limit(const struct kb_launch *launch, unsigned mode)
{
	return mode == 2 ? launch->clock.hz / 10000 : launch->clock.hz / 500;
}

unsigned kb_window_mode(const struct kb_launch *launch, u64 ticks)
{
	unsigned mode = launch->isolation;

	while (mode > 0 && ticks > kb_window_limit(launch, mode))
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

u64 kb_expected_ticks(const struct kb_launch *launch, u64 n)
{
	return times(n, launch->cost);
}

u64 kb_window_ticks(const struct kb_launch *launch, u64 n)
{
	u64 probes = launch->measure->loops > 0 ? 2 * launch->measure->probed : 0, ticks;

	return check_add_overflow(times(n, max(launch->cost, launch->slow)), probes, &ticks) ? U64_MAX : ticks;
}

/* The least cost was seen alone. After two windows that were too long (one may be an accident) the next are of a weaker mode,
   until one fits again. */
void kb_learn_window(struct kb_launch *launch, u64 n, u64 ticks, u64 length)
{
	bool too_long = length > kb_window_limit(launch, launch->window.mode);

	if ((too_long && launch->was_long) || (launch->slow > 0 && launch->window.mode == 0))
		launch->slow = n > 0 ? ticks / n + 1 : 0;
	else
		launch->slow = 0;
	launch->was_long = too_long;
}

/* The smallest seen: the first operations are cold, and a short interval is mostly the clock. */
void kb_learn_cost(struct kb_launch *launch, u64 n, u64 ticks)
{
	u64 cost = n > 0 ? ticks / n + 1 : U64_MAX;

	if (launch->cost == 0 || cost < launch->cost)
		launch->cost = cost;
}

int kb_interval(struct kb_worker *worker, u64 n, u64 *ticks)
{
	struct kb_kernel_bench *kernel = worker->launch->context.entry->kernel;
	const struct kb_kernel_hooks *hooks = kernel->hooks;
	u64 start;
	int error = hooks->prepare ? hooks->prepare(&worker->run, n) : 0;

	if (!error)
		error = hooks->op ? kernel->timed(&worker->run, n, &start, ticks) : hooks->observe(&worker->run, n, ticks);
	if (!error && hooks->check)
		error = hooks->check(&worker->run, n);
	cond_resched();
	return error;
}

/* Growing intervals, each only if a millisecond holds it. */
int kb_block_first_cost(struct kb_launch *launch)
{
	struct kb_worker *worker = &launch->workers[0];
	u64 unit = max_t(u64, worker->run.granule, 1), limit = worker->run.bench->max_n, ticks;
	int error = 0;

	for (unsigned i = 0; i < FIRST_COST_TRIES && !error; i++) {
		error = kb_interval(worker, unit, &ticks);
		if (!error)
			kb_learn_cost(launch, unit, ticks);
	}
	for (u64 n = 16 * unit; n <= 1024 * unit && !error; n *= 8) {
		if ((limit && n > limit) || kb_expected_ticks(launch, n) > launch->clock.hz / 1000)
			break;
		error = kb_interval(worker, n, &ticks);
		if (!error)
			kb_learn_cost(launch, n, ticks);
	}
	return error;
}
