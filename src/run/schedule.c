/* See schedule.h. */
#include "run/schedule.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "io.h"

static volatile sig_atomic_t stop_signal;

void kb_run_stop(int signal)
{
	stop_signal = signal;
}

int kb_run_stop_signal(void)
{
	return stop_signal;
}

int kb_row_begin(struct kb_row *row)
{
	row->state = calloc(1, sizeof *row->state);
	return row->state ? 0 : -ENOMEM;
}

void kb_row_release(struct kb_row *row)
{
	for (size_t i = 0; row->state && i < row->state->text_count; i++)
		kb_kept_free(&row->state->texts[i]);
	if (row->state)
		free(row->state->texts);
	free(row->state);
	row->state = NULL;
}

int kb_schedule_begin(struct kb_schedule *schedule)
{
	int error = 0;

	kb_rng_seed(&schedule->rng, schedule->engine->options->seed);
	schedule->order = calloc(schedule->count + 1, sizeof *schedule->order);
	for (size_t i = 0; i < schedule->count && schedule->order && !error; i++) {
		schedule->order[i] = i;
		error = kb_row_begin(&schedule->rows[i]);
	}
	return schedule->order ? error : -ENOMEM;
}

bool kb_schedule_fits(const struct kb_schedule *schedule, size_t i)
{
	/* The first process of a result is always worth a try while there is any budget at all. */
	return !stop_signal && kb_wall_ns() + schedule->rows[i].state->process_ns < schedule->engine->deadline_ns;
}

bool kb_schedule_goes_on(const struct kb_schedule *schedule, size_t i)
{
	return schedule->is_open(schedule, i) && kb_schedule_fits(schedule, i);
}

void kb_schedule_tell(const struct kb_schedule *schedule, size_t now)
{
	const struct kb_engine *engine = schedule->engine;
	uint64_t time = kb_wall_ns();
	unsigned open = 0;

	for (size_t i = 0; i < schedule->count; i++)
		open += schedule->is_open(schedule, i);
	if (engine->observer->progress)
		engine->observer->progress(engine->observer->context, &schedule->rows[now], schedule->processes, open,
		                           time < engine->deadline_ns ? engine->deadline_ns - time : 0);
}

int kb_schedule_visit(struct kb_schedule *schedule, size_t i)
{
	kb_schedule_tell(schedule, i);
	return schedule->measure(schedule, i);
}

int kb_schedule_round(struct kb_schedule *schedule)
{
	int error = 0;

	kb_rng_shuffle(&schedule->rng, schedule->order, schedule->count, sizeof *schedule->order);
	for (size_t k = 0; k < schedule->count && !error; k++) {
		if (kb_schedule_goes_on(schedule, schedule->order[k]))
			error = kb_schedule_visit(schedule, schedule->order[k]);
	}
	return error;
}

int kb_schedule_refine(struct kb_schedule *schedule)
{
	for (int error = 0;;) {
		size_t best = schedule->count;

		for (size_t i = 0; i < schedule->count; i++) {
			if (kb_schedule_goes_on(schedule, i) &&
			    (best == schedule->count || schedule->worth(schedule, i) > schedule->worth(schedule, best)))
				best = i;
		}
		if (best == schedule->count || (error = schedule->refine(schedule, best)))
			return error;
	}
}

int kb_schedule_end(struct kb_schedule *schedule, int result, struct kb_run_outcome *outcome)
{
	outcome->processes = schedule->processes;
	outcome->signal = stop_signal;
	outcome->interrupted = stop_signal != 0;
	stop_signal = 0; /* taken; not at the start, where one may have come during calibration */
	if (result == -ENOMEM)
		snprintf(schedule->error, 256, "out of memory");
	free(schedule->order);
	return result;
}
