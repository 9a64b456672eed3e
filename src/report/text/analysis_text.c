/*
 * See analysis.h: the document's tables with its rows, names and digits (tables 3.4, 3.5, A.2.2 and A.2.3), and below
 * each what can be said without its assumptions.
 */
#include "report/text/analysis.h"

#include <math.h>
#include <string.h>

#include "report/text/analysis_words.h"
#include "report/text/words.h"

#define LABEL 38
#define COLUMN 12
#define WIDTH_USUAL 110

/* One line of a table: a name and a text for each group. */
typedef void cell_maker(char *text, size_t room, const struct kb_group_analysis *);
struct row { const char *name; cell_maker *make; };

/* ---- cells ----------------------------------------------------------------------------------------- */

/* Two decimals as the document prints them. */
static void two(char *text, size_t room, double value, bool known)
{
	/* Adding 0 turns a rounded -0.00 into 0.00. */
	if (known && isfinite(value))
		snprintf(text, room, "%.2f", round(100 * value) / 100 + 0.0);
	else
		snprintf(text, room, "-");
}

#define CELL(name, value, is_known) \
	static void name(char *text, size_t room, const struct kb_group_analysis *g) \
	{ \
		two(text, room, value, is_known); \
	}

CELL(a_mean, g->k.a.mean, true)
CELL(a_variance, g->k.a.variance, g->k.known)
CELL(a_sd, g->k.a.sd, g->k.known)
CELL(a_cv, g->k.a.cv_percent, g->k.known)
CELL(y_mean, g->k.y.mean, true)
CELL(y_variance, g->k.y.variance, g->k.known)
CELL(y_sd, g->k.y.sd, g->k.known)
CELL(y_cv, g->k.y.cv_percent, g->k.known)
CELL(y_low, g->k.low, g->k.known)
CELL(y_high, g->k.high, g->k.known)
CELL(y_half, g->k.half_percent, g->k.known)
CELL(p_variance, g->k.p.variance, g->k.known)
CELL(p_sd, g->k.p.sd, g->k.known)
CELL(p_cv, g->k.p.cv_percent, g->k.known)
CELL(t_low, g->k.t.low, g->k.t.known)
CELL(t_high, g->k.t.high, g->k.t.known)
CELL(dependent_low, g->k.dependent.low, g->k.dependent.known)
CELL(dependent_high, g->k.dependent.high, g->k.dependent.known)

static void test_size(char *text, size_t room, const struct kb_group_analysis *g)
{
	snprintf(text, room, "%.0f", g->k.n);
}

static void group_size(char *text, size_t room, const struct kb_group_analysis *g)
{
	snprintf(text, room, "%zu", g->k.count);
}

/* Below 1 it would be 0.02 at most; such a number has its own digits. */
static void next_size(char *text, size_t room, const struct kb_group_analysis *g)
{
	if (g->k.known && isfinite(g->k.next_size))
		snprintf(text, room, "%.4g", g->k.next_size);
	else
		snprintf(text, room, "-");
}

static void enough(char *text, size_t room, const struct kb_group_analysis *g)
{
	if (g->k.known && g->k.enough > 0)
		snprintf(text, room, "%.0f", g->k.enough);
	else
		snprintf(text, room, "-");
}

static void effective(char *text, size_t room, const struct kb_group_analysis *g)
{
	if (g->k.known && g->k.count >= 4)
		snprintf(text, room, "%.1f", g->k.dependent.n_eff);
	else
		snprintf(text, room, "-");
}

#define ROBUST(name, field, part, known_too) \
	static void name(char *text, size_t room, const struct kb_group_analysis *g) \
	{ \
		bool known = g->k.known && (!(known_too) || g->robust.field.known); \
\
		snprintf(text, room, known ? "%.2f" : "-", g->robust.field.part); \
	}

ROBUST(median, median, value, false)
ROBUST(median_low, median, low, true)
ROBUST(median_high, median, high, true)
ROBUST(trimmed, trimmed, value, false)
ROBUST(trimmed_low, trimmed, low, true)
ROBUST(trimmed_high, trimmed, high, true)

static void mad_sigma(char *text, size_t room, const struct kb_group_analysis *g)
{
	snprintf(text, room, g->k.known ? "%.2f" : "-", g->robust.mad_sigma);
}

static void skewness(char *text, size_t room, const struct kb_group_analysis *g)
{
	snprintf(text, room, g->k.known ? "%+.1f" : "-", g->checks.skewness);
}

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

#define CHECK(name, field) \
	static void name(char *text, size_t room, const struct kb_group_analysis *g) \
	{ \
		p_cell(text, room, &g->checks.field); \
	}

