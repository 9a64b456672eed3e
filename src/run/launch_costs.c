/* What each launch says alone: enough to compare two runs without reading their records again. */
#include "run/summary.h"

void kb_launch_costs(const struct kb_summary *summary, struct kb_result *result)
{
	double scale = result->ticks_per_ns > 0 ? 1 / result->ticks_per_ns : 1;
	bool core = kb_core_bound(result->bound);

	for (size_t i = 0; i < summary->count && !kb_summary_untimed(summary) && result->launch_cost_count < KB_LAUNCH_COSTS_MAX; i++) {
		const struct kb_launch_fit *fit = &summary->fits[i];

		if (!fit->speaks)
			continue;
		result->launch_costs[result->launch_cost_count++] = (struct kb_launch_cost){
			.launch = summary->samples[i].launch, .cost = fit->cost * scale,
			.cycles = core && fit->add > 0 ? fit->cost / fit->add : 0, .used = fit->used,
		};
	}
}
