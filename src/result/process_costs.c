/* What each process says alone: enough to compare two runs without reading their records again. */
#include "result/memory.h"
#include "result/uncontended.h"

#include <math.h>

void kb_process_costs(const struct kb_summary *summary, struct kb_result *result)
{
	double scale = result->ticks_per_ns > 0 ? 1 / result->ticks_per_ns : 1;
	bool core = kb_core_bound(result->bound);

	for (size_t i = 0; i < summary->count && !kb_summary_untimed(summary) && result->process_cost_count < KB_PROCESS_COSTS_MAX; i++) {
		const struct kb_launch_fit *fit = &summary->fits[i];

		if (!fit->speaks)
			continue;
		result->process_costs[result->process_cost_count++] = (struct kb_process_cost){
			.process = summary->samples[i].launch, .cost = fit->cost * scale, .cycles = core ? fit->cycles : 0,
			.observed = summary->observed[i].cost * scale,
			.uncontended = summary->clean[i].blocks > 0 ? summary->clean[i].cost * scale : NAN, .clean_share = summary->samples[i].clean_share, .used = fit->used,
			.ratio = summary->samples[i].twin[0] ? kb_twin_ratio(&summary->samples[i], &summary->observed[i]) : NAN,
			.mhz = fit->add > 0 && result->ticks_per_ns > 0 ? result->ticks_per_ns * 1e3 / fit->add : 0,
		};
	}
}
