/*
 * Kernel density on 512 points with Silverman's bandwidth for the effective number of values. The grid ends at the 1 %
 * and 99 % quantiles: no mode can be beyond, and one huge value would otherwise leave all others in one cell.
 */
#include "stats/distribution/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series/series.h"

#define POINTS 512
#define REACH 4                 /* of the kernel, in bandwidths */
#define VALLEY 0.7              /* a valley above this share of the lower peak separates nothing */
#define LEAST_MASS 0.05
#define CLUSTERED_P 0.01

struct density {
	double origin, cell;
	double at[POINTS];
	double mass[POINTS];    /* of the values that fall into each cell */
};

/* A peak reaches from the valley before it to the next one's, as indices into the grid. */
struct peak {
	unsigned top, begin;
	bool counts;            /* it has mass enough */
};

struct peaks {
	struct peak peak[POINTS / 2 + 1];
	unsigned count;
};

static double bandwidth_of(const double *sorted, size_t n, double n_eff, double least)
{
	double iqr = kb_quantile_sorted(sorted, n, 0.75) - kb_quantile_sorted(sorted, n, 0.25);
	double scale = sqrt(kb_variance(sorted, n));

	if (iqr > 0)
		scale = fmin(scale, iqr / 1.34);
	return fmax(0.9 * scale * pow(n_eff, -0.2), least);
}

/* Values beyond the grid are far from all others, and belong to no peak on it. */
static void fill_cells(struct density *d, const double *sorted, size_t n, double *raw)
{
	double share = 1 / (double)n;

	memset(raw, 0, POINTS * sizeof(*raw));
	memset(d->mass, 0, sizeof(d->mass));
	for (size_t i = 0; i < n; i++) {
		double place = (sorted[i] - d->origin) / d->cell;
		unsigned cell = (unsigned)fmin(fmax(floor(place), 0), POINTS - 2);

		if (!(place >= 0 && place < POINTS - 1))
			continue;
		d->mass[cell] += share;
		/* Linear binning: no error of first order in the cell's width. */
		raw[cell] += share * (1 - (place - cell));
		raw[cell + 1] += share * (place - cell);
	}
}

static void smooth(struct density *d, const double *raw, double bandwidth)
{
	double kernel[POINTS];
	int reach = (int)fmin(ceil(REACH * bandwidth / d->cell), POINTS - 1);

	for (int k = 0; k <= reach; k++)
		kernel[k] = exp(-0.5 * (k * d->cell / bandwidth) * (k * d->cell / bandwidth));
	for (int i = 0; i < POINTS; i++) {
		int from = i > reach ? i - reach : 0, to = i + reach < POINTS ? i + reach : POINTS - 1;

		d->at[i] = 0;
		for (int k = from; k <= to; k++)
			d->at[i] += raw[k] * kernel[k > i ? k - i : i - k];
	}
}

static void make_density(struct density *d, const double *sorted, size_t n, double bandwidth)
{
	double low = kb_quantile_sorted(sorted, n, 0.01) - REACH * bandwidth, raw[POINTS];
	double high = kb_quantile_sorted(sorted, n, 0.99) + REACH * bandwidth;

	d->origin = low;
	d->cell = (high - low) / (POINTS - 1);
	fill_cells(d, sorted, n, raw);
	smooth(d, raw, bandwidth);
}

/* Every local maximum, with the lowest point before it. */
static void find_peaks(const struct density *d, struct peaks *peaks)
{
	unsigned valley = 0;
	bool rising = true;

	peaks->count = 0;
	for (unsigned i = 1; i < POINTS; i++) {
		if (rising && d->at[i] < d->at[i - 1]) {
			peaks->peak[peaks->count++] = (struct peak){ i - 1, valley, false };
			rising = false;
		} else if (!rising && d->at[i] > d->at[i - 1]) {
			valley = i - 1;
			rising = true;
		}
	}
	if (rising)
		peaks->peak[peaks->count++] = (struct peak){ POINTS - 1, valley, false };
}

