/*
 * A letter of ABBA is one pass over the grid, and its value the block's cost (blocks.h). Observed costs are compared letter by letter
 * of one block, so whatever drifts more slowly than a block cancels. Few letters have enough uncontended samples; but what two processes
 * cost while nobody shared the core needs no partner of the same moment.
 */
#include "result/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"
#include "result/blocks.h"
#include "result/parts.h"
#include "result/summary/summary.h"

/* ---- one side ------------------------------------------------------------------------------------ */

/* ln of the cost in each block; NAN where it is not known. */
struct letters { double *ln; size_t count; };

static struct letters spell(const struct kb_samples *samples)
{
	struct kb_process_fit fit;
	struct letters letters;

	kb_fit_process(samples, &fit);
	letters.ln = kb_block_costs(samples, kb_fit_fixed(&fit), kb_fit_less(samples, &fit), &letters.count);
	for (size_t block = 0; letters.ln && block < letters.count; block++)
		letters.ln[block] = letters.ln[block] > 0 ? log(letters.ln[block]) : NAN;
	return letters;
}

/* ---- both ---------------------------------------------------------------------------------------- */

static int room_for(struct kb_pairs *pairs, size_t blocks)
{
	if (!KB_GROW(pairs->pairs, pairs->count))
		return -ENOMEM;
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

static void compare_letters(struct kb_pairs *pairs, const struct letters *a, const struct letters *b, struct kb_pair *pair)
{
	double *d = pairs->differences + pairs->difference_count, a12 = 0;
	size_t most = a->count < b->count ? a->count : b->count;
	double *scratch = malloc((most + 1) * sizeof *scratch);

	for (size_t block = KB_PAIR_WARM; block + 1 < most; block += 2) {
		double difference = (b->ln[block] + b->ln[block + 1]) / 2 - (a->ln[block] + a->ln[block + 1]) / 2;

		/* Not a number: a letter is missing. */
		if (isnan(difference))
			continue;
		d[pair->blocks++] = difference;
		a12 += kb_a12(a->ln + block, 2, b->ln + block, 2);
	}
	pair->a12 = pair->blocks > 0 ? a12 / (double)pair->blocks : 0.5;
	pair->why = KB_CODE_too_few_effective;
	if (pair->blocks >= KB_PAIR_BLOCKS && scratch)
		pair->ln[KB_PAIR_OBSERVED] = kb_median(d, pair->blocks, scratch);
	pairs->difference_count += pair->blocks;
	free(scratch);
}

/* ln of what the process cost while nobody shared its core; NAN: it saw too little of that. */
static double clean_ln(struct kb_samples *samples, const struct kb_floor *floor)
{
	struct kb_process_fit fit;
	struct kb_clean_fit clean = { .usable = false };

	kb_contention_flag(samples, floor);
	if (!isnan(samples->clean_share) && !samples->elsewhere) {
		kb_fit_process(samples, &fit);
		kb_clean_fit(samples, &fit, &clean);
	}
	kb_contention_unflag(samples);

	double cost = kb_core_bound(samples->bound) ? clean.cycles : clean.cost;

	return clean.usable && cost > 0 ? log(cost) : NAN;
}

/* Of both alike: what is taken of an operation must not depend on its side. True: nothing uncontended is known of it. */
static bool too_long(struct kb_samples *a, struct kb_samples *b)
{
	struct kb_samples both[] = { *a, *b };
	bool too_long = kb_parts_measure(both, 2);

	memcpy(a->quartile, both[0].quartile, sizeof a->quartile);
	memcpy(b->quartile, both[1].quartile, sizeof b->quartile);
	return too_long;
}

static double ratio_ln(const struct kb_samples *samples)
{
	struct kb_process_fit fit;

	if (!samples->twin[0])
		return NAN;
	kb_fit_process(samples, &fit);
	return log(kb_twin_ratio(samples, &fit));
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

	pair->single = a->method == KB_METHOD_SINGLE && b->method == KB_METHOD_SINGLE && deciles_of(a, of_a) && deciles_of(b, of_b);
	for (unsigned k = 0; k < KB_DECILES && pair->single; k++)
		pair->shift[k] = log(of_b[k] / of_a[k]);
}

static int compare_samples(struct kb_pairs *pairs, struct kb_samples *a, struct kb_samples *b, const struct kb_floor *floor)
{
	struct letters side_a = spell(a), side_b = spell(b);
	struct kb_pair pair = { .process = a->process, .why = KB_CODE_record_truncated, .ln = { NAN, NAN, NAN } };
	int error = side_a.ln && side_b.ln ? room_for(pairs, side_a.count) : -ENOMEM;

	if (!error) {
		if (whole(a) && whole(b)) {
			compare_letters(pairs, &side_a, &side_b, &pair);
			if (!too_long(a, b))
				pair.ln[KB_PAIR_UNCONTENDED] = clean_ln(b, floor) - clean_ln(a, floor);
			pair.ln[KB_PAIR_RATIO] = ratio_ln(b) - ratio_ln(a);
			compare_deciles(a, b, &pair);
		}
		pairs->pairs[pairs->count++] = pair;
	}
	free(side_a.ln);
	free(side_b.ln);
	return error;
}

int kb_pairs_add(struct kb_pairs *pairs, const struct kb_process_text *a, const struct kb_process_text *b, const struct kb_floor *floor)
{
	struct kb_samples samples_a = { 0 }, samples_b = { 0 };
	int error = kb_samples_load(&samples_a, a) ?: kb_samples_load(&samples_b, b) ?:
		compare_samples(pairs, &samples_a, &samples_b, floor);

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

static unsigned count_pairs(const struct kb_pairs *pairs, enum kb_pair_kind kind)
{
	unsigned count = 0;

	for (size_t i = 0; i < pairs->count; i++)
		count += isnan(pairs->pairs[i].ln[kind]) ? 0 : 1;
	return count;
}

enum kb_pair_kind kb_pairs_kind(const struct kb_pairs *pairs)
{
	unsigned all = count_pairs(pairs, KB_PAIR_OBSERVED);

	for (enum kb_pair_kind kind = 0; kind < KB_PAIR_OBSERVED; kind++) {
		unsigned count = count_pairs(pairs, kind);

		if (count >= KB_PAIRS_FEWEST || (count > 0 && 2 * count >= all))
			return kind;
	}
	return KB_PAIR_OBSERVED;
}

bool kb_pairs_wait(const struct kb_pairs *pairs)
{
	return kb_pairs_kind(pairs) == KB_PAIR_OBSERVED &&
	       4 * count_pairs(pairs, KB_PAIR_UNCONTENDED) >= count_pairs(pairs, KB_PAIR_OBSERVED);
}

unsigned kb_pairs_usable(const struct kb_pairs *pairs)
{
	return count_pairs(pairs, kb_pairs_kind(pairs));
}

struct kb_difference kb_pairs_difference(const struct kb_pairs *pairs, double margin)
{
	double *values = malloc((pairs->count + 1) * sizeof *values);
	enum kb_pair_kind kind = kb_pairs_kind(pairs);
	size_t n = 0;

	for (size_t i = 0; values && i < pairs->count; i++) {
		if (!isnan(pairs->pairs[i].ln[kind]))
			values[n++] = pairs->pairs[i].ln[kind];
	}
	struct kb_difference difference = kb_compare_paired(values, n, margin);

	free(values);
	return difference;
}

double kb_pairs_a12(const struct kb_pairs *pairs)
{
	double sum = 0;
	unsigned usable = count_pairs(pairs, KB_PAIR_OBSERVED);

	for (size_t i = 0; i < pairs->count; i++)
		sum += isnan(pairs->pairs[i].ln[KB_PAIR_OBSERVED]) ? 0 : pairs->pairs[i].a12;
	return usable > 0 ? sum / usable : 0.5;
}

bool kb_pairs_levels(const struct kb_pairs *pairs, struct kb_levels *levels)
{
	double *values = malloc((pairs->difference_count + 1) * sizeof *values);
	size_t *sizes = malloc((pairs->count + 1) * sizeof *sizes), n = 0, processes = 0;
	const double *d = pairs->differences;

	for (size_t i = 0; values && sizes && i < pairs->count; d += pairs->pairs[i++].blocks) {
		if (isnan(pairs->pairs[i].ln[KB_PAIR_OBSERVED]))
			continue;
		memcpy(values + n, d, pairs->pairs[i].blocks * sizeof *values);
		n += pairs->pairs[i].blocks;
		sizes[processes++] = pairs->pairs[i].blocks;
	}
	bool known = processes > 1 && kb_levels_split(values, n, (const size_t *const[]){ sizes }, &processes, 2,
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
