/*
 * See result/summary/kernel.h. Heapsort, because neither its time nor its memory depends on what it is handed: it runs inside a kernel, on
 * millions of values that are all alike. Nothing here multiplies a count by a percentage before it is divided.
 */
#include "base/error.h"
#include "base/order_statistics.h"

static void sift_down(uint64_t *heap, size_t root, size_t count)
{
	uint64_t value = heap[root];
	size_t child;

	while ((child = 2 * root + 1) < count) {
		if (child + 1 < count && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= value)
			break;
		heap[root] = heap[child];
		root = child;
	}
	heap[root] = value;
}

static bool stops(size_t i, bool (*go_on)(void))
{
	return go_on && i % 4096 == 0 && !go_on();
}

void kb_order_sort(uint64_t *values, size_t count, bool (*go_on)(void))
{
	for (size_t i = count / 2; i > 0 && !stops(i, go_on); i--)
		sift_down(values, i - 1, count);
	for (size_t last = count; last > 1 && !stops(last, go_on); last--) {
		uint64_t greatest = values[0];

		values[0] = values[last - 1];
		sift_down(values, 0, last - 1);
		values[last - 1] = greatest;
	}
}

/* low + (high - low) x hundredths / 100, rounded; no product leaves 64 bits. */
static uint64_t between(uint64_t low, uint64_t high, unsigned hundredths)
{
	uint64_t gap = high - low;

	return low + gap / 100 * hundredths + (gap % 100 * hundredths + 50) / 100;
}

uint64_t kb_order_quantile(const uint64_t *sorted, size_t count, unsigned percent)
{
	size_t last = count - 1;
	/* last x percent = 100 x index + rest */
	size_t index = last / 100 * percent + last % 100 * percent / 100;
	unsigned rest = (unsigned)(last % 100 * percent % 100);

	return index >= last ? sorted[last] : between(sorted[index], sorted[index + 1], rest);
}

/* The k-th smallest distance from a middle that is given twofold, doubled too: the nearest values lie on both sides of it, and
   the distances grow outwards, so a walk that takes the nearer side each time meets them in order. */
struct walk { const uint64_t *sorted; size_t below, above, count; uint64_t middle; };

static uint64_t next_distance(struct walk *walk)
{
	bool has_below = walk->below > 0, has_above = walk->above < walk->count;
	uint64_t down = has_below ? walk->middle - 2 * walk->sorted[walk->below - 1] : 0;
	uint64_t up = has_above ? 2 * walk->sorted[walk->above] - walk->middle : 0;

	if (has_below && (!has_above || down <= up)) {
		walk->below--;
		return down;
	}
	walk->above++;
	return up;
}

uint64_t kb_order_mad(const uint64_t *sorted, size_t count)
{
	size_t half = count / 2;
	uint64_t middle = sorted[(count - 1) / 2] + sorted[half], distance = 0, before = 0;
	struct walk walk = { .sorted = sorted, .below = half, .above = half, .count = count, .middle = middle };

	for (size_t i = 0; i <= half; i++) {
		before = distance;
		distance = next_distance(&walk);
	}
	/* Twofold each; of an even count the mean of the middle two. */
	return count % 2 ? (distance + 1) / 2 : (distance + before + 2) / 4;
}

int kb_order_compute(const uint64_t *sorted, size_t count, struct kb_order_statistics *order)
{
	if (count == 0)
		return -KB_EINVAL;
	*order = (struct kb_order_statistics){
		.min = sorted[0], .max = sorted[count - 1], .count = count,
		.p95 = kb_order_quantile(sorted, count, 95), .p90 = kb_order_quantile(sorted, count, 90),
		.p50 = kb_order_quantile(sorted, count, 50), .mad = kb_order_mad(sorted, count),
	};
	return 0;
}

/* ---- the two texts ------------------------------------------------------------------------------- */

void kb_order_line(struct kb_text *text, const struct kb_order_statistics *order)
{
	const struct { const char *before; uint64_t value; } fields[] = {
		{ "min=", order->min }, { " max=", order->max }, { " count=", order->count }, { " 95th=", order->p95 },
		{ " 90th=", order->p90 }, { " 50th=", order->p50 }, { " mad=", order->mad },
	};

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		kb_text_str(text, fields[i].before);
		kb_text_u64(text, fields[i].value);
	}
	kb_text_str(text, "\n");
}

#define COLUMNS 50u             /* of all values */
#define VALUE_WIDTH 9u
#define REST_WIDTH 53u          /* bars and the count */

static void repeat(struct kb_text *text, const char *piece, size_t times)
{
	while (times--)
		kb_text_str(text, piece);
}

/* Right-aligned in what is left of `width`, of which `used` is taken. */
static void put_right(struct kb_text *text, uint64_t value, size_t used, size_t width)
{
	char digits[24];
	struct kb_text number = kb_text_in(digits, sizeof digits);

	kb_text_u64(&number, value);
	repeat(text, " ", used + number.used < width ? width - used - number.used : used > 0);
	kb_text_str(text, digits);
}

/* part / all of the columns; the product stays in 64 bits below 3 x 10^17 values. */
static size_t columns(size_t part, size_t all)
{
	return (size_t)((uint64_t)part * COLUMNS / all);
}

static void put_row(struct kb_text *text, uint64_t value, size_t above, size_t here, size_t all)
{
	size_t dark = columns(here, all), bar = columns(above + here, all);

	put_right(text, value, 0, VALUE_WIDTH);
	kb_text_str(text, " │");
	repeat(text, "▒", dark);
	repeat(text, "░", bar - dark);
	put_right(text, here, bar, REST_WIDTH);
	kb_text_str(text, "\n");
}

void kb_order_graph(struct kb_text *text, const uint64_t *sorted, size_t count, const struct kb_order_statistics *order)
{
	uint64_t step = (order->p95 - order->min) / KB_ORDER_ROWS + 1;
	size_t at = 0;

	kb_text_str(text, "    value │                      ┊                         count\n");
	for (uint64_t value = order->min; value <= order->p95; value += step) {
		size_t above = at;

		while (at < count && sorted[at] - value < step)
			at++;
		put_row(text, value, above, at - above, count);
		if (value + step < value)
			break;
	}
}
