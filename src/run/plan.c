/*
 * Blocks or processes? Once the planned processes have shown how much either adds to the spread, further ones are made as
 * long as pays: a process's start costs time too, and where processes differ, long ones only repeat their own luck.
 */
#include "run/engine.h"

#include <math.h>

void kb_plan_row(struct kb_row *row, double budget_ns)
{
	struct kb_row_state *state = row->state;
	const struct kb_result_levels *levels = &row->result.levels;
	double inside = state->design.blocks * levels->block_ns;
	/* Values of the split in one block: `single` counts each operation, `paired` each pair. */
	double values = kb_methods[state->design.method].one_by_one ? state->design.repeats : 1;
	double start = fmax((double)state->launch_ns - inside, 0);
	size_t plan[KB_LEVELS_MAX];

	if (!levels->known || levels->block_ns <= 0 || budget_ns <= 0)
		return;
	kb_levels_plan(&levels->split, (const double[]){ levels->block_ns / values, start }, budget_ns, plan);
	state->design.blocks = kb_design_blocks(&state->design, (double)plan[0] / values);
	state->launch_ns = (uint64_t)(start + state->design.blocks * levels->block_ns);
	state->plan[0] = state->design.blocks;
	state->plan[1] = state->launches + (unsigned)fmin(fmax(budget_ns / fmax((double)state->launch_ns, 1), 1), 1e6);
}

/* Processes that a result still needs before its CI is worth something. */
static double missing(const struct kb_row *row, unsigned fewest)
{
	const struct kb_row_state *state = row->state;

	return state->over || state->launches >= fewest ? 0 : fewest - state->launches;
}

void kb_plan_short(struct kb_row *rows, size_t count, unsigned fewest, double left_ns)
{
	double starts = 0, blocks = 0;

	for (size_t i = 0; i < count; i++) {
		const struct kb_row_state *state = rows[i].state;
		double inside = fmin(state->design.blocks * rows[i].result.levels.block_ns, (double)state->launch_ns);

		starts += missing(&rows[i], fewest) * ((double)state->launch_ns - inside);
		blocks += missing(&rows[i], fewest) * inside;
	}
	if (starts + blocks <= left_ns || blocks <= 0)
		return;
	double share = fmax((left_ns - starts) / blocks, 0);

	for (size_t i = 0; i < count; i++) {
		struct kb_row_state *state = rows[i].state;
		unsigned wanted = kb_design_blocks(&state->design, share * state->design.blocks);
		double block_ns = rows[i].result.levels.block_ns;

		if (missing(&rows[i], fewest) <= 0 || block_ns <= 0 || wanted >= state->design.blocks)
			continue;
		state->launch_ns -= (uint64_t)fmin((state->design.blocks - wanted) * block_ns, (double)state->launch_ns);
		state->design.blocks = wanted;
	}
}
