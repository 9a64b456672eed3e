/*
 * See analysis.h: the document's tables with its lines, names and digits (tables 3.4, 3.5, A.2.2 and A.2.3), and below
 * each what holds without its assumptions.
 */
#include "report/text/analysis.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "report/text/style.h"

#define LABEL 38
#define COLUMN 12
#define WIDTH_USUAL 110
#define INDENT 4

/* ---- tables ---------------------------------------------------------------------------------------- */

/* One line of a table: a number of each group. */
struct line_of_groups {
	const char *name, *format;      /* format NULL: p of a check; %z: a size_t */
	size_t value, known;            /* in struct kb_group_analysis; known 0: always */
	size_t least;                   /* tests that a group needs for it */
	bool positive;                  /* 0 is not known, too */
};

#define AT(member) offsetof(struct kb_group_analysis, member)
#define NUMBER(name, format, member, known) { name, format, AT(member), AT(known), 0, false }
#define TWO(name, member) NUMBER(name, "%.2f", member, k.known)
#define ENDS(from, to, interval) \
	NUMBER(from, "%.2f", interval.low, interval.known), NUMBER(to, "%.2f", interval.high, interval.known)
#define CHECK(name, member) { name, NULL, AT(checks.member), 0, 0, false }

static const struct line_of_groups a_lines[] = {
	{ "Test size", "%.0f", AT(k.n), 0, 0, false }, { "Sample size, S", "%zu", AT(k.count), 0, 0, false },
	{ "Sample Mean", "%.2f", AT(k.a.mean), 0, 0, false }, TWO("Sample Variance", k.a.variance),
	TWO("Sample Std. Deviation", k.a.sd), TWO("Coeff. of Variation, %", k.a.cv_percent),
	{ "Sample Mean / Test size", "%.2f", AT(k.y.mean), 0, 0, false }, { 0 }
};

static const struct line_of_groups y_lines[] = {
	{ "Mean", "%.2f", AT(k.y.mean), 0, 0, false }, TWO("Variance", k.y.variance), TWO("Std. Deviation", k.y.sd),
	TWO("Coeff. of Variation, %", k.y.cv_percent), TWO("c1", k.low), TWO("c2", k.high),
	TWO("CI half-width, % of sample mean", k.half_percent),
	NUMBER("S' of equation (3.3)", "%.4g", k.next_size, k.known), /* below 1 it would be 0.02 at most */
	{ 0 }
};

static const struct line_of_groups p_lines[] = {
	{ "Mean, mu_P = mu_Y", "%.2f", AT(k.y.mean), 0, 0, false }, TWO("Variance, var_Y", k.y.variance),
	TWO("Variance, var_P = var_Y * N", k.p.variance), TWO("Std. Deviation", k.p.sd),
	TWO("Coeff. of Variation, %", k.p.cv_percent), { 0 }
};

static const struct line_of_groups corrected_lines[] = {
	ENDS("c1 with t for z", "c2", k.t), ENDS("c1 allowing for dependence", "c2", k.dependent),
	{ "effective sample size", "%.1f", AT(k.dependent.n_eff), AT(k.known), 4, false },
	{ "S', at least 30, with t, iterated", "%.0f", AT(k.enough), AT(k.known), 0, true }, { 0 }
};

static const struct line_of_groups robust_lines[] = {
	TWO("Median", robust.median.value), ENDS("c1", "c2", robust.median),
	TWO("Mean without a fifth at each end", robust.trimmed.value),
	ENDS("c1, stationary bootstrap", "c2", robust.trimmed), TWO("mad_sigma", robust.mad_sigma), { 0 }
};

static const struct line_of_groups check_lines[] = {
	CHECK("normal: Shapiro-Wilk", normal), NUMBER("  skewness", "%+.1f", checks.skewness, k.known),
	CHECK("independent: lag-1 correlation", lag1), NUMBER("  r", "%+.2f", checks.lag1.statistic, checks.lag1.known),
	CHECK("independent: von Neumann", von_neumann),
	NUMBER("  ratio, 2 if independent", "%.3f", checks.von_neumann.statistic, checks.von_neumann.known),
	CHECK("independent: Ljung-Box, 6 lags", ljung_box), CHECK("independent: runs about the median", runs), { 0 }
};

static void p_cell(char *text, size_t room, const struct kb_check *check)
{
	const char *mark = check->p < KB_REJECTED ? " *" : "";

	if (check->known && check->p < 1e-300)
		snprintf(text, room, "<1e-300%s", mark);
	else if (check->known)
		snprintf(text, room, "%.3g%s", check->p, mark);
	else
		snprintf(text, room, "-");
}

