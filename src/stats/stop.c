/* The stopping rule, cheapest checks first: the search for a change is made only when everything else says stop. */
#include "stats/stop.h"

#include <math.h>

#include "stats/changepoint.h"
#include "stats/series.h"

#define HALVES_SE 3

static bool changed_lately(const double *x, size_t n, double quantum)
{
	struct kb_changes changes;

	if (n < KB_CHANGES_SERIES_MIN)
		return false;
	if (kb_changes_find(x, n, quantum, 0, &changes) < 0)
		return true;
	return changes.count > 0 && 4 * changes.at[changes.count - 1] >= 3 * n;
}

struct kb_stop_state kb_stop_check(const double *x, size_t n, double target, double confidence, double quantum)
{
	struct kb_stop_state state = { .stop = KB_STOP_FEW };

	state.mean = kb_mean_interval(x, n, confidence, quantum);
	if (state.mean.known && fabs(state.mean.value) > 0)
		state.relative = 0.5 * (state.mean.high - state.mean.low) / fabs(state.mean.value);
	/* There are never more effective values than values. */
	if (!state.mean.known || state.mean.n_eff < KB_STOP_LEAST)
		return state;
	if (!(0.5 * (state.mean.high - state.mean.low) <= target * fabs(state.mean.value)))
		state.stop = KB_STOP_WIDE;
	else if (fabs(kb_halves_distance(x, n)) > HALVES_SE)
		state.stop = KB_STOP_HALVES;
	else
		state.stop = changed_lately(x, n, quantum) ? KB_STOP_CHANGE : KB_STOP_MET;
	return state;
}

enum kb_code kb_stop_after_block(const struct kb_stop_state *state, double used, double budget)
{
	if (state->stop == KB_STOP_MET)
		return KB_CODE_target_met;
	return used < budget ? KB_CODE_COUNT : KB_CODE_budget_exhausted;
}
