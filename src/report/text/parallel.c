/* See table.h. */
#include "report/text/table.h"

#include <math.h>

#include "report/text/columns.h"
#include "report/text/number_format.h"

#define RATES 4

/* Rates are shown in the largest of these in which they are at least 1: of bytes where an operation moves some. */
static const struct kb_scale operations[RATES] = {
	{ "G op/s", 1e-9 }, { "M op/s", 1e-6 }, { "K op/s", 1e-3 }, { "op/s", 1 },
};
static const struct kb_scale bytes[RATES] = {
	{ "GB/s", 1e-9 }, { "MB/s", 1e-6 }, { "KB/s", 1e-3 }, { "B/s", 1 },
};

static struct kb_scale scale_of(const struct kb_result *result)
{
	const struct kb_scale *rates = result->bytes_per_op > 0 ? bytes : operations;
	double each = result->bytes_per_op > 0 ? (double)result->bytes_per_op : 1;
	size_t i = 0;

	while (i < RATES - 1 && result->parallel.aggregate.value * each * rates[i].factor < 1)
		i++;
	return (struct kb_scale){ rates[i].unit, each * rates[i].factor };
}

/* The cheapest and the dearest copy: a difference is a CPU that is not like the others, or was not alone. */
static void copies_range(const struct kb_result *result, char *text, size_t room)
{
	const struct kb_result_parallel *parallel = &result->parallel;
	double low = INFINITY, high = -INFINITY, factor = kb_scale_of(result).factor;
	char from[KB_FIGURE_ROOM], to[KB_FIGURE_ROOM];

	for (unsigned i = 0; i < parallel->copies; i++) {
		if (!parallel->copy[i].known)
			continue;
		low = fmin(low, parallel->copy[i].value * factor);
		high = fmax(high, parallel->copy[i].value * factor);
	}
	if (low > high) {
		snprintf(text, room, "-");
		return;
	}
	kb_figure_plain(from, low, KB_FIGURE_DIGITS);
	kb_figure_plain(to, high, KB_FIGURE_DIGITS);
	snprintf(text, room, parallel->copies > 1 ? "%s to %s %s" : "%s%.0s %s", from, to, kb_scale_of(result).unit);
}

static void print_row(FILE *cells, const struct kb_result *result, const struct kb_look *look)
{
	const struct kb_result_parallel *parallel = &result->parallel;
	struct kb_scale scale = scale_of(result);
	char name[KB_ROW_NAME], rate[KB_FIGURE_ROOM], range[3 * KB_FIGURE_ROOM], overlap[24] = "-";

	kb_figure_estimate(rate, &parallel->aggregate, scale.factor, look->utf8);
	copies_range(result, range, sizeof range);
	if (!isnan(parallel->overlap))
		snprintf(overlap, sizeof overlap, "%.1f %%", 100 * parallel->overlap);
	fprintf(cells, "%s\nx%u\t%s\t%s\tside by side %s\tper copy %s\n", kb_row_name(name, result), parallel->copies, rate,
		parallel->aggregate.known ? scale.unit : "", overlap, range);
}

void kb_parallel_print(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_look *look)
{
	struct kb_columns columns = { .align = "lrull", .indent = 4 };
	FILE *cells = kb_columns_open(&columns, out);
	size_t rows = 0;

	for (size_t i = 0; i < count; i++) {
		if (results[i]->parallel.copies == 0)
			continue;
		if (rows++ == 0)
			fprintf(cells, "copies: operations of all together, time side by side, cheapest and dearest copy\n");
		print_row(cells, results[i], look);
	}
	if (rows > 0)
		fputc('\n', cells);
	kb_columns_print(&columns, out);
}
