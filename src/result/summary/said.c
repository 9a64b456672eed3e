/* What the benchmark itself said of a row's observations: how many it refuted, and the numbers that go with the others. */
#include "result/summary/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct kb_covariate_values *find(const struct kb_samples *samples, const char *name)
{
	for (unsigned i = 0; i < samples->covariate_count; i++) {
		if (!strcmp(samples->covariates[i].name, name))
			return &samples->covariates[i];
	}
	return NULL;
}

static bool counts(const struct kb_samples *samples)
{
	return samples->state == KB_RECORD_WHOLE && !samples->outcome[0];
}

/* All launches together: a covariate is no cost, and has no interval. */
static void summarise(const struct kb_summary *summary, struct kb_result_covariate *to)
{
	double *all = NULL;
	size_t room = 0;

	for (size_t i = 0; i < summary->count; i++)
		room += counts(&summary->samples[i]) && find(&summary->samples[i], to->name) ? find(&summary->samples[i], to->name)->count : 0;
	all = malloc((room + 1) * sizeof *all);
	for (size_t i = 0; i < summary->count && all; i++) {
		const struct kb_covariate_values *from = counts(&summary->samples[i]) ? find(&summary->samples[i], to->name) : NULL;

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

static bool is_new(const struct kb_result *result, const char *name)
{
	for (unsigned i = 0; i < result->covariate_count; i++) {
		if (!strcmp(result->covariates[i].name, name))
			return false;
	}
	return result->covariate_count < KB_COVARIATES;
}

void kb_summary_said(const struct kb_summary *summary, struct kb_result *result)
{
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_samples *samples = &summary->samples[i];

		if (!counts(samples))
			continue;
		/* Under an emulator a program may have made them of times: they stay in the record. */
		for (unsigned k = 0; !samples->untimed && k < samples->covariate_count; k++) {
			if (!is_new(result, samples->covariates[k].name))
				continue;
			struct kb_result_covariate *to = &result->covariates[result->covariate_count++];

			memcpy(to->name, samples->covariates[k].name, sizeof to->name);
			summarise(summary, to);
		}
		for (unsigned flag = 0; flag < KB_FLAGS; flag++)
			result->flags[flag] += 1u << flag == KB_FLAG_REFUTED ? samples->refuted : 0;
	}
}
