/* See analysis_words.h. */
#include "report/text/analysis_words.h"

#include <math.h>
#include <string.h>

void kb_analysis_line_words(char text[KB_ANALYSIS_WORDS], const struct kb_across *across, const char *unit,
                            const struct kb_analysis_options *options)
{
	const struct kb_set_line *line = &across->line;
	size_t used;

	if (!line->known && across->exact.known) {
		snprintf(text, KB_ANALYSIS_WORDS, "Our estimate, exact, for no group varies: %.10g %s an operation and %.6g a test beside "
			 "it; no group is farther than %.3g from that line.", across->exact.slope, unit, across->exact.intercept,
			 across->exact_off < 1e-6 ? 0 : across->exact_off);
		return;
	}
	if (!line->known) {
		snprintf(text, KB_ANALYSIS_WORDS, "Our estimate: none, for a line through the test sizes takes two "
		         "different ones that vary.");
		return;
	}

	used = (size_t)snprintf(text, KB_ANALYSIS_WORDS,
	                        "Our estimate, the weighted line with intercept through the groups "
	                        "with N from %.0f to %.0f%s: ", across->line_from, across->n_max,
	                        across->line_from > across->n_min ?
	                        " (smaller ones are off the line: first-run effects)" :
	                        across->line_settled ? "" : " (which are not on one line)");
	snprintf(text + used, KB_ANALYSIS_WORDS - used,
	         "%.2f [%.2f, %.2f] %s an operation (%g%%), and %.0f +- %.0f %s a test "
	         "beside it.", line->b, across->slope.low, across->slope.high, unit, 100 * options->confidence, line->a,
	         line->se_a, unit);
}

/* The group with the largest N, the last of them; and its smallest N that lies on the line. */
static const struct kb_kanata *largest(const struct kb_kanata_analysis *analysis, size_t first)
{
	const struct kb_kanata *best = &analysis->groups[first].k;

	for (size_t i = first; i < analysis->count; i++) {
		if (analysis->groups[i].k.n > best->n)
			best = &analysis->groups[i].k;
	}
	return best;
}

static void no_bias_words(char text[KB_ANALYSIS_WORDS], const struct kb_across *across, const char *unit)
{
	const struct kb_set_line *line = &across->line;

	if (!line->known && across->exact.known)
		snprintf(text, KB_ANALYSIS_WORDS, "Bias: the %.6g %s of a test add %+.4g to A/N at N = %.0f and %+.4g at N = %.0f.",
			 across->exact.intercept, unit, across->exact.intercept / across->n_max, across->n_max,
			 across->exact.intercept / across->n_min, across->n_min);
	else if (!line->known)
		snprintf(text, KB_ANALYSIS_WORDS,
		         "Bias: unknown. A/N contains the fixed cost of a test divided by N, and one "
		         "test size cannot tell how large it is; a series of test sizes with a ratio of 8 can.");
	else if (fabs(line->a) > 2 * line->se_a)
		snprintf(text, KB_ANALYSIS_WORDS,
			"Bias: test sizes from %.0f to %.0f are too close to each other to tell a "
			"fixed cost of a test, %.0f +- %.0f %s (standard error), from the cost of the operation; a "
			"series "
			"with a ratio of 8 can.",
			across->line_from, across->n_max, line->a, line->se_a, unit);
	else
		snprintf(text, KB_ANALYSIS_WORDS,
		         "Bias: none seen. The intercept, %.0f +- %.0f %s (standard error), cannot be "
		         "told from zero.", line->a, line->se_a, unit);
}

void kb_analysis_bias_words(char text[KB_ANALYSIS_WORDS], const struct kb_kanata_analysis *analysis, size_t first,
                            const struct kb_across *across, const char *unit)
{
	const struct kb_set_line *line = &across->line;
	const struct kb_kanata *k;
	double bias;
	size_t used;

	text[0] = '\0';
	if (across->groups == 0)
		return;
	if (!across->biased) {
		no_bias_words(text, across, unit);
		return;
	}
	k = largest(analysis, first);
	bias = line->a / k->n;
	used = (size_t)snprintf(text, KB_ANALYSIS_WORDS,
	                        "Bias: the intercept of %.0f +- %.0f %s (standard error) adds %+.1f "
	                        "%s to A/N at N = %.0f", line->a, line->se_a, unit, bias, unit, k->n);
	if (across->line_from < k->n)
		used += (size_t)snprintf(text + used, KB_ANALYSIS_WORDS - used, " and %+.1f at N = %.0f",
		                         line->a / across->line_from, across->line_from);
	if (k->known && k->high > k->low)
		snprintf(text + used, KB_ANALYSIS_WORDS - used,
			"; the document's interval at N = %.0f has a half-width of %.1f, "
			"%s than that bias.",
			k->n, (k->high - k->low) / 2, fabs(bias) > (k->high - k->low) / 2 ? "less" : "more");
}

void kb_analysis_change_words(char text[KB_ANALYSIS_WORDS], const struct kb_across *across,
                              const struct kb_analysis_options *options)
{
	size_t used;

	text[0] = '\0';
	if (!(across->n_max > across->n_min))
		return;
	used = (size_t)snprintf(text, KB_ANALYSIS_WORDS,
	                        "A/N stops changing at N = %.0f if %g%% of its value at N = %.0f is "
	                        "close enough; ", across->within_from, 100 * options->half_width, across->n_max);
	if (across->equal_from > 0 && across->equal_from < across->n_max)
		snprintf(text + used, KB_ANALYSIS_WORDS - used,
		         "its means cannot be told apart from N = %.0f on (ANOVA, 5%%).",
		         across->equal_from);
	else
		snprintf(text + used, KB_ANALYSIS_WORDS - used,
		         "its means still differ between the two largest N (ANOVA, 5%%), "
		         "as a fixed cost a/N lets them.");
}
