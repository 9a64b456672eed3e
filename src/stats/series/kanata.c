/* See kanata.h. */
#include "stats/series/kanata.h"

#include <math.h>

#include "stats/series/series.h"

#define GROUP_MIN 30            /* the document's least S, from which it takes a mean as normal */
#define ROUNDS_MAX 50

static struct kb_moments moments(const double *x, size_t count)
{
	struct kb_moments m = { .mean = kb_mean(x, count), .variance = kb_variance(x, count) };

	m.sd = sqrt(m.variance);
	m.cv_percent = 100 * m.sd / m.mean;
	return m;
}

double kb_kanata_z(double confidence)
{
	return round(1000 * kb_t_factor(confidence, INFINITY)) / 1000;
}

/* t depends on the size that is sought, so the rule is applied to its own result until it stays, or goes to and fro
   between two neighbours: then the larger one is enough. */
double kb_group_size(double cv, double confidence, double half_width)
{
	double size = GROUP_MIN, before = 0;

	if (!isfinite(cv) || !(half_width > 0))
		return 0;
	for (int round = 0; round < ROUNDS_MAX; round++) {
		double root = kb_t_factor(confidence, size - 1) * cv / half_width;
		double next = fmax(GROUP_MIN, ceil(root * root));

		if (fabs(next - size) < 0.5 || fabs(next - before) < 0.5)
			return fmax(next, size);
		before = size;
		size = next;
	}
	return size;
}

struct kb_kanata kb_kanata_group(double n, const double *a, size_t count, double confidence, double half_width,
                                 double *scratch)
{
	struct kb_kanata k = { .n = n, .count = count, .z = kb_kanata_z(confidence), .why = KB_CODE_too_few_effective };
	double root;

	k.t = k.dependent = kb_interval_refused(0, (double)count, KB_CODE_too_few_effective);
	if (count == 0 || !(n > 0) || !kb_usable(a, count))
		return k;
	for (size_t i = 0; i < count; i++)
		scratch[i] = a[i] / n;
	k.a = moments(a, count);
	k.y = moments(scratch, count);
	k.t.value = k.t.low = k.t.high = k.dependent.value = k.dependent.low = k.dependent.high = k.y.mean;
	if (count < 2)
		return k;
	k.p = (struct kb_moments){ .mean = k.y.mean, .variance = n * k.y.variance, .sd = sqrt(n * k.y.variance) };
	k.p.cv_percent = 100 * k.p.sd / k.p.mean;
	root = k.z * k.y.sd / sqrt((double)count);
	k.low = k.y.mean - root;
	k.high = k.y.mean + root;
	k.half_percent = 100 * root / k.y.mean;
	root = k.a.sd * k.z / (k.a.mean * half_width);
	k.next_size = root * root;
	k.known = true;
	k.why = k.a.variance > 0 ? KB_CODE_COUNT : KB_CODE_tick_limited;
	k.t = kb_t_interval(scratch, count, confidence);
	k.dependent = kb_mean_interval(scratch, count, confidence, 1 / n);
	k.enough = kb_group_size(fabs(k.a.sd / k.a.mean), confidence, half_width);
	return k;
}
