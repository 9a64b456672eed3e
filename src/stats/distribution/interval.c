/*
 * Intervals of a mean: under autocorrelation (within a process) and of independent values (over processes).
 * The bias correction of the lag-1 correlation and the AR(1) floor of the variance keep refusals honest: without
 * them an interval that misses the truth is shown in 12 % of strongly correlated series instead of 1 %.
 */
#include "stats/series/series.h"

#include <math.h>
#include <stdlib.h>

#define RHO_MAX 0.97

static double clamp(double value, double low, double high)
{
	return fmin(fmax(value, low), high);
}

struct kb_interval kb_interval_refused(double value, double n_eff, enum kb_reason_code why)
{
	return (struct kb_interval){ .value = value, .low = value, .high = value, .n_eff = n_eff, .why = why };
}

struct kb_interval kb_interval_known(double value, double low, double high, double n_eff)
{
	return (struct kb_interval){
		.value = value, .low = low, .high = high, .n_eff = n_eff, .known = true, .why = KB_CODE_COUNT
	};
}

bool kb_usable(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabs(x[i]) < 1e100))
			return false;
	return true;
}

double kb_t_factor(double confidence, double df)
{
	/* fmax and fmin drop a NaN. */
	return kb_t_quantile(0.5 + 0.5 * clamp(confidence, 0, 1 - 1e-12), df);
}

double kb_autocovariance(const double *x, size_t n, double mean, size_t lag)
{
	double sum = 0;

	for (size_t i = 0; i + lag < n; i++)
		sum += (x[i] - mean) * (x[i + lag] - mean);
	return sum / (double)n;
}

static double lag1(const double *x, size_t n)
{
	double mean = kb_mean(x, n), g0 = kb_autocovariance(x, n, mean, 0);

	return g0 > 0 ? kb_autocovariance(x, n, mean, 1) / g0 : 0;
}

double kb_lag1_rho(const double *x, size_t n)
{
	if (n < 4 || !(kb_variance(x, n) > 0))
		return 0;
	return clamp(((double)n * lag1(x, n) + 1) / (double)(n - 3), -RHO_MAX, RHO_MAX);
}

/* Andrews (1991), equations 5.3 and 6.4: Bartlett window, AR(1) plug-in. */
unsigned kb_bandwidth(double rho, size_t n)
{
	double product = (1 - rho) * (1 + rho);
	double alpha = 4 * rho * rho / (product * product);
	double lags = floor(1.1447 * cbrt(alpha * (double)n));

	return (unsigned)fmin(lags, (double)(n / 2));
}

/* The Bartlett-weighted sum of autocovariances is the mean square of the sums over all windows of bandwidth + 1 values,
   those that stick out at the ends included: linear in n whatever the bandwidth. */
double kb_newey_west(const double *x, size_t n, unsigned bandwidth)
{
	double mean = kb_mean(x, n), window = 0, sum = 0;
	size_t length = (size_t)bandwidth + 1;

	for (size_t end = 0; end < n + bandwidth; end++) {
		if (end < n)
			window += x[end] - mean;
		if (end >= length)
			window -= x[end - length] - mean;
		sum += window * window;
	}
	return sum / (double)length / (double)(n - 1);
}

struct kb_lrv kb_long_run_variance(const double *x, size_t n)
{
	struct kb_lrv v = { 0 };

	if (!kb_usable(x, n))
		return v;
	v.mean = kb_mean(x, n);
	v.variance = v.newey_west = v.lrv = kb_variance(x, n);
	v.n_eff = (double)n;
	if (n < 4 || !(v.variance > 0))
		return v;
	v.lag1 = lag1(x, n);
	v.rho = kb_lag1_rho(x, n);
	v.bandwidth = kb_bandwidth(v.rho, n);
	v.newey_west = kb_newey_west(x, n, v.bandwidth);
	/* Variance of an AR(1)'s mean over that of independent values. Negative correlation earns no credit. */
	v.lrv = fmax(fmax(v.newey_west, v.variance), v.variance * (v.rho > 0 ? (1 + v.rho) / (1 - v.rho) : 0));
	v.n_eff = (double)n * (v.variance / v.lrv);
	return v;
}

double kb_halves_distance(const double *x, size_t n)
{
	size_t middle = n / 2;
	struct kb_lrv a = kb_long_run_variance(x, middle), b = kb_long_run_variance(x + middle, n - middle);
	double error = sqrt(a.lrv / (double)middle + b.lrv / (double)(n - middle)), difference = b.mean - a.mean;

	if (error > 0)
		return difference / error;
	return difference > 0 ? INFINITY : difference < 0 ? -INFINITY : 0;
}

/* Twenty batches would lose coverage (.85 against .94 at n = 30 and correlation .3), hence six and ten. */
#define BATCHES_FEW 6
#define BATCHES_MANY 10

