/* See analysis.h: what holds across groups: equal Y, growth of the variance, the line, where A/N stops changing. */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>

#include "result/samples.h"

#define COMMON_MODE_P 0.01      /* a third term of the variance is claimed only on stronger evidence */
#define NONLINEAR_P 0.001
#define LEVER_MIN 2             /* ratio of the largest to the smallest N below which they are close to each other */

/* Groups ascending in N, twice: of A and of Y. */
struct sorted {
	struct kb_set *a, *y;
	struct kb_group *values;        /* of Y */
	size_t count;
};

static int by_n(const void *left, const void *right)
{
	const struct kb_group_analysis *a = *(const struct kb_group_analysis *const *)left;
	const struct kb_group_analysis *b = *(const struct kb_group_analysis *const *)right;

	if (a->k.n < b->k.n || a->k.n > b->k.n)
		return a->k.n < b->k.n ? -1 : 1;
	/* The same order every time: the groups lie in one array. */
	return (a > b) - (a < b);
}

/* The document's statistics are of all tests. The line is of those that nothing disturbed, as in method slope. */
static struct kb_set undisturbed(const struct kb_group_analysis *group)
{
	const struct kb_kanata *k = &group->k;
	double *a = malloc((k->count + 1) * sizeof *a), least = INFINITY;
	struct kb_set set = { .n = k->n, .count = k->count, .mean = k->a.mean, .variance = k->a.variance };
	size_t count = 0;

	for (size_t i = 0; i < k->count; i++)
		least = fmin(least, group->y[i] * k->n);
	for (size_t i = 0; i < k->count && a; i++) {
		double value = rint(group->y[i] * k->n);

		if (!kb_has_tick(value, least))
			a[count++] = value;
	}
	if (count > 1) {
		set.count = count;
		set.mean = kb_mean(a, count);
		set.variance = kb_variance(a, count);
	}
	free(a);
	return set;
}

