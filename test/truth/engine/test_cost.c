/*
 * What a summary costs: everything that is said about a process, for 10^3 .. 10^6 observations (10^7 with
 * KB_TRUTH=full), and the largest memory of it. Printed when run by hand; judged only against bounds that a busy machine does not
 * break. A series of measurements: skewed, strongly correlated with its neighbours, one value in a thousand far off.
 */
/* runs: slow, 3 s */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#include <cmocka.h>

#include "result/summary/summary.h"
#include "stats/comparison/overhead.h"
#include "stats/distribution/checks.h"
#include "stats/distribution/modes.h"
#include "stats/series/allan.h"
#include "stats/series/changepoint.h"
#include "truth/truth.h"
#include "unit/stats/draws.h"

#define MILLION 1000000u

struct data { double *y, *ops; uint32_t *block; size_t n; };

static struct data open_data(size_t n)
{
	struct data data = { malloc(n * sizeof(double)), malloc(n * sizeof(double)), malloc(n * sizeof(uint32_t)), n };
	struct kb_rng rng;

	assert_true(data.y && data.ops && data.block);
	kb_rng_seed(&rng, n);
	draw_ar1(&rng, 0.9, data.y, n);
	for (size_t i = 0; i < n; i++) {
		data.y[i] = floor(1000 * exp(0.05 * data.y[i])) + (kb_rng_below(&rng, 1000) == 0 ? 400 : 0);
		data.ops[i] = 30 << i % 4;
		data.block[i] = (uint32_t)(i / 4);
	}
	return data;
}

static void close_data(struct data *data)
{
	free(data->y);
	free(data->ops);
	free(data->block);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct parts { double mean, quantiles, steady, modes, allan, checks, lines, net, process; };

static double lap(double *last)
{
	double now = seconds(), since = now - *last;

	*last = now;
	return since;
}

/* The series by itself. */
static void summarise_series(const double *x, size_t n, struct parts *parts)
{
	static const double p[] = { 0.01, 0.1, 0.5, 0.9, 0.99 };
	struct kb_interval intervals[5];
	struct kb_allan rows[KB_ALLAN_MAX];
	double last = seconds();
	struct kb_steady steady;

	assert_true(isfinite(kb_mean_interval(x, n, 0.95, 1).value));
	parts->mean = lap(&last);
	kb_quantile_intervals(x, n, p, 5, 0.95, intervals);
	assert_true(intervals[0].value <= intervals[4].value);
	parts->quantiles = lap(&last);
	assert_int_equal(kb_steady_state(x, n, 1, 0, &steady), 0);
	parts->steady = lap(&last);
	assert_true(kb_modes_find(x, n, 1).count <= KB_MODES_MAX);
	parts->modes = lap(&last);
	assert_true(kb_allan_series(x, n, 0.95, rows) > 0);
	parts->allan = lap(&last);
	assert_true(kb_check_lag1(x, n).known && kb_check_von_neumann(x, n).known);
	assert_true(kb_check_ljung_box(x, n, 6).known && kb_check_runs(x, n).known);
	parts->checks = lap(&last);
}

/* The same as observations of a grid of n in blocks. */
static void summarise_lines(const struct data *data, struct parts *parts)
{
	struct kb_points_of points = { data->ops, data->y, data->block, data->n };
	struct kb_overhead net;
	double last = seconds();

	assert_true(kb_fit_line(data->ops, data->y, data->block, data->n, 0.95).known);
	assert_true(kb_quantile_line(data->ops, data->y, data->n, 0.1, 0.95).known);
	parts->lines = lap(&last);
	assert_int_equal(kb_overhead_find(&points, &points, 0.95, 1, &net), 0);
	parts->net = lap(&last);
}

/* The same as one process of a row, with all that is said of it and of the row. */
static void summarise_process(const struct data *data, struct parts *parts)
{
	struct kb_points op = {
		.n = data->ops, .ticks = data->y, .t = calloc(data->n, sizeof(double)), .probe = calloc(data->n, sizeof(uint32_t)),
		.block = data->block, .flags = calloc(data->n, sizeof(unsigned)), .count = data->n, .room = data->n,
	};
	struct kb_samples samples = { .outcome = "", .state = KB_RECORD_WHOLE, .method = KB_METHOD_SLOPE, .quantum = 1, .op = op };
	struct kb_process_fit fit, observed;
	struct kb_clean_fit clean;
	struct kb_floor floor = { .k = 0 };
	struct kb_summary summary = {
		.samples = &samples, .fits = &fit, .observed = &observed, .clean = &clean, .floor = &floor, .count = 1,
	};
	struct kb_summary_rules rules = { .planned = 5, .precision = 0.01, .floor = &floor };
	struct kb_result *result = calloc(1, sizeof *result);
	double last = seconds();

	assert_true(op.t && op.probe && op.flags && result);
	kb_summary_numbers(&summary, result);
	kb_summary_judge(&summary, &rules, result);
	assert_true(fit.steady.known);
	parts->process = lap(&last);
	free(op.t);
	free(op.probe);
	free(op.flags);
	free(result);
}

static double total(const struct parts *p)
{
	return p->mean + p->quantiles + p->steady + p->modes + p->allan + p->checks + p->lines + p->net + p->process;
}

static void cost(void **state)
{
	size_t largest = truth_full() ? 10 * MILLION : MILLION;
	struct rusage usage;

	(void)state;
	printf("%9s %9s %8s | %8s %9s %8s %8s %8s %8s %8s %8s %8s\n", "values", "seconds", "ns/value", "mean", "quantiles",
	       "steady", "modes", "allan", "checks", "lines", "net", "launch");
	for (size_t n = 1000; n <= largest; n *= 10) {
		struct data data = open_data(n);
		struct parts p;

		summarise_series(data.y, n, &p);
		summarise_lines(&data, &p);
		summarise_process(&data, &p);
		printf("%9zu %9.4f %8.0f | %8.4f %9.4f %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f\n", n, total(&p),
		       1e9 * total(&p) / (double)n, p.mean, p.quantiles, p.steady, p.modes, p.allan, p.checks, p.lines,
		       p.net, p.process);
		close_data(&data);
		if (n != MILLION)
			continue;
		getrusage(RUSAGE_SELF, &usage);
		printf("%9s memory at most %ld MB\n", "", usage.ru_maxrss / 1024);
		assert_true(usage.ru_maxrss < 200 * 1024);
		assert_true(total(&p) < 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(cost) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