CHECK(normal_p, normal)
CHECK(lag1_p, lag1)
CHECK(von_neumann_p, von_neumann)
CHECK(ljung_box_p, ljung_box)
CHECK(runs_p, runs)

static void lag1_r(char *text, size_t room, const struct kb_group_analysis *g)
{
	snprintf(text, room, g->checks.lag1.known ? "%+.2f" : "-", g->checks.lag1.statistic);
}

static void von_neumann_ratio(char *text, size_t room, const struct kb_group_analysis *g)
{
	snprintf(text, room, g->checks.von_neumann.known ? "%.3f" : "-", g->checks.von_neumann.statistic);
}

/* ---- tables ---------------------------------------------------------------------------------------- */

static const struct row a_rows[] = {
	{ "Test size", test_size }, { "Sample size, S", group_size }, { "Sample Mean", a_mean },
	{ "Sample Variance", a_variance }, { "Sample Std. Deviation", a_sd }, { "Coeff. of Variation, %", a_cv },
	{ "Sample Mean / Test size", y_mean }, { 0 }
};

static const struct row y_rows[] = {
	{ "Mean", y_mean }, { "Variance", y_variance }, { "Std. Deviation", y_sd }, { "Coeff. of Variation, %", y_cv },
	{ "c1", y_low }, { "c2", y_high }, { "CI half-width, % of sample mean", y_half },
	{ "S' of equation (3.3)", next_size }, { 0 }
};

static const struct row p_rows[] = {
	{ "Mean, mu_P = mu_Y", y_mean }, { "Variance, var_Y", y_variance },
	{ "Variance, var_P = var_Y * N", p_variance },
	{ "Std. Deviation", p_sd }, { "Coeff. of Variation, %", p_cv }, { 0 }
};

static const struct row corrected_rows[] = {
	{ "c1 with t for z", t_low }, { "c2", t_high }, { "c1 allowing for dependence", dependent_low },
	{ "c2", dependent_high }, { "effective sample size", effective },
	{ "S', at least 30, with t, iterated", enough },
	{ 0 }
};

static const struct row robust_rows[] = {
	{ "Median", median }, { "c1", median_low }, { "c2", median_high },
	{ "Mean without a fifth at each end", trimmed }, { "c1, stationary bootstrap", trimmed_low }, { "c2", trimmed_high },
	{ "mad_sigma", mad_sigma }, { 0 }
};

static const struct row check_rows[] = {
	{ "normal: Shapiro-Wilk", normal_p }, { "  skewness", skewness }, { "independent: lag-1 correlation", lag1_p },
	{ "  r", lag1_r }, { "independent: von Neumann", von_neumann_p },
	{ "  ratio, 2 if independent", von_neumann_ratio },
	{ "independent: Ljung-Box, 6 lags", ljung_box_p }, { "independent: runs about the median", runs_p }, { 0 }
};

static void print_rows(FILE *out, const char *title, const struct row *rows, const struct kb_group_analysis *groups,
                       size_t count)
{
	char text[48];

	fprintf(out, "\n  %s\n", title);
	for (; rows->name; rows++) {
		fprintf(out, "    %-*s", LABEL - 4, rows->name);
		for (size_t i = 0; i < count; i++) {
			rows->make(text, sizeof text, &groups[i]);
			fprintf(out, " %*s", COLUMN - 1, text);
		}
		fputc('\n', out);
	}
}