static void make_cell(char *text, size_t room, const struct line_of_groups *line, const struct kb_group_analysis *group)
{
	const void *at = (const char *)group + line->value;
	bool count = line->format && line->format[1] == 'z';
	double value = line->format && !count ? *(const double *)at : 0;
	bool known = line->known == 0 || *(const bool *)((const char *)group + line->known);

	/* Adding 0 turns a rounded -0.00 into 0.00. */
	if (line->format && strcmp(line->format, "%.2f") == 0)
		value = round(100 * value) / 100 + 0.0;
	if (!line->format)
		p_cell(text, room, at);
	else if (count)
		snprintf(text, room, "%zu", *(const size_t *)at);
	else if (known && isfinite(value) && group->k.count >= line->least && (value > 0 || !line->positive))
		snprintf(text, room, line->format, value);
	else
		snprintf(text, room, "-");
}

static void print_lines(FILE *out, const char *title, const struct line_of_groups *lines, const struct kb_group_analysis *groups,
			size_t count)
{
	char text[48];

	fprintf(out, "\n  %s\n", title);
	for (; lines->name; lines++) {
		fprintf(out, "    %-*s", LABEL - 4, lines->name);
		for (size_t i = 0; i < count; i++) {
			make_cell(text, sizeof text, lines, &groups[i]);
			fprintf(out, " %*s", COLUMN - 1, text);
		}
		fputc('\n', out);
	}
}

/* Columns in panels, so that a line fits the terminal. */
void kb_analysis_print_groups(FILE *out, const struct kb_kanata_analysis *analysis, const char *unit, const struct kb_analysis_options *options, const struct kb_style *style)
{
	unsigned width = style->width ? style->width : WIDTH_USUAL;
	size_t fit = width > LABEL + COLUMN ? (width - LABEL) / COLUMN : 1;
	char title[160];

	for (size_t at = 0; at < analysis->count; at += fit) {
		const struct kb_group_analysis *groups = &analysis->groups[at];
		size_t columns = analysis->count - at < fit ? analysis->count - at : fit;

		snprintf(title, sizeof title, "Accumulated latency (%s)", unit);
		print_lines(out, title, a_lines, groups, columns);
		snprintf(title, sizeof title,
		         "Primary latency Sample Mean (%s), confidence level %g%%, z = %.3f, e = %g%%",
		         unit, 100 * options->confidence, groups->k.z, 100 * options->half_width);
		print_lines(out, title, y_lines, groups, columns);
		snprintf(title, sizeof title, "Primary latency (%s)", unit);
		print_lines(out, title, p_lines, groups, columns);
		print_lines(out, "The same without assuming normality, independence and a known sigma", corrected_lines,
		           groups, columns);
		print_lines(out, "What a few wild values do not move", robust_lines, groups, columns);
		print_lines(out, "Checks of what the above assumes: p, and * where rejected at 5 %", check_lines, groups,
		           columns);
	}
}

/* With notes and hints: an analysis is for them. */
static void print_verdict(FILE *out, const struct kb_verdict *verdict, const struct kb_style *style)
{
	struct kb_style all = *style;

	all.notes = true;
	kb_print_reasons(out, &all, verdict);
}

/* ---- across groups --------------------------------------------------------------------------------- */

static void print_check(FILE *out, const char *name, const char *statistic, const struct kb_check *check)
{
	char p[24];

	p_cell(p, sizeof p, check);
	fprintf(out, "    %-47s ", name);
	if (check->known)
		fprintf(out, "%s = %.6g, p = %s\n", statistic, check->statistic, p);
	else if (check->why == KB_CODE_rank_out_of_range)
		fprintf(out, "not possible: more values than its approximation was made for\n");
	else
		fprintf(out, "not possible: %s\n", kb_code_words(check->why));
}

static void print_checks(FILE *out, const struct kb_across *across)
{
	print_check(out, "Y is equal over the groups: one-way ANOVA", "F", &across->equal_means);
	print_check(out, "  its spread, too: Brown-Forsythe", "F", &across->equal_spreads);
	print_check(out, "Var(A) = N sigma^2: ratio against v0 + v1 N", "LR", &across->growth.proportional);
	print_check(out, "no common-mode term v2 N^2 with it", "LR", &across->growth.common_mode);
	print_check(out, "one line through all test sizes: lack of fit", "chi2", &across->all.fit);
	if (across->growth.proportional.known)
		fprintf(out, "    %-47s v0 = %.7g, v1 = %.7g, sqrt(v1) = %.4g\n", "variance of A by maximum likelihood",
		        across->growth.v0, across->growth.v1, sqrt(across->growth.v1));
}

