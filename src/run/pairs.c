/*
 * A letter of ABBA is one pass over the grid, and its value the block's cost (blocks.h). Only logarithms of letters of
 * one block are compared, so whatever drifts more slowly than a block cancels.
 */
#include "run/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/blocks.h"
#include "run/summary.h"

/* ---- one side ------------------------------------------------------------------------------------ */

/* ln of the cost in each block; NAN where it is not known. */
struct letters { double *ln; size_t count; };

static struct letters spell(const struct kb_samples *samples)
{
	struct kb_launch_fit fit;
	struct letters letters;

	kb_fit_launch(samples, &fit);
	letters.ln = kb_block_costs(samples, kb_fit_fixed(&fit), kb_fit_less(samples, &fit), &letters.count);
	for (size_t block = 0; letters.ln && block < letters.count; block++)
		letters.ln[block] = letters.ln[block] > 0 ? log(letters.ln[block]) : NAN;
	return letters;
}

/* ---- both ---------------------------------------------------------------------------------------- */

static int room_for(struct kb_pairs *pairs, size_t blocks)
{
	if (pairs->count == pairs->room) {
		size_t room = pairs->room ? 2 * pairs->room : 16;
		struct kb_pair *grown = realloc(pairs->pairs, room * sizeof *grown);

		if (!grown)
			return -ENOMEM;
		pairs->pairs = grown;
		pairs->room = room;
	}
	if (pairs->difference_count + blocks > pairs->difference_room) {
		size_t room = 2 * pairs->difference_room + blocks;
		double *grown = realloc(pairs->differences, room * sizeof *grown);

		if (!grown)
			return -ENOMEM;
		pairs->differences = grown;
		pairs->difference_room = room;
	}
	return 0;
}

/* One comparison block: its difference goes to *d. False if a letter is missing. */
static bool compare_block(const double *a, const double *b, double *d, double *a12)
{
	*d = (b[0] + b[1]) / 2 - (a[0] + a[1]) / 2;
	*a12 += isnan(*d) ? 0 : kb_a12(a, 2, b, 2);
	return !isnan(*d);
}

static void compare_letters(struct kb_pairs *pairs, const struct letters *a, const struct letters *b, struct kb_pair *pair)
{
	double *d = pairs->differences + pairs->difference_count, a12 = 0;
	size_t most = a->count < b->count ? a->count : b->count;

	for (size_t block = KB_PAIR_WARM; block + 1 < most; block += 2)
		pair->blocks += compare_block(a->ln + block, b->ln + block, &d[pair->blocks], &a12);
	pair->ln = kb_block_interval(d, pair->blocks, KB_COMPARE_CONFIDENCE);
	pair->a12 = pair->blocks > 0 ? a12 / (double)pair->blocks : 0.5;
	pair->speaks = pair->ln.known;
	pair->why = pair->ln.why;
	pairs->difference_count += pair->blocks;
}

static bool whole(const struct kb_samples *samples)
{
	return samples->state == KB_RECORD_WHOLE && !samples->outcome[0];
}

/* Of the undisturbed operations of one side. */
static bool deciles_of(const struct kb_samples *samples, double deciles[KB_DECILES])
{
	const struct kb_points *op = &samples->op;
	double *x = malloc((op->count + 1) * sizeof *x);
	size_t count = 0;
	bool known;

	for (size_t i = 0; x && i < op->count; i++) {
		if (!op->flags[i])
			x[count++] = op->ticks[i];
	}
	known = x && kb_deciles(x, count, deciles) && deciles[0] > 0;
	free(x);
	return known;
}

static void compare_deciles(const struct kb_samples *a, const struct kb_samples *b, struct kb_pair *pair)
{
	double of_a[KB_DECILES], of_b[KB_DECILES];

	pair->single = !strcmp(a->method, "single") && !strcmp(b->method, "single") && deciles_of(a, of_a) && deciles_of(b, of_b);
	for (unsigned k = 0; k < KB_DECILES && pair->single; k++)
		pair->shift[k] = log(of_b[k] / of_a[k]);
}

