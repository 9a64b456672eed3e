/*
 * Special functions, ours because the product is MIT (GSL and R serve as oracles only).
 * Densities go through Stirling's error and the deviance (Loader 2000, "Fast and accurate computation of binomial
 * probabilities"): differences of lgamma at 5e5 would lose six of the ten digits that are promised.
 * Inverses are Newton steps on the logarithm of a tail, which is concave, so they cannot cycle.
 * Outside the domain a distribution function gives 0 or 1 and a quantile minus or plus infinity; never a NaN.
 */
#include "stats/stats.h"

#include <math.h>

#define LN_SQRT_2PI 0.91893853320467274178
#define TWO_PI 6.28318530717958647693

/* Continued fractions need some 6 sqrt(a) terms near the mean: 6000 at df = 1e6. */
#define TERMS_MAX 50000
#define TERM_EPSILON 4e-16

/* Lentz's method divides by partial results; a zero among them is replaced by this. */
#define LENTZ_TINY 1e-300

#define NEWTON_MAX 200
#define NEWTON_EPSILON 4e-16

struct tails {
	double lower, upper;
	double density;         /* derivative of `lower` by the logit of x */
};

double kb_lgamma(double x)
{
	int sign;

	/* lgamma() itself writes the global signgam, which two threads would share. */
	return lgamma_r(x, &sign);
}

/* ln Gamma(x + 1) minus Stirling's formula. */
static double stirling_error(double x)
{
	double s = 1 / (x * x);

	if (x < 10)
		return kb_lgamma(x + 1) - (x + 0.5) * log(x) + x - LN_SQRT_2PI;
	/* Abramowitz and Stegun 6.1.41; the first term left out is below 2e-14 at x = 10. */
	return (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188)))) / x;
}

/* x ln(x/m) + m - x without cancellation when x is near m. */
static double deviance(double x, double m)
{
	double d = (x - m) / m;

	if (fabs(d) > 0.5)
		return x * log(x / m) + m - x;
	return m * ((1 + d) * log1p(d) - d);
}

/* ---- normal ------------------------------------------------------------------------------------- */

double kb_normal_cdf(double z)
{
	return isnan(z) ? 0 : 0.5 * erfc(-z * M_SQRT1_2);
}

static double normal_density(double z)
{
	return exp(-0.5 * z * z) / sqrt(TWO_PI);
}

/* z > 0 whose central probability erf(z / sqrt 2) is c <= 1/2: exact digits next to the median. */
static double normal_from_centre(double c)
{
	double z = 0.5 * c * sqrt(TWO_PI), step = z;

	for (int i = 0; i < NEWTON_MAX && fabs(step) > NEWTON_EPSILON * z; i++) {
		step = (c - erf(z * M_SQRT1_2)) / (2 * normal_density(z));
		z += step;
	}
	return z;
}

/* z > 0 whose upper tail is q. Starts right of the root: the tail is below exp(-z^2/2) / 2. */
static double normal_from_tail(double q)
{
	double z = sqrt(-2 * log(2 * q)), step = z;

	for (int i = 0; i < NEWTON_MAX && fabs(step) > NEWTON_EPSILON * z; i++) {
		double tail = kb_normal_cdf(-z);

		step = (log(tail) - log(q)) * tail / normal_density(z);
		z += step;
	}
	return z;
}

double kb_normal_quantile(double p)
{
	double z;

	if (!(p > 0))
		return -INFINITY;
	if (p >= 1)
		return INFINITY;
	if (fabs(p - 0.5) <= 0.25)
		z = normal_from_centre(fabs(2 * p - 1));
	else
		z = normal_from_tail(fmin(p, 1 - p));
	return p < 0.5 ? -z : z;
}

/* ---- incomplete gamma --------------------------------------------------------------------------- */

/* P(a, x) / density as a power series, for x below a + 1. */
static double gamma_series(double a, double x)
{
	double term = 1, sum = 1;

	for (int k = 1; k < TERMS_MAX && term > TERM_EPSILON * sum; k++) {
		term *= x / (a + k);
		sum += term;
	}
	return sum;
}

/* Q(a, x) / (a density) as a continued fraction (Abramowitz and Stegun 6.5.31, contracted), for x above a + 1. */
static double gamma_fraction(double a, double x)
{
	double b = x + 1 - a, c = 1 / LENTZ_TINY, d = 1 / b, value = d;

	for (int k = 1; k < TERMS_MAX; k++) {
		double factor, coefficient = -k * (k - a);

		b += 2;
		d = b + coefficient * d;
		c = b + coefficient / c;
		d = 1 / (d == 0 ? LENTZ_TINY : d);
		factor = c * d;
		value *= factor;
		if (fabs(factor - 1) < TERM_EPSILON)
			break;
	}
	return value;
}

/* Both tails: lower is P(a, x). */
static struct tails gamma_tails(double a, double x)
{
	double density;

	if (!(x > 0))
		return (struct tails){ .upper = 1 };
	if (!(a > 0) || isinf(x))
		return (struct tails){ .lower = 1 };
	density = exp(-stirling_error(a) - deviance(a, x)) / sqrt(TWO_PI * a);
	if (x < a + 1) {
		double lower = fmin(1, density * gamma_series(a, x));

		return (struct tails){ .lower = lower, .upper = 1 - lower };
	}
	double upper = a * density * gamma_fraction(a, x);