/* Our estimate: the weighted line with intercept. */
static void print_line(FILE *out, const struct kb_across *across, bool counts, const char *unit, const struct kb_analysis_options *options,
		       const struct kb_style *style)
{
	const struct kb_set_line *line = &across->line;

	if (line->known)
		kb_print_sentence(out, style, INDENT, "Our estimate, the weighted line with intercept through the groups with N from %.0f to "
				  "%.0f%s: %.2f [%.2f, %.2f] %s an operation (%g%%), and %.0f +- %.0f %s a test in addition.", across->line_from,
				  across->n_max, across->line_from > across->n_min ? " (smaller ones are off the line: first-run effects)" :
				  across->line_settled ? "" : " (which are not on one line)", line->b, across->slope.low, across->slope.high,
				  unit, 100 * options->confidence, line->a, line->se_a, unit);
	else if (across->exact.known)
		kb_print_sentence(out, style, INDENT, "Our estimate, exact, for no %s varies: %.10g %s an operation and %.6g a test in addition; "
				  "no group is farther than %.3g from that line.", counts ? "undisturbed test of a group" : "group",
				  across->exact.slope, unit, across->exact.intercept, across->exact_off < 1e-6 ? 0 : across->exact_off);
	else
		kb_print_sentence(out, style, INDENT, "Our estimate: none, for a line through the test sizes takes two different ones that "
				  "vary.");
}

static void print_no_bias(FILE *out, const struct kb_across *across, const char *unit, const struct kb_style *style)
{
	const struct kb_set_line *line = &across->line;

	if (!line->known && across->exact.known)
		kb_print_sentence(out, style, INDENT, "Bias: the %.6g %s of a test add %+.4g to A/N at N = %.0f and %+.4g at N = %.0f.",
				  across->exact.intercept, unit, across->exact.intercept / across->n_max, across->n_max,
				  across->exact.intercept / across->n_min, across->n_min);
	else if (!line->known)
		kb_print_sentence(out, style, INDENT, "Bias: unknown. A/N contains the fixed cost of a test divided by N, and one test size "
				  "cannot tell how large it is; a series of test sizes with a ratio of 8 can.");
	else if (fabs(line->a) > 2 * line->se_a)
		kb_print_sentence(out, style, INDENT, "Bias: test sizes from %.0f to %.0f are too close to each other to tell a fixed cost of "
				  "a test, %.0f +- %.0f %s (standard error), from the cost of the operation; a series with a ratio of 8 can.",
				  across->line_from, across->n_max, line->a, line->se_a, unit);
	else
		kb_print_sentence(out, style, INDENT, "Bias: none seen. The intercept, %.0f +- %.0f %s (standard error), cannot be told from "
				  "zero.", line->a, line->se_a, unit);
}

/* Where and by how much A/N is biased, by the group with the largest N, the last of them; and at the smallest N that lies on the line. */
static void print_bias(FILE *out, const struct kb_kanata_analysis *analysis, const struct kb_across *across, const char *unit,
		       const struct kb_style *style)
{
	const struct kb_set_line *line = &across->line;
	const struct kb_kanata *k = &analysis->groups[0].k;
	char smallest[60] = "", interval[160] = "";
	double bias;

	for (size_t i = 1; i < analysis->count; i++) {
		if (analysis->groups[i].k.n > k->n)
			k = &analysis->groups[i].k;
	}
	bias = line->a / k->n;
	if (across->line_from < k->n)
		snprintf(smallest, sizeof smallest, " and %+.1f at N = %.0f", line->a / across->line_from, across->line_from);
	if (k->known && k->high > k->low)
		snprintf(interval, sizeof interval, "; the document's interval at N = %.0f has a half-width of %.1f, %s than that bias.", k->n,
			 (k->high - k->low) / 2, fabs(bias) > (k->high - k->low) / 2 ? "less" : "more");
	kb_print_sentence(out, style, INDENT, "Bias: the intercept of %.0f +- %.0f %s (standard error) adds %+.1f %s to A/N at N = %.0f%s%s",
			  line->a, line->se_a, unit, bias, unit, k->n, smallest, interval);
}

