/* What was counted of the operations of a row, and what the benchmark itself said of them: how many it refuted, and numbers. */
#define _GNU_SOURCE
#include "result/summary/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/events.h"

#define STRAYS_FROM 50          /* operations: one in so many is no more than what is material in a cost */

struct sum { uint64_t count, operations, intervals; bool known; };

static void sum_process(const struct kb_samples *samples, const struct kb_claim *claim, struct sum *sum)
{
	for (unsigned i = 0; i < samples->evidence_count; i++) {
		const struct kb_evidence *line = &samples->evidence[i];

		if (line->base || strcmp(line->counter, claim->counter) || strcmp(line->who, claim->who))
			continue;
		sum->count += line->count;
		sum->operations += line->operations;
		sum->intervals += line->samples;
		sum->known = line->operations > 0;
	}
}

/* What is measured claims nothing, for it cannot count, and the proof was made by what can. */
static bool is_elsewhere(const struct kb_summary *summary)
{
	return summary->has_proof && summary->proof.claim_count > 0 && summary->count > 0 && summary->samples[0].claim_count == 0 &&
	       summary->proof.state == KB_RECORD_WHOLE;
}

/* System calls are counted in the proof only, whoever makes them. */
static struct sum sum_claim(const struct kb_summary *summary, const struct kb_claim *claim)
{
	struct sum sum = { 0 };

	if (is_elsewhere(summary)) {
		sum_process(&summary->proof, claim, &sum);
		return sum;
	}

	if (!strcmp(claim->counter, "syscalls")) {
		struct kb_claim all = *claim;

		strcpy(all.who, "all");
		if (summary->has_proof)
			sum_process(&summary->proof, &all, &sum);
		return sum;
	}
	for (size_t i = 0; i < summary->count; i++) {
		if (summary->samples[i].state == KB_RECORD_WHOLE)
			sum_process(&summary->samples[i], claim, &sum);
	}
	return sum;
}

/*
 * What the kernel counts in a process is also its own doing: a page of the program itself that was taken away is a major fault when it is
 * read again, and a thread that was preempted has one more switch. So few say nothing of the operation.
 */
static double strays_of(const char *counter, uint64_t operations)
{
	if (operations < STRAYS_FROM || !kb_list_has("minflt,majflt,nvcsw,nivcsw,switches", counter))
		return 0;
	return fmax(1, KB_STRAYS * (double)operations);
}

static void find(const struct kb_summary *summary, const struct kb_claim *claim, bool asked, struct kb_result *result)
{
	struct kb_finding_evidence *found = &result->evidence[result->evidence_count];
	struct sum sum = sum_claim(summary, claim);

	/* Most machines do not have some events, many all of them: there the other evidence has to do. */
	if (result->evidence_count == KB_EVIDENCE_MAX || (!sum.known && kb_counter_is_event(claim->counter)))
		return;
	result->evidence_count++;
	*found = (struct kb_finding_evidence){ .expected = claim->per_op, .tolerance = claim->tolerance, .known = sum.known,
	                                       .asked = asked };
	snprintf(found->counter, sizeof found->counter, "%s", claim->counter);
	snprintf(found->who, sizeof found->who, "%s", claim->who);
	found->elsewhere = is_elsewhere(summary);
	found->own = summary->count > 0 && kb_list_has(summary->samples[0].own, claim->counter);
	if (!sum.known)
		return;
	double off = (double)sum.count - claim->per_op * (double)sum.operations - claim->per_sample * (double)sum.intervals;

	found->per_op = ((double)sum.count - claim->per_sample * (double)sum.intervals) / (double)sum.operations;
	found->ok = !asked && fabs(off) <= fmax(claim->tolerance * (double)sum.operations, strays_of(claim->counter, sum.operations)) + 1e-9;
}

void kb_summary_evidence(const struct kb_summary *summary, struct kb_result *result)
{
	const struct kb_samples *from = summary->count > 0 && !is_elsewhere(summary) ? &summary->samples[0] : &summary->proof;

	for (unsigned i = 0; i < from->claim_count; i++)
		find(summary, &from->claims[i], false, result);
	for (unsigned i = 0; i < from->evidence_count; i++) {
		const struct kb_evidence *line = &from->evidence[i];
		struct kb_claim asked = { .per_op = 0 };
		bool claimed = false;

		for (unsigned k = 0; k < from->claim_count; k++)
			claimed |= !strcmp(from->claims[k].counter, line->counter) && !strcmp(from->claims[k].who, line->who);
		if (line->base || !kb_counter_is_event(line->counter) || claimed)
			continue;
		strcpy(asked.counter, line->counter);
		strcpy(asked.who, line->who);
		find(summary, &asked, true, result);
	}
}

/* ---- annotations ---------------------------------------------------------------------------------- */

/* All processes together: a covariate is no cost, and has no interval. */
static void summarise(const struct kb_summary *summary, struct kb_result_covariate *to)
{
	double *all = NULL;
	size_t room = 1;

	for (size_t i = 0; i < summary->count; i++)
		room += summary->samples[i].op.count + summary->samples[i].single.count;
	all = malloc(room * sizeof *all);
	for (size_t i = 0; i < summary->count && all; i++) {
		const struct kb_samples *samples = &summary->samples[i];
		const struct kb_covariate_values *from = kb_samples_whole(samples) ? kb_samples_covariate(samples, to->name) : NULL;

		if (!from)
			continue;
		memcpy(all + to->count, from->values, from->count * sizeof *all);
		to->count += from->count;
	}
	if (to->count > 0) {
		kb_sort(all, to->count);
		to->median = kb_quantile_sorted(all, to->count, 0.5);
		to->min = all[0];
		to->max = all[to->count - 1];
	}
	free(all);
}

void kb_summary_annotations(const struct kb_summary *summary, struct kb_result *result)
{
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_samples *samples = &summary->samples[i];

		if (!kb_samples_whole(samples))
			continue;
		/* Under an emulator a program may have made them of times: they stay in the record. */
		for (unsigned k = 0; !samples->untimed && k < samples->covariate_count; k++) {
			bool known = result->covariate_count == KB_COVARIATES;

			for (unsigned r = 0; r < result->covariate_count; r++)
				known |= !strcmp(result->covariates[r].name, samples->covariates[k].name);
			if (known)
				continue;
			struct kb_result_covariate *to = &result->covariates[result->covariate_count++];

			memcpy(to->name, samples->covariates[k].name, sizeof to->name);
			summarise(summary, to);
		}
		result->flags[__builtin_ctz(KB_FLAG_REFUTED)] += samples->refuted;
	}
}