/* Peak k and the one before it become one. */
static void merge(const struct density *d, struct peaks *peaks, unsigned k)
{
	struct peak *before = &peaks->peak[k - 1];

	if (d->at[peaks->peak[k].top] > d->at[before->top])
		before->top = peaks->peak[k].top;
	before->counts = before->counts || peaks->peak[k].counts;
	peaks->count--;
	memmove(&peaks->peak[k], &peaks->peak[k + 1], (peaks->count - k) * sizeof(*before));
}

static void merge_shallow(const struct density *d, struct peaks *peaks)
{
	while (peaks->count > 1) {
		double shallowest = VALLEY;
		unsigned at = 0;

		for (unsigned k = 1; k < peaks->count; k++) {
			double lower = fmin(d->at[peaks->peak[k - 1].top], d->at[peaks->peak[k].top]);
			double depth = d->at[peaks->peak[k].begin] / lower;

			if (depth > shallowest) {
				shallowest = depth;
				at = k;
			}
		}
		if (at == 0)
			break;
		merge(d, peaks, at);
	}
}

static double mass_of(const struct density *d, const struct peaks *peaks, unsigned k)
{
	unsigned end = k + 1 < peaks->count ? peaks->peak[k + 1].begin : POINTS;
	double mass = 0;

	for (unsigned i = peaks->peak[k].begin; i < end; i++)
		mass += d->mass[i];
	return mass;
}

/* The valley between peak k and the one before it; none before the first and after the last. */
static double valley_before(const struct density *d, const struct peaks *peaks, unsigned k)
{
	return k > 0 && k < peaks->count ? d->at[peaks->peak[k].begin] : -1;
}

/* A peak of little mass goes to the neighbour beyond the higher valley. Two of them together still do not count: a tail
   is bumpy. */
static void merge_small(const struct density *d, struct peaks *peaks)
{
	unsigned k = 0;

	for (unsigned i = 0; i < peaks->count; i++)
		peaks->peak[i].counts = mass_of(d, peaks, i) >= LEAST_MASS;
	while (k < peaks->count && peaks->count > 1) {
		if (peaks->peak[k].counts) {
			k++;
			continue;
		}
		merge(d, peaks, valley_before(d, peaks, k) > valley_before(d, peaks, k + 1) ? k : k + 1);
		k = 0;
	}
}

static unsigned count_modes(struct density *d, struct peaks *peaks, const double *sorted, size_t n, double bandwidth)
{
	make_density(d, sorted, n, bandwidth);
	find_peaks(d, peaks);
	merge_shallow(d, peaks);
	merge_small(d, peaks);
	return peaks->count;
}

/* ---- on both scales --------------------------------------------------------------------------------- */

/* ln(x - smallest + iqr): skewed values become nearly symmetric, and symmetric ones stay so. */
struct scale { double smallest, shift; };

static double from_log(struct scale scale, double y)
{
	return exp(y) + scale.smallest - scale.shift;
}

static void describe(struct kb_modes *modes, const struct density *d, const struct peaks *peaks)
{
	modes->count = peaks->count < KB_MODES_MAX ? peaks->count : KB_MODES_MAX;
	for (unsigned k = 0; k < modes->count; k++) {
		modes->mode[k].location = d->origin + peaks->peak[k].top * d->cell;
		modes->mode[k].low = d->origin + peaks->peak[k].begin * d->cell;
	}
}