/* At which N A/N stops changing. */
static void print_change(FILE *out, const struct kb_across *across, const struct kb_analysis_options *options, const struct kb_style *style)
{
	char equal[160] = "its means still differ between the two largest N (ANOVA, 5%), as a fixed cost a/N lets them.";

	if (across->equal_from > 0 && across->equal_from < across->n_max)
		snprintf(equal, sizeof equal, "its means cannot be told apart from N = %.0f on (ANOVA, 5%%).", across->equal_from);
	kb_print_sentence(out, style, INDENT, "A/N stops changing at N = %.0f if %g%% of its value at N = %.0f is close enough; %s",
			  across->within_from, 100 * options->half_width, across->n_max, equal);
}

void kb_analysis_print_across(FILE *out, const struct kb_kanata_analysis *analysis, const struct kb_across *across, const char *unit,
			      const struct kb_analysis_options *options, const struct kb_style *style)
{
	fprintf(out, "\n  Over %zu group%s\n", across->groups, across->groups == 1 ? "" : "s");
	if (across->groups > 1)
		print_checks(out, across);
	print_line(out, across, analysis->counts, unit, options, style);
	if (across->groups > 0 && across->biased)
		print_bias(out, analysis, across, unit, style);
	else if (across->groups > 0)
		print_no_bias(out, across, unit, style);
	if (across->n_max > across->n_min)
		print_change(out, across, options, style);
	print_verdict(out, &across->verdict, style);
}

/* ---- lists and points ------------------------------------------------------------------------------ */

static void print_interval(FILE *out, const char *name, const struct kb_interval *interval, const char *unit)
{
	fprintf(out, "    %-*s %.10g", LABEL - 4, name, interval->value);
	if (interval->known)
		fprintf(out, " [%.10g, %.10g] %s\n", interval->low, interval->high, unit);
	else
		fprintf(out, " %s, no confidence interval: %s\n", unit, kb_code_words(interval->why));
}

void kb_analysis_print_list(FILE *out, const struct kb_list_analysis *list, const char *unit,
                            const struct kb_analysis_options *options, const struct kb_style *style)
{
	static const char *const names[KB_QUANTILES] = {
		[KB_P1] = "p1", [KB_P10] = "p10", [KB_P50] = "median", [KB_P90] = "p90", [KB_P99] = "p99"
	};

	fprintf(out, "\n  %zu values (%s), confidence intervals at %g%%\n", list->count, unit, 100 * options->confidence);
	for (int i = 0; i < KB_QUANTILES; i++)
		print_interval(out, names[i], &list->quantile[i], unit);
	print_interval(out, "arithmetic mean", &list->mean_interval, unit);
	fprintf(out, "    %-*s %.6g, median absolute deviation %.6g, skewness %+.2f\n", LABEL - 4, "std. deviation",
	        list->sd, list->mad, list->skewness);
	fprintf(out, "    %-*s %.10g, p1 is %.2g%% above it\n", LABEL - 4, "minimum", list->minimum.value,
	        list->minimum.gap_percent);
	print_check(out, "normal: Shapiro-Wilk", "W", &list->checks.normal);
	print_check(out, "independent: lag-1 correlation", "r", &list->checks.lag1);
	print_check(out, "independent: von Neumann", "ratio", &list->checks.von_neumann);
	print_check(out, "independent: Ljung-Box, 6 lags", "Q", &list->checks.ljung_box);
	print_check(out, "independent: runs about the median", "runs", &list->checks.runs);
	print_verdict(out, &list->verdict, style);
}

void kb_analysis_print_points(FILE *out, const struct kb_points_analysis *points, const char *unit,
                              const struct kb_analysis_options *options, const struct kb_style *style)
{
	const struct kb_line_fit *fit = &points->fit;

	fprintf(out, "\n  %zu samples in %zu blocks, %s%zu different n (%s), confidence interval at %g%%\n", points->count,
	        points->blocks, points->across.groups == 0 ? "more than " : "", points->sets, unit,
	        100 * options->confidence);
	if (fit->known) {
		print_interval(out, "slope: cost of one operation", &fit->slope, unit);
		fprintf(out, "    %-*s %.8g +- %.3g (standard error)\n", LABEL - 4, "intercept: cost of a sample", fit->a, fit->se_a);
		fprintf(out, "    %-*s %.10g +- %.3g (standard error)\n", LABEL - 4, "robust slope", fit->b_robust, fit->se_robust);
		fprintf(out, "    %-*s %.4g an operation, %.4g a sample\n", LABEL - 4, "noise, sqrt(v1) and sqrt(v0)", sqrt(fit->v1),
			sqrt(fit->v0));
	} else {
		fprintf(out, "    no line: %s; it takes two different n and three blocks\n", kb_code_words(fit->why));
	}
	if (points->across.groups > 1)
		print_checks(out, &points->across);
	print_verdict(out, &points->across.verdict, style);
}