static int compare_samples(struct kb_pairs *pairs, const struct kb_samples *a, const struct kb_samples *b)
{
	struct letters side_a = spell(a), side_b = spell(b);
	struct kb_pair pair = { .launch = a->launch, .why = KB_CODE_record_truncated };
	int error = side_a.ln && side_b.ln ? room_for(pairs, side_a.count) : -ENOMEM;

	if (!error) {
		if (whole(a) && whole(b)) {
			compare_letters(pairs, &side_a, &side_b, &pair);
			compare_deciles(a, b, &pair);
		}
		pairs->pairs[pairs->count++] = pair;
	}
	free(side_a.ln);
	free(side_b.ln);
	return error;
}

int kb_pairs_add(struct kb_pairs *pairs, const struct kb_launch_text *a, const struct kb_launch_text *b)
{
	struct kb_samples samples_a = { 0 }, samples_b = { 0 };
	int error = kb_samples_load(&samples_a, a);

	if (!error)
		error = kb_samples_load(&samples_b, b);
	if (!error)
		error = compare_samples(pairs, &samples_a, &samples_b);
	kb_samples_free(&samples_a);
	kb_samples_free(&samples_b);
	return error;
}

void kb_pairs_free(struct kb_pairs *pairs)
{
	free(pairs->pairs);
	free(pairs->differences);
	*pairs = (struct kb_pairs){ 0 };
}

/* ---- over pairs ---------------------------------------------------------------------------------- */

unsigned kb_pairs_speaking(const struct kb_pairs *pairs)
{
	unsigned speaking = 0;

	for (size_t i = 0; i < pairs->count; i++)
		speaking += pairs->pairs[i].speaks;
	return speaking;
}

static struct kb_difference within(const struct kb_pairs *pairs, double margin)
{
	const double *d = pairs->differences;

	for (size_t i = 0; i < pairs->count; d += pairs->pairs[i++].blocks) {
		if (pairs->pairs[i].speaks)
			return kb_compare_blocks(d, pairs->pairs[i].blocks, margin);
	}
	return kb_compare_launches(NULL, 0, margin);
}

struct kb_difference kb_pairs_difference(const struct kb_pairs *pairs, double margin)
{
	double *values = malloc((pairs->count + 1) * sizeof *values);
	size_t n = 0;

	for (size_t i = 0; values && i < pairs->count; i++) {
		if (pairs->pairs[i].speaks)
			values[n++] = pairs->pairs[i].ln.value;
	}
	struct kb_difference difference = n == 1 ? within(pairs, margin) : kb_compare_launches(values, n, margin);

	free(values);
	return difference;
}

double kb_pairs_a12(const struct kb_pairs *pairs)
{
	double sum = 0;
	unsigned speaking = kb_pairs_speaking(pairs);

	for (size_t i = 0; i < pairs->count; i++)
		sum += pairs->pairs[i].speaks ? pairs->pairs[i].a12 : 0;
	return speaking > 0 ? sum / speaking : 0.5;
}

bool kb_pairs_levels(const struct kb_pairs *pairs, struct kb_levels *levels)
{
	double *values = malloc((pairs->difference_count + 1) * sizeof *values);
	size_t *sizes = malloc((pairs->count + 1) * sizeof *sizes), n = 0, launches = 0;
	const double *d = pairs->differences;

	for (size_t i = 0; values && sizes && i < pairs->count; d += pairs->pairs[i++].blocks) {
		if (!pairs->pairs[i].speaks)
			continue;
		memcpy(values + n, d, pairs->pairs[i].blocks * sizeof *values);
		n += pairs->pairs[i].blocks;
		sizes[launches++] = pairs->pairs[i].blocks;
	}
	bool known = launches > 1 && kb_levels_split(values, n, (const size_t *const[]){ sizes }, &launches, 2,
	                                             KB_COMPARE_CONFIDENCE, levels) == 0;

	free(values);
	free(sizes);
	return known;
}

bool kb_pairs_shift(const struct kb_pairs *pairs, struct kb_interval shift[KB_DECILES])
{
	double (*ln)[KB_DECILES] = malloc((pairs->count + 1) * sizeof *ln);
	size_t count = 0;

	for (size_t i = 0; ln && i < pairs->count; i++) {
		if (pairs->pairs[i].single)
			memcpy(ln[count++], pairs->pairs[i].shift, sizeof *ln);
	}
	if (count > 1)
		kb_decile_shift(ln, count, KB_COMPARE_CONFIDENCE, shift);
	free(ln);
	return count > 1;
}
