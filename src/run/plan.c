/*
 * Blocks or launches? Once the planned launches have shown how much either adds to the spread, further ones are made as
 * long as pays: a launch's start costs time too, and where launches differ, long ones only repeat their own luck.
 */
#include "run/engine.h"

#include <math.h>
#include <string.h>

/* Values of the split in one block: `single` counts each operation. */
static double values_in_block(const struct kb_design *design)
{
	return strcmp(design->method, "single") ? 1 : (double)design->repeats;
}

void kb_plan_row(struct kb_row *row, double budget_ns)
{
	struct kb_row_state *state = row->state;
	const struct kb_result_levels *levels = &row->result.levels;
	double inside = state->design.blocks * levels->block_ns, values = values_in_block(&state->design);
	double start = fmax((double)state->launch_ns - inside, 0);
	size_t plan[KB_LEVELS_MAX];

	if (!levels->known || levels->block_ns <= 0 || budget_ns <= 0)
		return;
	kb_levels_plan(&levels->split, (const double[]){ levels->block_ns / values, start }, budget_ns, plan);
	state->design.blocks = kb_design_blocks((double)plan[0] / values);
	state->launch_ns = (uint64_t)(start + state->design.blocks * levels->block_ns);
	state->plan[0] = state->design.blocks;
	state->plan[1] = state->launches + (unsigned)fmin(fmax(budget_ns / fmax((double)state->launch_ns, 1), 1), 1e6);
}
