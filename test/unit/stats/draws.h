/* Seeded random series for the tests of the statistics: normal, autoregressive, and the noise of an operation. */
#ifndef KB_TEST_DRAWS_H
#define KB_TEST_DRAWS_H

#include <math.h>
#include <stddef.h>

#include "base/rng.h"

/* In (0, 1): never 0, whose logarithm is taken. */
static inline double draw_uniform(struct kb_rng *rng)
{
	return ((double)(kb_rng_next(rng) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double draw_normal(struct kb_rng *rng)
{
	return sqrt(-2 * log(draw_uniform(rng))) * cos(6.283185307179586 * draw_uniform(rng));
}

/* A stationary AR(1) of unit variance. */
static inline void draw_ar1(struct kb_rng *rng, double phi, double *z, size_t n)
{
	z[0] = draw_normal(rng);
	for (size_t i = 1; i < n; i++)
		z[i] = phi * z[i - 1] + sqrt(1 - phi * phi) * draw_normal(rng);
}

#endif
