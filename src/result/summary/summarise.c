/* kb_summarise: from the texts of all launches of a row to its result. A pure function; analysis years later is this. */
#include <math.h>
#include <stdlib.h>

#include "result/summary/parallel.h"
#include "result/uncontended.h"

static void load(struct kb_summary *summary, const struct kb_launch_text *launches, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (launches[i].launch == 0 && !summary->has_proof)
			summary->has_proof = kb_samples_load(&summary->proof, &launches[i]) == 0;
		else if (kb_samples_load(&summary->samples[summary->count], &launches[i]) == 0)
			summary->count++;
		else
			kb_samples_free(&summary->samples[summary->count]);
	}
}

void kb_summarise_one(const struct kb_launch_text *launches, size_t count, const struct kb_summary_rules *rules,
                      struct kb_result *result)
{
	static const struct kb_floor unknown = { .k = 0 };
	struct kb_summary summary = {
		.samples = calloc(count + 1, sizeof *summary.samples), .fits = calloc(count + 1, sizeof *summary.fits),
		.observed = calloc(count + 1, sizeof *summary.observed), .clean = calloc(count + 1, sizeof *summary.clean),
		.floor = rules->floor ? rules->floor : &unknown,
	};

	*result = (struct kb_result){ .clean_share = NAN };
	if (summary.samples && summary.fits && summary.observed && summary.clean) {
		load(&summary, launches, count);
		kb_summary_numbers(&summary, result);
		kb_process_costs(&summary, result);
		kb_summary_evidence(&summary, result);
		kb_summary_judge(&summary, rules, result);
	} else {
		kb_verdict_add(&result->verdict, KB_CODE_op_failed, "out of memory while analysing");
	}
	for (size_t i = 0; i < summary.count; i++)
		kb_samples_free(&summary.samples[i]);
	kb_samples_free(&summary.proof);
	free(summary.samples);
	free(summary.fits);
	free(summary.observed);
	free(summary.clean);
}

void kb_summarise(const struct kb_launch_text *launches, size_t count, const struct kb_summary_rules *rules, struct kb_result *result)
{
	unsigned copies = 0;

	/* A launch that died early says nothing, but the others do. */
	for (size_t i = 0; i < count && copies == 0; i++)
		copies = kb_parallel_copies(&launches[i]);
	if (copies > 0)
		kb_parallel_summarise(launches, count, copies, rules, result);
	else
		kb_summarise_one(launches, count, rules, result);
}
