/* A small seeded generator: xoshiro256** (Blackman and Vigna, 2018), seeded by splitmix64. Not for secrets. */
#ifndef KB_BASE_RNG_H
#define KB_BASE_RNG_H

#include "types.h"

struct kb_rng { uint64_t s[4]; };

void kb_rng_seed(struct kb_rng *, uint64_t seed);
uint64_t kb_rng_next(struct kb_rng *);

/* Uniform in 0..limit-1 without modulo bias; 0 for limit 0. */
uint64_t kb_rng_below(struct kb_rng *, uint64_t limit);

/* Fisher-Yates on `count` items of `size` bytes (size <= 64). */
void kb_rng_shuffle(struct kb_rng *, void *items, size_t count, size_t size);

#endif
