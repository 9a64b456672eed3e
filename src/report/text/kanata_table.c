/* See kanata_table.h. */
#include "report/text/kanata_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "result/summary/kanata.h"

/* A table has columns of one length, and test sizes that grow by one step. */
static bool is_table(const struct kb_kanata_group *groups, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (groups[i].count != groups[0].count || groups[i].n - groups[i - 1].n != groups[1].n - groups[0].n)
			return false;
	}
	return count > 0 && (count == 1 || groups[1].n >= groups[0].n);
}

static void print(FILE *out, const double *ticks, const struct kb_kanata_group *groups, size_t count)
{
	double delta = count > 1 ? groups[1].n - groups[0].n : 1; /* of a single group nobody can tell */

	fprintf(out, "Initial Test size: %.0f\nDelta: %.0f\n", groups[0].n, delta);
	fprintf(out, "Number of Tests / Sample size of Accumulated latency: %zu\nNumber of Groups: %zu\n", groups[0].count, count);
	fputs("Accumulated latencies (clock cycles): \n", out);
	for (size_t k = 0; k < groups[0].count; k++) {
		for (size_t j = 0; j < count; j++)
			fprintf(out, "%" PRIu64 " ", (uint64_t)ticks[groups[j].first + k]);
		fputc('\n', out);
	}
	fputs("\nDone!\n", out);
}

bool kb_kanata_table(FILE *out, const struct kb_samples *samples)
{
	struct kb_kanata_group *groups = calloc(samples->op.count + 1, sizeof *groups);
	size_t count = groups ? kb_kanata_groups(&samples->op, groups, samples->op.count) : 0;
	bool whole = samples->state == KB_RECORD_WHOLE && is_table(groups, count);

	if (whole)
		print(out, samples->op.ticks, groups, count);
	free(groups);
	return whole;
}