	return (struct tails){ .lower = fmax(0, 1 - upper), .upper = upper };
}

double kb_chi2_cdf(double x, double df)
{
	return gamma_tails(0.5 * df, 0.5 * x).lower;
}

double kb_chi2_tail(double x, double df)
{
	return df > 0 ? gamma_tails(0.5 * df, 0.5 * x).upper : 1;
}

/* ---- incomplete beta ---------------------------------------------------------------------------- */

/* x^a y^b / B(a, b): Loader's binomial density of a among a + b. */
static double beta_density(double a, double b, double x, double y)
{
	double n = a + b;
	double error = stirling_error(n) - stirling_error(a) - stirling_error(b);

	return exp(error - deviance(a, n * x) - deviance(b, n * y)) * sqrt(a * b / (n * TWO_PI));
}

/* density / I_x(a, b) as a continued fraction, fast for x < (a+1)/(a+b+2). This is the contracted form (DiDonato and
   Morris 1992, equation 9): the usual one starts with 1 - (a+b)x/(a+1), which cancels five digits at a = 5e5. */
static double beta_fraction(double a, double b, double x, double y)
{
	double lambda = a * y - b * x, value = a / (a + 1) * (lambda + 1), c = value, d = 0;

	for (int n = 1; n < TERMS_MAX; n++) {
		double odd = a + 2 * n - 1, share = n * (b - n) * x / odd, factor;
		double numerator = (a + n - 1) * (a + b + n - 1) * x / odd * share;
		double term = n + share + (a + n) / (odd + 2) * (lambda + 1 + n * (1 + y));

		d = 1 / (term + numerator * d);
		c = term + numerator / c;
		factor = c * d;
		value *= factor;
		if (fabs(factor - 1) < TERM_EPSILON)
			break;
	}
	return value;
}

/* Both tails of the beta distribution; y = 1 - x is passed with x because either may be too close to 1. */
static struct tails beta_tails(double a, double b, double x, double y)
{
	struct tails t;

	if (!(x > 0))
		return (struct tails){ .upper = 1 };
	if (!(y > 0))
		return (struct tails){ .lower = 1 };
	t.density = beta_density(a, b, x, y);
	if (x * (a + b + 2) < a + 1) {
		t.lower = fmin(1, t.density / beta_fraction(a, b, x, y));
		t.upper = 1 - t.lower;
	} else {
		t.upper = fmin(1, t.density / beta_fraction(b, a, y, x));
		t.lower = 1 - t.upper;
	}
	return t;
}

/* The logit of the quantile with lower tail p and upper tail q = 1 - p: exact digits at both ends. */
static double beta_logit(double a, double b, double p, double q)
{
	double u = log(a / b), step = 0;

	for (int i = 0; i < NEWTON_MAX; i++) {
		struct tails t = beta_tails(a, b, 1 / (1 + exp(-u)), 1 / (1 + exp(u)));
		double tail = p <= q ? t.lower : t.upper, target = p <= q ? p : q;

		if (!(tail > 0) || !(t.density > 0)) {
			/* The step went where the tail underflows: take half of it back. */
			step /= 2;
			u -= step;
			continue;
		}
		/* Not the logarithm of the quotient, which overflows when the last step went far. */
		step = (log(target) - log(tail)) * tail / t.density;
		if (p > q)
			step = -step;
		u += step;
		if (fabs(step) <= NEWTON_EPSILON * fmax(1, fabs(u)))
			break;
	}
	return u;
}

double kb_beta_inc(double a, double b, double x)
{
	if (!(a > 0))
		return 1;
	if (!(b > 0))
		return 0;
	return beta_tails(a, b, x, 1 - x).lower;
}

/* ---- t and F: t^2/df and f df1/df2 are the odds of a beta variable ------------------------------ */

double kb_t_cdf(double t, double df)
{
	double odds = t / df * t, tail;

	if (isinf(df))
		return kb_normal_cdf(t);
	if (!(df > 0) || isnan(odds))
		return t > 0 ? 1 : 0;
	tail = 0.5 * beta_tails(0.5, 0.5 * df, 1 / (1 + 1 / odds), 1 / (1 + odds)).upper;
	return t > 0 ? 1 - tail : tail;
}

double kb_t_quantile(double p, double df)
{
	double t;

	if (isinf(df))
		return kb_normal_quantile(p);
	if (!(p > 0) || !(df > 0))
		return -INFINITY;
	if (p >= 1)
		return INFINITY;
	if (p == 0.5)
		return 0;
	t = sqrt(df) * exp(0.5 * beta_logit(0.5, 0.5 * df, fabs(2 * p - 1), 2 * fmin(p, 1 - p)));
	return p < 0.5 ? -t : t;
}

double kb_f_cdf(double x, double df1, double df2)
{
	double odds = x * df1 / df2;

	if (!(odds > 0) || !(df1 > 0) || !(df2 > 0))
		return 0;
	return beta_tails(0.5 * df1, 0.5 * df2, 1 / (1 + 1 / odds), 1 / (1 + odds)).lower;
}

double kb_binomial_cdf(double k, double n, double p)
{
	if (k < 0)
		return 0;
	return k >= n ? 1 : kb_beta_inc(n - k, k + 1, 1 - p);
}