/* Columns in panels, so that a line fits the terminal. */
void kb_analysis_print_groups(FILE *out, const struct kb_kanata_analysis *analysis, size_t first, size_t count,
                              const char *unit, const struct kb_analysis_options *options, const struct kb_look *look)
{
	unsigned width = look->width ? look->width : WIDTH_USUAL;
	size_t fit = width > LABEL + COLUMN ? (width - LABEL) / COLUMN : 1;
	char title[160];

	for (size_t at = 0; at < count; at += fit) {
		const struct kb_group_analysis *groups = &analysis->groups[first + at];
		size_t columns = count - at < fit ? count - at : fit;

		snprintf(title, sizeof title, "Accumulated latency (%s)", unit);
		print_rows(out, title, a_rows, groups, columns);
		snprintf(title, sizeof title,
		         "Primary latency Sample Mean (%s), confidence level %g%%, z = %.3f, e = %g%%",
		         unit, 100 * options->confidence, groups->k.z, 100 * options->half_width);
		print_rows(out, title, y_rows, groups, columns);
		snprintf(title, sizeof title, "Primary latency (%s)", unit);
		print_rows(out, title, p_rows, groups, columns);
		print_rows(out, "The same without assuming normality, independence and a known sigma", corrected_rows,
		           groups, columns);
		print_rows(out, "What a few wild values do not move", robust_rows, groups, columns);
		print_rows(out, "Checks of what the above assumes: p, and * where rejected at 5 %", check_rows, groups,
		           columns);
	}
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

void kb_analysis_print_across(FILE *out, const struct kb_kanata_analysis *analysis, size_t first,
                              const struct kb_across *across, const char *unit,
                              const struct kb_analysis_options *options, const struct kb_look *look)
{
	char text[KB_ANALYSIS_WORDS];

	fprintf(out, "\n  Over %zu group%s\n", across->groups, across->groups == 1 ? "" : "s");
	if (across->groups > 1)
		print_checks(out, across);
	kb_analysis_line_words(text, across, unit, options);
	kb_words_wrap(out, look, 4, text);
	kb_analysis_bias_words(text, analysis, first, across, unit);
	kb_words_wrap(out, look, 4, text);
	kb_analysis_change_words(text, across, options);
	if (text[0])
		kb_words_wrap(out, look, 4, text);

	struct kb_look all = *look;

	all.notes = true;
	kb_words_reasons(out, &all, &across->verdict);
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

static void print_series_checks(FILE *out, const struct kb_series_checks *checks)
{
	print_check(out, "normal: Shapiro-Wilk", "W", &checks->normal);
	print_check(out, "independent: lag-1 correlation", "r", &checks->lag1);
	print_check(out, "independent: von Neumann", "ratio", &checks->von_neumann);
	print_check(out, "independent: Ljung-Box, 6 lags", "Q", &checks->ljung_box);
	print_check(out, "independent: runs about the median", "runs", &checks->runs);
}

void kb_analysis_print_list(FILE *out, const struct kb_list_analysis *list, const char *unit,
                            const struct kb_analysis_options *options, const struct kb_look *look)
{
	static const char *const names[KB_QUANTILES] = {
		[KB_P1] = "p1", [KB_P10] = "p10", [KB_P50] = "median", [KB_P90] = "p90", [KB_P99] = "p99"
	};
	struct kb_look all = *look;

	fprintf(out, "\n  %zu values (%s), confidence intervals at %g%%\n", list->count, unit, 100 * options->confidence);
	for (int i = 0; i < KB_QUANTILES; i++)
		print_interval(out, names[i], &list->quantile[i], unit);
	print_interval(out, "arithmetic mean", &list->mean_interval, unit);
	fprintf(out, "    %-*s %.6g, median absolute deviation %.6g, skewness %+.2f\n", LABEL - 4, "std. deviation",
	        list->sd, list->mad, list->skewness);
	fprintf(out, "    %-*s %.10g, p1 is %.2g%% above it\n", LABEL - 4, "minimum", list->minimum.value,
	        list->minimum.gap_percent);
	print_series_checks(out, &list->checks);
	all.notes = true;
	kb_words_reasons(out, &all, &list->verdict);
}

static void print_fit(FILE *out, const struct kb_line_fit *fit, const char *unit)
{
	print_interval(out, "slope: cost of one operation", &fit->slope, unit);
	fprintf(out, "    %-*s %.8g +- %.3g (standard error)\n", LABEL - 4, "intercept: cost of a sample", fit->a,
	        fit->se_a);
	fprintf(out, "    %-*s %.10g +- %.3g (standard error)\n", LABEL - 4, "robust slope", fit->b_robust,
		fit->se_robust);
	fprintf(out, "    %-*s %.4g an operation, %.4g a sample\n", LABEL - 4, "noise, sqrt(v1) and sqrt(v0)",
	        sqrt(fit->v1), sqrt(fit->v0));
}

void kb_analysis_print_points(FILE *out, const struct kb_points_analysis *points, const char *unit,
                              const struct kb_analysis_options *options, const struct kb_look *look)
{
	struct kb_look all = *look;

	fprintf(out, "\n  %zu samples in %zu blocks, %s%zu different n (%s), confidence interval at %g%%\n", points->count,
	        points->blocks, points->across.groups == 0 ? "more than " : "", points->sets, unit,
	        100 * options->confidence);
	if (points->fit.known)
		print_fit(out, &points->fit, unit);
	else
		fprintf(out, "    no line: %s; it takes two different n and three blocks\n",
			kb_code_words(points->fit.why));
	if (points->across.groups > 1)
		print_checks(out, &points->across);
	all.notes = true;
	kb_words_reasons(out, &all, &points->across.verdict);
}