static bool sort(struct sorted *s, const struct kb_kanata_analysis *analysis)
{
	size_t count = analysis->count;
	const struct kb_group_analysis **order = calloc(count + 1, sizeof *order);

	*s = (struct sorted){
		.a = calloc(count + 1, sizeof *s->a), .y = calloc(count + 1, sizeof *s->y),
		.values = calloc(count + 1, sizeof *s->values), .count = count,
	};
	if (!order || !s->a || !s->y || !s->values) {
		free(order);
		return false;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = &analysis->groups[i];
	qsort(order, count, sizeof *order, by_n);
	for (size_t i = 0; i < count; i++) {
		const struct kb_kanata *k = &order[i]->k;

		s->a[i] = (struct kb_set){ .n = k->n, .count = k->count, .mean = k->a.mean, .variance = k->a.variance };
		if (analysis->counts)
			s->a[i] = undisturbed(order[i]);
		s->y[i] = (struct kb_set){ .n = k->n, .count = k->count, .mean = k->y.mean, .variance = k->y.variance };
		s->values[i] = (struct kb_group){ order[i]->y, k->count };
	}
	free(order);
	return true;
}

/* The first group behind those of the smallest N from `from` on. */
static size_t next_n(const struct kb_set *sets, size_t count, size_t from)
{
	size_t i = from;

	while (i < count && !(sets[i].n > sets[from].n))
		i++;
	return i;
}

/* The first group of the largest N below that of group `from`. from > 0 */
static size_t previous_n(const struct kb_set *sets, size_t from)
{
	size_t i = from - 1;

	while (i > 0 && !(sets[i - 1].n < sets[i].n))
		i--;
	return i;
}

/* First-run effects make small N too dear: leave out the smallest as long as no line fits, but keep three. */
static void find_line(const struct sorted *s, struct kb_across *across)
{
	const struct kb_growth *growth = &across->growth;
	size_t from = 0;

	across->all = across->line = kb_set_line(s->a, s->count, growth->v0, growth->v1);
	across->line_settled = true;
	while (across->line.fit.known && across->line.fit.p < KB_REJECTED) {
		from = next_n(s->a, s->count, from);
		across->line = kb_set_line(s->a + from, s->count - from, growth->v0, growth->v1);
		if (across->line.fit.known)
			continue;
		across->line = across->all;
		across->line_settled = false;
		from = 0;
		break;
	}
	across->line_from = s->a[from].n;
}

/* t over all tests of those groups: v0 and v1 are estimated from them. */
static void bound_slope(const struct sorted *s, double confidence, struct kb_across *across)
{
	const struct kb_set_line *line = &across->line;
	double excess = line->fit.known ? fmax(1, line->fit.statistic / line->df) : 1, tests = 0, half;

	across->slope = (struct kb_interval){ .value = line->b, .low = line->b, .high = line->b };
	across->slope.why = KB_CODE_too_few_effective;
	for (size_t g = 0; g < s->count; g++)
		tests += s->a[g].n < across->line_from ? 0 : (double)s->a[g].count;
	if (!line->known || tests < 3)
		return;
	half = kb_t_quantile(0.5 + confidence / 2, tests - 2) * sqrt(excess) * line->se_b;
	across->slope = (struct kb_interval){ line->b, line->b - half, line->b + half, tests, true, KB_CODE_COUNT };
}

/* The document's question (section 3.2), asked from the largest N downwards, once with a width and once with a test. */
static void find_end_of_change(const struct sorted *s, double half_width, struct kb_across *across)
{
	size_t last = s->count - 1, from;
	double final;

	while (last > 0 && !(s->y[last - 1].n < s->y[last].n))
		last--;
	final = 0;
	for (size_t i = last; i < s->count; i++)
		final += s->y[i].mean / (double)(s->count - last);
	for (from = s->count; from > 0 && fabs(s->y[from - 1].mean - final) <= half_width * fabs(final); from--)
		;
	/* In between two groups of one N the larger N is meant. */
	from = from > 0 && from < s->count && !(s->y[from - 1].n < s->y[from].n) ? next_n(s->y, s->count, from) : from;
	across->within_from = from < s->count ? s->y[from].n : 0;
	for (from = last;; from = previous_n(s->y, from)) {
		if (s->count - from > 1) {
			struct kb_check equal = kb_check_equal_set_means(s->y + from, s->count - from);

			if (!equal.known || equal.p < KB_REJECTED)
				break;
			across->equal_from = s->y[from].n;
		}
		if (from == 0)
			break;
	}
}

/* ---- what it means --------------------------------------------------------------------------------- */

/* How many groups fail a check, and the smallest p of all. */
struct failures { size_t failed, checked; double least; };

static void count_failure(struct failures *f, const struct kb_check *check)
{
	if (!check->known)
		return;
	f->least = f->checked == 0 ? check->p : fmin(f->least, check->p);
	f->checked++;
	f->failed += check->p < KB_REJECTED;
}

/* Of many groups a twentieth fails by chance; nothing is said about so few. */
static bool remarkable(const struct failures *f)
{
	return f->failed > 0 && ((double)f->failed > 2 * KB_REJECTED * (double)f->checked ||
	                         f->least * (double)f->checked < KB_REJECTED);
}

static void judge_groups(const struct kb_kanata_analysis *analysis, struct kb_verdict *verdict)
{
	struct failures normal = { 0 }, dependent = { 0 };
	size_t few = 0, constant = 0, groups = analysis->count;

	for (size_t i = 0; i < analysis->count; i++) {
		const struct kb_group_analysis *group = &analysis->groups[i];

		count_failure(&normal, &group->checks.normal);
		count_failure(&dependent, &group->checks.von_neumann);
		constant += group->k.known && group->k.why == KB_CODE_tick_limited;
		few += !group->k.dependent.known;
	}
	if (few > 0)
		kb_verdict_add(verdict, KB_CODE_too_few_effective, "%zu of %zu groups have no confidence interval that allows for "
		               "dependence", few, groups);
	if (constant > 0)
		kb_verdict_add(verdict, KB_CODE_tick_limited, "%zu of %zu groups do not vary", constant, groups);
	if (remarkable(&normal))
		kb_verdict_add(verdict, KB_CODE_not_normal, "Shapiro-Wilk rejects %zu of %zu groups at 5 %%",
		               normal.failed, normal.checked);
	if (remarkable(&dependent))
		kb_verdict_add(verdict, KB_CODE_autocorrelated,
		               "von Neumann's ratio rejects %zu of %zu groups at 5 %%, "
		               "smallest p = %.2g", dependent.failed, dependent.checked, dependent.least);
}

static void judge_across(struct kb_across *across)
{
	const struct kb_growth *growth = &across->growth;
	const struct kb_set_line *line = &across->line;
	struct kb_verdict *verdict = &across->verdict;

	if (growth->proportional.known && growth->proportional.p < KB_REJECTED)
		kb_verdict_add(verdict, KB_CODE_var_not_proportional, "%.4g of the sample itself and %.4g an "
		               "operation, p = %.1g", growth->v0, growth->v1, growth->proportional.p);
	if (growth->common_mode.known && growth->common_mode.p < COMMON_MODE_P)
		kb_verdict_add(verdict, KB_CODE_common_mode, "%.4g n^2 of the variance, p = %.1g", growth->v2,
		               growth->common_mode.p);
	if (across->all.fit.known && across->all.fit.p < NONLINEAR_P)
		kb_verdict_add(verdict, KB_CODE_nonlinear, "chi2 %.1f over %u degrees of freedom",
		               across->all.fit.statistic,
		               across->all.df);
	/* With N close to each other an intercept is far from the data and a curve passes for one: ask for more. */
	across->biased =
		line->known && fabs(line->a) > (across->n_max < LEVER_MIN * across->line_from ? 4 : 2) * line->se_a;
	if (across->biased)
		kb_verdict_add(verdict, KB_CODE_intercept_bias, "%.4g ±%.2g a sample", line->a, line->se_a);
}

/* Instructions have no noise: a fit by variances has nothing to go by, and needs none. */
static void find_exact(const struct sorted *s, struct kb_across *across)
{
	double *n = calloc(s->count, sizeof *n), *mean = calloc(s->count, sizeof *mean);
	bool constant = n && mean;

	for (size_t i = 0; i < s->count && constant; i++) {
		constant = s->a[i].count > 1 && !(s->a[i].variance > 0);
		n[i] = s->a[i].n;
		mean[i] = s->a[i].mean;
	}
	if (constant)
		across->exact = kb_regress(n, mean, s->count);
	for (size_t i = 0; i < s->count && across->exact.known; i++)
		across->exact_off = fmax(across->exact_off, fabs(mean[i] - across->exact.intercept - across->exact.slope * n[i]));
	free(n);
	free(mean);
}

struct kb_across kb_across_groups(const struct kb_kanata_analysis *analysis, const struct kb_analysis_options *options)
{
	struct kb_across across = { .groups = analysis->count };
	struct sorted s = { 0 };

	judge_groups(analysis, &across.verdict);
	if (across.groups > 0 && sort(&s, analysis)) {
		across.n_min = s.a[0].n;
		across.n_max = s.a[s.count - 1].n;
		across.equal_means = kb_check_equal_set_means(s.y, s.count);
		across.equal_spreads = kb_check_equal_spreads(s.values, s.count);
		across.growth = kb_check_growth(s.a, s.count);
		find_line(&s, &across);
		find_exact(&s, &across);
		bound_slope(&s, options->confidence, &across);
		find_end_of_change(&s, options->half_width, &across);
		judge_across(&across);
	} else {
		across.groups = 0;
		kb_verdict_add(&across.verdict, KB_CODE_too_few_effective, NULL);
	}
	free(s.a);
	free(s.y);
	free(s.values);
	return across;
}
