/*
 * xoshiro256** with the constants of its authors' paper (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", 2018). Plans are reproduced from their printed seed, so the sequence must never change.
 */
#include "base/rng.h"

#define SHUFFLE_ITEM_MAX 64

static uint64_t rotate_left(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

/* Spreads a small seed over 64 bits; the state below must not be all zero, and this never makes four zeros. */
static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void kb_rng_seed(struct kb_rng *rng, uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++)
		rng->s[i] = splitmix64(&seed);
}

uint64_t kb_rng_next(struct kb_rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t kb_rng_below(struct kb_rng *rng, uint64_t limit)
{
	uint64_t draw, excess;

	if (limit == 0)
		return 0;
	/* 2^64 mod limit: dropping that many low draws leaves a whole number of rounds, less than one retry on average. */
	excess = (0 - limit) % limit;
	do
		draw = kb_rng_next(rng);
	while (draw < excess);
	return draw % limit;
}

void kb_rng_shuffle(struct kb_rng *rng, void *items, size_t count, size_t size)
{
	unsigned char held[SHUFFLE_ITEM_MAX], *base = items;

	if (size > sizeof(held))
		return;
	for (size_t left = count; left > 1; left--) {
		unsigned char *last = base + (left - 1) * size;
		unsigned char *pick = base + (size_t)kb_rng_below(rng, left) * size;

		__builtin_memcpy(held, last, size);
		__builtin_memmove(last, pick, size); /* both may be one item */
		__builtin_memcpy(pick, held, size);
	}
}
