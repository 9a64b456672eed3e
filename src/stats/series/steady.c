/*
 * Warm-up and steady state (after Barrett and others 2017): the steady state is the last level, from the first value on
 * after which all levels equal it. A level counts as another only if it differs by more than the spread inside it, so
 * that a change which the search can see but which does not matter cuts nothing.
 */
#include "stats/series/changepoint.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/distribution/checks.h"
#include "stats/series/series.h"

#define RELATIVE 0.001          /* levels closer than that are equal */
#define SKEWED 1                /* from this skewness on a change needs both searches */
#define FIRST 3                 /* values of a short series that are held against the rest */
#define FIRST_MADS 5
#define HALVES_SE 3

struct level { double mean, sd; };

static struct level level_of(const double *x, size_t begin, size_t end)
{
	return (struct level){ kb_mean(x + begin, end - begin), sqrt(kb_variance(x + begin, end - begin)) };
}

static bool equal_levels(struct level a, struct level b)
{
	return fabs(a.mean - b.mean) <= fmax(fmax(a.sd, b.sd), RELATIVE * fabs(b.mean));
}

/* Keeps the changes near which, up to the middle of the segments on both sides, the ranks change as well. */
static int second_vote(const double *x, size_t n, struct kb_changes *changes)
{
	struct kb_changes ranks;
	unsigned kept = 0;
	size_t before = 0;
	int err = kb_changes_by_rank(x, n, changes->kappa, &ranks);

	for (unsigned k = 0; k < changes->count; k++) {
		size_t here = changes->at[k], after = k + 1 < changes->count ? changes->at[k + 1] : n;
		bool seen = false;

		for (unsigned i = 0; i < ranks.count; i++)
			seen = seen || (2 * ranks.at[i] > before + here && 2 * ranks.at[i] < here + after);
		before = here;
		if (seen)
			changes->at[kept++] = here;
	}
	changes->count = kept;
	return err;
}

/* x: outliers pulled in. From the end: the first level that is not the last one ends the steady state. */
static void judge_levels(const double *x, size_t n, struct kb_steady *steady)
{
	const struct kb_changes *changes = &steady->changes;
	struct level last = level_of(x, changes->at[changes->count - 1], n);
	bool faster = false;
	size_t cut = 0;

	for (unsigned k = changes->count; k-- > 0;) {
		struct level level = level_of(x, k > 0 ? changes->at[k - 1] : 0, changes->at[k]);

		if (equal_levels(level, last))
			continue;
		if (cut == 0)
			cut = changes->at[k];
		faster = faster || level.mean < last.mean;
	}
	steady->code = cut == 0 ? KB_CODE_flat : faster ? KB_CODE_slowdown : KB_CODE_warmup;
	if (2 * cut > n)
		steady->code = KB_CODE_no_steady_state;
	else
		steady->cut = cut;
	steady->before = level_of(x, 0, cut > 0 ? cut : n).mean;
	steady->after = level_of(x, cut, n).mean;
}

/* Changes of variance only, and those within a level whose values were partly pulled in, are no changes of level. */
static void drop_equal(const double *x, size_t n, struct kb_changes *changes)
{
	unsigned kept = 0;
	size_t before = 0;

	for (unsigned k = 0; k < changes->count; k++) {
		size_t here = changes->at[k], after = k + 1 < changes->count ? changes->at[k + 1] : n;

		if (equal_levels(level_of(x, before, here), level_of(x, here, after)))
			continue;
		changes->at[kept++] = here;
		before = here;
	}
	changes->count = kept;
}

/* Too short for a search: the first values against the rest, and then the halves of what is left. */
static void judge_halves(const double *x, size_t n, double quantum, double *scratch, struct kb_steady *steady)
{
	double median = kb_median(x + FIRST, n - FIRST, scratch);
	double reach = fmax(FIRST_MADS * kb_mad(x + FIRST, n - FIRST, scratch), fmax(quantum, RELATIVE * fabs(median)));
	struct level first, second;
	size_t middle;

	for (size_t i = 0; i < FIRST; i++)
		if (x[i] > median + reach)
			steady->cut = i + 1;
	middle = steady->cut + (n - steady->cut) / 2;
	first = level_of(x, steady->cut, middle);
	second = level_of(x, middle, n);
	steady->code = steady->cut > 0 ? KB_CODE_warmup : KB_CODE_flat;
	steady->before = level_of(x, 0, steady->cut > 0 ? steady->cut : n).mean;
	steady->after = level_of(x, steady->cut, n).mean;
	if (equal_levels(first, second) || fabs(first.mean - second.mean) <= quantum ||
	    fabs(kb_halves_distance(x + steady->cut, n - steady->cut)) <= HALVES_SE)
		return;
	steady->code = second.mean > first.mean ? KB_CODE_slowdown : KB_CODE_drift;
	steady->before = first.mean;
	steady->after = second.mean;
}

static int long_series(const double *x, size_t n, double quantum, double penalty, double *work,
                       struct kb_steady *steady)
{
	int err = kb_changes_find(x, n, quantum, penalty, &steady->changes);
	struct kb_fences limits;

	if (err == 0 && steady->changes.count > 0 && fabs(kb_skewness(x, n)) > SKEWED)
		err = second_vote(x, n, &steady->changes);
	if (err < 0 || steady->changes.count == 0)
		return err;
	limits = kb_limits_of(x, n, work);
	kb_pull_to_neighbours(x, work, n, &limits);
	judge_levels(work, n, steady);
	drop_equal(work, n, &steady->changes);
	return 0;
}

int kb_steady_state(const double *x, size_t n, double quantum, double penalty, struct kb_steady *steady)
{
	double *work;
	int err = 0;

	*steady = (struct kb_steady){ .code = KB_CODE_flat, .changes = { .kappa = 1 } };
	if (!kb_usable(x, n))
		return -EINVAL;
	steady->before = steady->after = kb_mean(x, n);
	if (n <= 2 * FIRST)
		return 0;
	work = malloc(n * sizeof(*work));
	if (!work)
		return -ENOMEM;
	if (n < KB_CHANGES_SERIES_MIN)
		judge_halves(x, n, fmax(quantum, 0), work, steady);
	else
		err = long_series(x, n, quantum, penalty, work, steady);
	free(work);
	return err;
}

enum kb_reason_code kb_steady_of_processes(const enum kb_reason_code *codes, size_t count)
{
	enum kb_reason_code code = count > 0 ? codes[0] : KB_CODE_flat;
	bool settle = true, same = true;

	for (size_t i = 0; i < count; i++) {
		settle = settle && (codes[i] == KB_CODE_flat || codes[i] == KB_CODE_warmup);
		same = same && codes[i] == code;
	}
	return same ? code : settle ? KB_CODE_warmup : KB_CODE_inconsistent;
}