static double batch_halfwidth(const double *x, size_t n, double confidence)
{
	double means[BATCHES_MANY];
	size_t batches = n < 100 ? BATCHES_FEW : BATCHES_MANY, begin = 0;

	if (n < batches)
		return 0;
	for (size_t i = 0; i < batches; i++) {
		size_t end = (i + 1) * n / batches;

		means[i] = kb_mean(x + begin, end - begin);
		begin = end;
	}
	return kb_t_factor(confidence, (double)batches - 1) * sqrt(kb_variance(means, batches) / (double)batches);
}

double kb_mean_halfwidth(const double *x, size_t n, double confidence, struct kb_lrv *lrv)
{
	double hac;

	*lrv = kb_long_run_variance(x, n);
	hac = kb_t_factor(confidence, fmax(lrv->n_eff, 3) - 1) * sqrt(lrv->lrv / (double)n);
	return fmax(hac, batch_halfwidth(x, n, confidence));
}

/* Without variance it is as wide as the clock's step, which is all that is known. */
static struct kb_interval around(double mean, double half, double n_eff, double variance)
{
	struct kb_interval interval = kb_interval_known(mean, mean - half, mean + half, n_eff);

	if (!(variance > 0))
		interval.why = KB_CODE_tick_limited;
	return interval;
}

struct kb_interval kb_mean_interval(const double *x, size_t n, double confidence, double quantum)
{
	struct kb_lrv lrv;
	double half;

	if (n < 4 || !kb_usable(x, n))
		return kb_interval_refused(kb_usable(x, n) ? kb_mean(x, n) : 0, 0, KB_CODE_too_few_effective);
	half = kb_mean_halfwidth(x, n, confidence, &lrv);
	if (lrv.n_eff < KB_N_EFF_MIN)
		return kb_interval_refused(lrv.mean, lrv.n_eff, KB_CODE_too_few_effective);
	return around(lrv.mean, lrv.variance > 0 ? half : fmax(quantum, 0), lrv.n_eff, lrv.variance);
}

struct kb_interval kb_t_interval(const double *x, size_t n, double confidence)
{
	double variance;

	if (n < 2 || !kb_usable(x, n))
		return kb_interval_refused(n == 1 && kb_usable(x, n) ? x[0] : 0, (double)n, KB_CODE_too_few_effective);
	variance = kb_variance(x, n);
	return around(kb_mean(x, n), kb_t_factor(confidence, (double)(n - 1)) * sqrt(variance / (double)n), (double)n, variance);
}

/* The interval of values that are worth n_eff independent ones: it is wider for their error, and for what so few tell of that error. */
static struct kb_interval widen(struct kb_interval interval, double n_eff, double confidence)
{
	double n = interval.n_eff, wider;

	if (!interval.known || !(n_eff < n))
		return interval;
	wider = sqrt(n / n_eff) * kb_t_factor(confidence, fmin(fmax(n_eff, 3), n) - 1) / kb_t_factor(confidence, n - 1);
	interval.low = interval.value - wider * (interval.value - interval.low);
	interval.high = interval.value + wider * (interval.high - interval.value);
	interval.n_eff = n_eff;
	return interval;
}

struct kb_interval kb_serial_mean(const double *x, size_t n, double confidence)
{
	return widen(kb_t_interval(x, n, confidence), kb_long_run_variance(x, n).n_eff, confidence);
}

/* What correlates there are the sides of the median on which the values lie. Few sides show little of it, and where a few values lie far out, the
   values do: what shows more counts. */
struct kb_interval kb_serial_median(const double *x, size_t n, double confidence)
{
	struct kb_interval interval = kb_median_interval(x, n, confidence);
	double *side = malloc((n + 1) * sizeof(*side));

	for (size_t i = 0; side && i < n; i++)
		side[i] = x[i] > interval.value;
	if (side)
		interval = widen(interval, fmin(kb_long_run_variance(side, n).n_eff, kb_long_run_variance(x, n).n_eff), confidence);
	free(side);
	return interval;
}

struct kb_interval kb_geometric_mean(const double *ratio, size_t n, double confidence)
{
	struct kb_interval logs = kb_interval_refused(0, (double)n, KB_CODE_too_few_effective);
	double *ln = malloc((n + 1) * sizeof(*ln));
	size_t usable = 0;

	for (; ln && usable < n && ratio[usable] > 0 && isfinite(ratio[usable]); usable++)
		ln[usable] = log(ratio[usable]);
	if (n > 0 && usable == n) {
		logs = kb_t_interval(ln, n, confidence);
		logs.value = exp(logs.value);
		logs.low = exp(logs.low);
		logs.high = exp(logs.high);
	}
	free(ln);
	return logs;
}
