/*
 * A paired benchmark: a chain of adds, GRANULE operations at once as set-up says, in one of ten intervals of twice the length if
 * told so. It gives covariates, and refutes every REFUTE-th of its intervals.
 */
#include <kbench.h>

static uint64_t value, intervals, granule, refute, names;

static int setup(struct kb_run *run)
{
	granule = kb_param_number(run, "granule");
	refute = kb_param_number(run, "refute");
	names = kb_param_number(run, "names");
	run->granule = granule;
	return 0;
}

static int circle(uint64_t n, unsigned adds)
{
	for (uint64_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < adds; k++) {
			value += k;
			kb_keep(value);
		}
		kb_clobber();
	}
	return 0;
}

/* Before both kinds of interval, or base would find another value. */
static int before(struct kb_run *run, uint64_t n)
{
	static const char *const more[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };

	value = 5;
	kb_covariate(run, "operations", (double)n);
	for (uint64_t i = 0; i < names; i++)
		kb_covariate(run, more[i], -0.5);
	return n == granule ? 0 : kb_fail(run, 22, "n is %llu", (unsigned long long)n);
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	return circle(n, 64);
}

static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	return circle(n, 4);
}

static int check(struct kb_run *run, uint64_t n)
{
	intervals++;
	kb_covariate(run, "third", (double)(intervals % 3));
	if (value != 5 + n * 2016)
		return kb_fail(run, 84, "the sum is wrong");
	return refute && intervals % refute == 0 ? kb_refute(run, "one of \"so\" many") : 0;
}

KB_BENCHMARK(
	.summary = "adds in pairs", .per = "chain", .bound = KB_LATENCY, .method = KB_PAIRED,
	.params = { { "granule", "operations of an interval", KB_NUMBER, "700", 1, 100000, NULL },
	            { "refute", "refute one in so many intervals, 0: none", KB_NUMBER, "0", 0, 1000000, NULL },
	            { "names", "further covariates", KB_NUMBER, "0", 0, 10, NULL } },
	.setup = setup, .before = before, .op = op, .base = base, .check = check,
);
