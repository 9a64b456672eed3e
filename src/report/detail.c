/* See table.h: what stands behind one row. Exact ends of intervals stand here, the table has only their half-width. */
#include "report/table.h"

#include <inttypes.h>

#include "report/figure.h"
#include "report/words.h"

/* Two more than the table: who looks here wants to calculate. */
#define DIGITS 6
#define LABEL "    %-10s"

/* What is not known has no line: a dash here would only hide what is. */
static void range(FILE *out, const char *label, const struct kb_estimate *estimate, struct kb_scale scale)
{
	char value[KB_FIGURE_ROOM], low[KB_FIGURE_ROOM], high[KB_FIGURE_ROOM];

	if (!estimate->known)
		return;
	kb_figure_plain(value, estimate->value * scale.factor, DIGITS);
	kb_figure_plain(low, estimate->low * scale.factor, DIGITS);
	kb_figure_plain(high, estimate->high * scale.factor, DIGITS);
	if (estimate->bounded)
		fprintf(out, LABEL " %s [%s, %s] %s\n", label, value, low, high, scale.unit);
	else
		fprintf(out, LABEL " %s %s, no interval\n", label, value, scale.unit);
}

/* What a reader needs to judge the number before believing it: method, clock, and how much data stands behind it. */
static void how(FILE *out, const struct kb_result *result)
{
	fprintf(out, LABEL " method %s, clock %s", "measured", result->method[0] ? result->method : "none",
		result->clock[0] ? result->clock : "unknown");
	if (result->ticks_per_ns > 0)
		fprintf(out, " (%.4g ticks/ns)", result->ticks_per_ns);
	if (result->n_max > 0)
		fprintf(out, ", n %" PRIu64 "..%" PRIu64, result->n_min, result->n_max);
	fprintf(out, "\n" LABEL " %u used, %u planned", "launches", result->launches, result->launches_planned);
	if (result->launches_left_out > 0)
		fprintf(out, ", %u left out", result->launches_left_out);
	if (result->launches_failed > 0)
		fprintf(out, ", %u failed", result->launches_failed);
	fprintf(out, "\n" LABEL " %" PRIu64 " used, %" PRIu64 " disturbed, worth %.0f independent ones\n", "intervals",
		result->observations, result->disturbed, result->n_eff);
}

/* Marks of all intervals, also of those that were left out: they say what kind of disturbance it was. */
static void flags(FILE *out, const struct kb_result *result)
{
	const char *separator = "";

	for (int i = 0; i < KB_FLAGS; i++) {
		if (result->flags[i] == 0)
			continue;
		if (!separator[0])
			fprintf(out, LABEL " ", "flags");
		fprintf(out, "%s%s %" PRIu64, separator, kb_flag_names[i], result->flags[i]);
		separator = ", ";
	}
	if (separator[0])
		fputc('\n', out);
}

/* All five, with their intervals, which are wide: they come from single operations. */
static void quantiles(FILE *out, const struct kb_result *result, struct kb_scale scale)
{
	static const char *const names[KB_QUANTILES] = { "p1", "p10", "p50", "p90", "p99" };

	for (int i = 0; i < KB_QUANTILES; i++)
		range(out, names[i], &result->quantile[i], scale);
}

/* The counted number beside the expected one, for "holds" alone nobody needs to believe. */
static void evidence(FILE *out, const struct kb_result *result, const struct kb_look *look)
{
	for (unsigned i = 0; i < result->evidence_count && i < KB_EXPECT_MAX; i++) {
		const struct kb_finding_evidence *found = &result->evidence[i];

		fprintf(out, LABEL " %s of %s: ", "evidence", found->counter, found->who);
		if (found->known)
			fprintf(out, "%.6g", found->per_op);
		else
			fputs("cannot be read here", out);
		fprintf(out, ", expected %.6g %s%.3g per operation: %s\n", found->expected,
			look->utf8 ? "\u00b1" : "+-", found->tolerance,
			!found->known ? "unknown" : found->ok ? "holds" : "contradicted");
	}
	if (result->code[0])
		fprintf(out, LABEL " machine code with hash %s\n", "evidence", result->code);
}

void kb_detail_print(FILE *out, const struct kb_result *result, const struct kb_look *look)
{
	struct kb_scale scale = kb_scale_of(result);
	struct kb_scale cycles = { "cycles", 1 }, mhz = { "MHz", 1 };

	how(out, result);
	range(out, "typical", &result->typical, scale);
	range(out, "quiet", &result->quiet, scale);
	range(out, "mean", &result->mean, scale);
	range(out, "fixed", &result->fixed, scale);
	range(out, "typical", &result->typical_cycles, cycles);
	range(out, "quiet", &result->quiet_cycles, cycles);
	range(out, "core clock", &result->core_mhz, mhz);
	quantiles(out, result, scale);
	flags(out, result);
	evidence(out, result, look);
}
