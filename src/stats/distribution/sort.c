/*
 * See stats.h and rank.h. Half of what summarising a million observations cost was qsort(): these are distribution sorts over the
 * bits of a double, turned so that their order as integers is that of the values. Short arrays are left to qsort().
 */
#include "stats/distribution/rank.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SHORT 256               /* below, counting digits costs more than comparing values */
#define DIGIT_BITS 11u
#define DIGITS (1u << DIGIT_BITS)

struct item { uint64_t key; size_t at; };

/* Negative numbers are turned over, others put above them. Every NaN is the one that lies above infinity. */
static uint64_t key_of(double x)
{
	uint64_t bits;

	if (isnan(x))
		return UINT64_MAX;
	memcpy(&bits, &x, sizeof bits);
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The key of all NaNs gives one, too. */
static double value_of(uint64_t key)
{
	uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* Digit by digit, the lowest first, between two halves of `items`; digits that all share are passed over. Returns the half
   that is sorted. */
static struct item *distribute(struct item *items, size_t n)
{
	struct item *from = items, *to = items + n;

	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		size_t start[DIGITS + 1] = { 0 };

		for (size_t i = 0; i < n; i++)
			start[(from[i].key >> shift & (DIGITS - 1)) + 1]++;
		if (start[(from[0].key >> shift & (DIGITS - 1)) + 1] == n)
			continue;
		for (unsigned digit = 0; digit < DIGITS; digit++)
			start[digit + 1] += start[digit];
		for (size_t i = 0; i < n; i++)
			to[start[from[i].key >> shift & (DIGITS - 1)]++] = from[i];

		struct item *swap = from;

		from = to;
		to = swap;
	}
	return from;
}

static int compare_values(const void *left, const void *right)
{
	uint64_t a = key_of(*(const double *)left), b = key_of(*(const double *)right);

	return (a > b) - (a < b);
}

static int compare_ranked(const void *left, const void *right)
{
	const struct kb_ranked *a = left, *b = right;
	int order = compare_values(&a->x, &b->x);

	return order ? order : (a->at > b->at) - (a->at < b->at);
}

static struct item *items_for(size_t n)
{
	return n < SHORT ? NULL : malloc(2 * n * sizeof(struct item));
}

void kb_sort(double *x, size_t n)
{
	struct item *items = items_for(n);

	if (!items) {
		if (n > 1) /* an empty array may be NULL, which qsort() must not be given */
			qsort(x, n, sizeof *x, compare_values);
		return;
	}
	for (size_t i = 0; i < n; i++)
		items[i].key = key_of(x[i]);

	const struct item *sorted = distribute(items, n);

	for (size_t i = 0; i < n; i++)
		x[i] = value_of(sorted[i].key);
	free(items);
}

double *kb_sorted(const double *x, size_t n)
{
	double *sorted = malloc((n + 1) * sizeof *sorted);

	if (sorted && n > 0) {
		memcpy(sorted, x, n * sizeof *sorted);
		kb_sort(sorted, n);
	}
	return sorted;
}

void kb_sort_ranked(struct kb_ranked *ranked, size_t n)
{
	struct item *items = items_for(n);

	if (!items) {
		qsort(ranked, n, sizeof *ranked, compare_ranked);
		return;
	}
	for (size_t i = 0; i < n; i++)
		items[i] = (struct item){ key_of(ranked[i].x), ranked[i].at };

	const struct item *sorted = distribute(items, n);

	for (size_t i = 0; i < n; i++)
		ranked[i] = (struct kb_ranked){ value_of(sorted[i].key), sorted[i].at };
	free(items);
}