static void find_on_both(struct kb_modes *modes, double *sorted, size_t n, double n_eff, double quantum)
{
	double bandwidth = bandwidth_of(sorted, n, n_eff, 0.5 * quantum);
	struct scale scale = { .smallest = sorted[0] };
	struct density d;
	struct peaks peaks;
	double least;

	count_modes(&d, &peaks, sorted, n, bandwidth);
	describe(modes, &d, &peaks);
	if (peaks.count < 2)
		return;
	scale.shift = kb_quantile_sorted(sorted, n, 0.75) - kb_quantile_sorted(sorted, n, 0.25);
	/* More than half of the values are equal: any width above 0 will do, and the step is the narrowest sensible. */
	if (!(scale.shift > 0))
		scale.shift = fmax(quantum, bandwidth);
	/* A step is widest where the logarithm is steepest. */
	least = 0.5 * log1p(quantum / scale.shift);
	for (size_t i = 0; i < n; i++)
		sorted[i] = log(sorted[i] - scale.smallest + scale.shift);
	if (count_modes(&d, &peaks, sorted, n, bandwidth_of(sorted, n, n_eff, least)) < modes->count) {
		describe(modes, &d, &peaks);
		for (unsigned k = 0; k < modes->count; k++) {
			modes->mode[k].location = from_log(scale, modes->mode[k].location);
			modes->mode[k].low = from_log(scale, modes->mode[k].low);
		}
	}
}

static unsigned label_of(const struct kb_modes *modes, double x)
{
	unsigned k = 0;

	while (k + 1 < modes->count && x >= modes->mode[k + 1].low)
		k++;
	return k;
}

/* Runs of one label among n in random order, several kinds: Mood (1940), by the normal limit. */
static void test_runs(struct kb_modes *modes, const double *x, size_t n)
{
	double size = (double)n, runs = 1, squares = 0, cubes = 0, mean, variance, z;

	for (size_t i = 1; i < n; i++)
		runs += label_of(modes, x[i]) != label_of(modes, x[i - 1]);
	for (unsigned k = 0; k < modes->count; k++) {
		double count = modes->mode[k].weight * size;

		squares += count * count;
		cubes += count * count * count;
	}
	mean = 1 + (size * size - squares) / size;
	variance = (squares * (squares + size * (size + 1)) - 2 * size * cubes - size * size * size) /
	           (size * size * (size - 1));
	modes->runs = (struct kb_check){ .statistic = runs, .p = 1, .why = KB_CODE_too_few_effective };
	if (!(variance > 0))
		return;
	z = (runs - mean) / sqrt(variance);
	modes->runs = kb_check_made(runs, 2 * kb_normal_cdf(-fabs(z)));
	modes->clustered = z < 0 && modes->runs.p < CLUSTERED_P;
}

static void weigh(struct kb_modes *modes, const double *x, size_t n, double smallest, double largest)
{
	for (size_t i = 0; i < n; i++)
		modes->mode[label_of(modes, x[i])].weight += 1 / (double)n;
	for (unsigned k = 0; k < modes->count; k++)
		modes->mode[k].high = k + 1 < modes->count ? modes->mode[k + 1].low : largest;
	modes->mode[0].low = smallest;
	if (modes->count > 1)
		test_runs(modes, x, n);
}

struct kb_modes kb_modes_find(const double *x, size_t n, double quantum)
{
	struct kb_modes modes = { .why = KB_CODE_too_few_effective };
	double *sorted, smallest, largest, n_eff;
	struct kb_lrv lrv;

	if (n < KB_MODES_N_MIN)
		return modes;
	lrv = kb_long_run_variance(x, n);
	/* n_eff is never above n, so its estimate for independent values is too low on average; without a significant
	   correlation of neighbours n counts. */
	n_eff = lrv.n_eff > 0 && fabs(lrv.lag1) * sqrt((double)n) < 2 ? (double)n : lrv.n_eff;
	if (!(n_eff >= KB_MODES_N_EFF_MIN))
		return modes;
	if (!(lrv.variance > 0))
		return (struct kb_modes){ .count = 1, .mode = { { x[0], x[0], x[0], 1 } }, .known = true, .why = KB_CODE_COUNT, .lattice = true };
	sorted = kb_sorted(x, n);
	if (!sorted)
		return modes;
	smallest = sorted[0];
	largest = sorted[n - 1];
	modes.known = true;
	modes.why = KB_CODE_COUNT;
	quantum = fmax(quantum, 0);
	modes.lattice = !(bandwidth_of(sorted, n, n_eff, 0) > 0.5 * quantum);
	find_on_both(&modes, sorted, n, n_eff, quantum);
	weigh(&modes, x, n, smallest, largest);
	free(sorted);
	return modes;
}
