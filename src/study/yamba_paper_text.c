/* See yamba_paper.h: the tables and kbench-yamba-paper/1 (doc/result.md). Every cell of ours has its unit, its interval or its verdict; those of the paper have what
   was printed. */
#include "study/yamba_paper.h"

#include <math.h>
#include <string.h>

#include "report/model/params.h"
#include "report/text/columns.h"
#include "report/text/number_format.h"
#include "report/text/style.h"
#include "result/json/json.h"
#include "study/published.h"

/* ---- cells ------------------------------------------------------------------------------------------------- */

/* A text for one printf. What was not measured is a dash, never a zero. */
struct cell { char text[96]; };

static struct cell number(double value, int digits, const char *unit)
{
	struct cell cell;
	char figure[KB_NUMBER_ROOM];

	kb_format_value(figure, value, digits);
	snprintf(cell.text, sizeof cell.text, "%s%s", figure, isfinite(value) ? unit : "");
	return cell;
}

/* The cost of one operation. */
static struct cell cost(const struct kb_paper_row *row, const char *unit, const struct kb_style *style)
{
	struct cell cell = { "-" };
	char figure[KB_NUMBER_ROOM];

	if (!row || !row->cost.known)
		return cell;
	kb_format_estimate(figure, &row->cost, strcmp(unit, "us") ? 1 : 1e-3, style->utf8);
	snprintf(cell.text, sizeof cell.text, "%s %s", figure, unit);
	return cell;
}

static const char *status_of(const struct kb_paper_row *row)
{
	return row ? kb_status_name(row->status) : "not measured";
}

/* A window is named in pages: KiB would hide what the kernel does with another page size. */
static struct cell window(const struct kb_paper *paper, const struct kb_paper_row *row)
{
	struct cell cell;

	if (row->window == 0)
		snprintf(cell.text, sizeof cell.text, "  here, read-ahead as set (%ld pages)", paper->window_now);
	else
		snprintf(cell.text, sizeof cell.text, "  here, read-ahead %u pages", row->window);
	return cell;
}

/* The next result of a part from *i on; NULL: there is none. */
static const struct kb_paper_row *next(const struct kb_paper *paper, enum kb_paper_part part, unsigned *i)
{
	while (*i < paper->count) {
		const struct kb_paper_row *row = &paper->rows[(*i)++];

		if (row->part == part)
			return row;
	}
	return NULL;
}

/* Up to the numbers. */
static size_t words_of(const char *why)
{
	const char *colon = strchr(why, ':');

	return colon ? (size_t)(colon - why) : strlen(why);
}

/* Why results are not ok, each reason once with the numbers of the first one that has it. */
static void reasons(FILE *out, const struct kb_paper *paper, const struct kb_style *style, unsigned parts)
{
	for (unsigned i = 0; i < paper->count; i++) {
		const struct kb_paper_row *row = &paper->rows[i];
		bool printed = !(parts & 1u << row->part) || !row->why[0];
		char text[600];

		for (unsigned k = 0; k < i && !printed; k++)
			printed = (parts & 1u << paper->rows[k].part) && words_of(paper->rows[k].why) == words_of(row->why) &&
			       !strncmp(paper->rows[k].why, row->why, words_of(row->why));
		if (printed)
			continue;
		snprintf(text, sizeof text, "%s: %s", kb_status_name(row->status), row->why);
		kb_print_wrapped(out, style, 4, text);
	}
}

/* ---- section 2.1 --------------------------------------------------------------------------------------------- */

static const char *form_words(const char *form)
{
	return !strcmp(form, "single") ? "one between two readings" : !strcmp(form, "counted") ? "n in a counted loop" :
	       !strcmp(form, "unrolled") ? "n in a row, fully unrolled" : "m in a row, n/m times, minus dummy";
}

/* In the order of the paper's four tries, first without and then with dependence. */
static void print_instruction(FILE *out, const struct kb_paper *paper, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lrrrl" };
	FILE *cells = kb_columns_open(&columns, out);
	const struct kb_paper_row *row;

	fputs("\nSection 2.1: T(P) of one load from memory, in four ways\n"
	      "\tas measured\tless dummy or clock\tcore cycles\tverdict\n", cells);
	for (int dependent = 0; dependent < 2; dependent++) {
		fprintf(cells, "  %s\n", dependent ? "each load waits for the one before (latency)" : "no load waits (what the core lets through)");
		for (unsigned i = 0; (row = next(paper, KB_PAPER_INSTRUCTION, &i));) {
			double cycles = row->core_mhz > 0 && row->cost.known ? row->cost.value * row->core_mhz * 1e-3 : NAN;

			if (row->dependent == dependent)
				fprintf(cells, "    %s\t%s\t%s\t%s\t%s\n", form_words(row->form), number(row->raw, 4, " ns").text,
					cost(row, "ns", style).text, number(cycles, 3, "").text, status_of(row));
		}
	}
	reasons(cells, paper, style, 1u << KB_PAPER_INSTRUCTION);
	kb_columns_print(&columns, out);
}

/* ---- tables 1 and 2 -------------------------------------------------------------------------------------------- */

/* One line has both columns of table 1 and both of table 2: the paper's "fixed" run is where table 2 comes from, and so is
   ours. A refuted original is printed with what it reported, for that number is the lie that the paper is about. */
static void print_tables(FILE *out, const struct kb_paper *paper, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lrrrrl" };
	FILE *cells = kb_columns_open(&columns, out);
	const struct kb_paper_row *row, *wrong;

	fputs("\nTables 1 and 2: lmbench's lat_pagefault, every page of a file once in random order, time per access\n"
	      "\toriginal\tfixed\tfaults/access\tpages/fault\tverdicts\n", cells);
	for (int i = 0; i < KB_PAPER_PLATFORMS; i++) {
		const struct kb_paper_lmbench *printed = &kb_paper_lmbench[i];

		fprintf(cells, "  paper, %s\t%.4f us\t", printed->platform, printed->original_us);
		fprintf(cells, printed->fixed_us > 0 ? "%.4f us" : "-", printed->fixed_us);
		fprintf(cells, "\t%.3f\t%.2f\t\n", printed->faults, printed->page_ins);
	}
	for (unsigned i = 0; (row = next(paper, KB_PAPER_FIXED, &i));) {
		for (unsigned k = 0; (wrong = next(paper, KB_PAPER_ORIGINAL, &k));) {
			if (wrong->window == row->window && wrong->scale == row->scale)
				break;
		}
		fprintf(cells, "%s\t%s\t%s\t%s\t%s\t%s, %s\n", window(paper, row).text, cost(wrong, "us", style).text,
			cost(row, "us", style).text, number(row->faults, 3, "").text, number(row->page_ins, 4, "").text,
			status_of(wrong), status_of(row));
	}
	for (unsigned i = 0; (row = next(paper, KB_PAPER_ORIGINAL, &i));) {
		if (!isfinite(row->resident))
			continue;
		fprintf(cells, "  mincore after lmbench's msync(MS_INVALIDATE): %.0f pages are still in memory%s\n", row->resident,
			row->resident > 0 ? ", it evicts nothing" : "");
		break;
	}
	fprintf(cells, "  \"fixed\": %s\n", paper->drop_caches ? "drop_caches, as in the paper" :
		"munmap and posix_fadvise(DONTNEED), of this file only; --drop-caches does as the paper did");
	reasons(cells, paper, style, 1u << KB_PAPER_ORIGINAL | 1u << KB_PAPER_FIXED);
	kb_columns_print(&columns, out);
}

/* ---- figures 4 to 7 -------------------------------------------------------------------------------------------- */

/* Figure 4 is the column of pages per fault in all three. The paper found that each access faults; ours tells how many do. */
static void print_figures(FILE *out, const struct kb_paper *paper, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lrrrrl" };
	FILE *cells = kb_columns_open(&columns, out);
	const struct kb_paper_row *row;

	fputs("\nFigures 4 to 7: the paper's own program, one page in `scale` is touched, eviction inside both loops\n", cells);
	for (unsigned figure = 5, scale = 16; figure <= 7; figure++, scale *= 2) {
		fprintf(cells, "scale %u (figure %u)\tper access\tvariation\tpages/fault\tfaults/access\tverdict\n", scale, figure);
		for (int i = 0; i < KB_PAPER_PLATFORMS * KB_PAPER_SCALES; i++) {
			const struct kb_paper_figure *printed = &kb_paper_figures[i];

			if (printed->scale == scale)
				fprintf(cells, "  paper, %s\t%.2f us\t%.4f\t%.2f\t1\t\n", printed->platform, printed->latency_us,
					printed->variation, printed->page_ins);
		}
		for (unsigned i = 0; (row = next(paper, KB_PAPER_PRINTED, &i));) {
			if (row->scale == scale)
				fprintf(cells, "%s\t%s\t%s\t%s\t%s\t%s\n", window(paper, row).text, cost(row, "us", style).text,
					number(row->variation, 3, "").text, number(row->page_ins, 4, "").text,
					number(row->faults, 3, "").text, status_of(row));
		}
	}
	reasons(cells, paper, style, 1u << KB_PAPER_PRINTED);
	kb_columns_print(&columns, out);
}

/* ---- figures 8 and 9 --------------------------------------------------------------------------------------------- */

bool kb_paper_fit(const struct kb_paper *paper, struct kb_paper_lines *lines)
{
	double x[KB_PAPER_ROWS], y[KB_PAPER_ROWS], w[KB_PAPER_ROWS];

	*lines = (struct kb_paper_lines){ .points = kb_paper_points(paper, x, y) };
	if (lines->points < 3)
		return false;
	for (size_t i = 0; i < lines->points; i++)
		w[i] = 1 / (y[i] * y[i]);
	lines->plain = kb_regress_fit(x, y, NULL, lines->points, 0.95);
	lines->relative = kb_regress_fit(x, y, w, lines->points, 0.95);
	return lines->plain.line.known && lines->relative.line.known;
}

static void print_fit(FILE *out, const char *label, const struct kb_regression_fit *fit)
{
	fprintf(out, "  %s\n    %.4g us/page [%.4g to %.4g], %.4g us [%.4g to %.4g], R^2 = %.5f, df = %u\n", label, fit->line.slope,
	        fit->slope.low, fit->slope.high, fit->line.intercept, fit->intercept.low, fit->intercept.high, fit->line.r2, fit->df);
}

static void add_curve(struct kb_picture *picture, const char *label, const double *x, const double *us, size_t count)
{
	unsigned k = picture->count++;

	snprintf(picture->labels[k], sizeof picture->labels[k], "%s", label);
	for (size_t i = 0; i < count; i++)
		kb_curve_add(&picture->curves[k], x[i], us[i] * 1e3);
}

/* Logarithms on both axes, as windows double; a line through the origin would be straight, one with an intercept bends. */
static void print_picture(FILE *out, const struct kb_paper *paper, const struct kb_style *style, unsigned width)
{
	struct kb_picture picture = { .title = "Figure 9: us per fault over pages in per fault, both logarithmic", .microseconds = true };
	double x[KB_PAPER_ROWS], y[KB_PAPER_ROWS];
	size_t count = kb_paper_points(paper, x, y);

	if (count > 0)
		add_curve(&picture, "here", x, y, count);
	for (size_t i = 0; i < KB_PUBLISHED_LINES; i++) {
		const struct kb_published_line *line = &kb_published_lines[i];

		if (!strncmp(line->platform, "C2", 2))
			add_curve(&picture, line->platform, line->x, line->y, KB_PUBLISHED_POINTS);
	}
	fputc('\n', out);
	kb_picture_print(out, &picture, width, style->utf8);
}

static void print_line(FILE *out, const struct kb_paper *paper, const struct kb_style *style, unsigned width)
{
	struct kb_columns columns = { .align = "lrrrrrl" };
	FILE *cells = kb_columns_open(&columns, out);
	const struct kb_paper_row *row;
	struct kb_paper_lines lines;
	const struct kb_regression *line = &lines.relative.line;
	bool fitted = kb_paper_fit(paper, &lines);

	fprintf(cells, "\nFigures 8 and 9: what a fault costs by the pages that it brings in, each fault proven\n");
	fputs("\tper fault\tvariation\tpages/fault\tpasses\tresidual\tverdict\n", cells);
	for (unsigned i = 0; (row = next(paper, KB_PAPER_LINE, &i));) {
		/* From the weighted line: with equal weights the largest window decides alone. */
		double rest = line->known && row->cost.known ? row->cost.value * 1e-3 - line->intercept - line->slope * row->page_ins : NAN;

		fprintf(cells, "  here, window of %u page%s\t%s\t%s\t%s\t%zu\t%s\t%s\n", row->window, row->window == 1 ? "" : "s",
			cost(row, "us", style).text, number(row->variation, 3, "").text, number(row->page_ins, 4, "").text, row->passes,
			number(rest, 3, " us").text, status_of(row));
	}
	kb_columns_print(&columns, out);
	/* Three points leave one degree of freedom: the interval tells what the printed R^2 does not. */
	for (size_t i = 0; i < KB_PUBLISHED_LINES; i++) {
		const struct kb_published_line *published = &kb_published_lines[i];
		struct kb_regression_fit fit = kb_regress_fit(published->x, published->y, NULL, KB_PUBLISHED_POINTS, 0.95);
		char label[160];

		snprintf(label, sizeof label, "paper, %s: %s us/page, %s us, R^2 = %s; from its three points:", published->platform,
			 published->printed[0], published->printed[1], published->printed[2]);
		print_fit(out, label, &fit);
	}
	if (fitted) {
		print_fit(out, "here, all points alike (as figure 8)", &lines.plain);
		print_fit(out, "here, by 1/y^2 (residuals above)", &lines.relative);
	} else {
		fprintf(out, "  here: %zu point%s, no line%s\n", lines.points, lines.points == 1 ? "" : "s",
		        paper->root ? "" : "; windows other than 1 set the read-ahead of the device, which needs root");
	}
	reasons(out, paper, style, 1u << KB_PAPER_LINE);
	print_picture(out, paper, style, width);
}

void kb_paper_print(FILE *out, const struct kb_paper *paper, const struct kb_style *style, unsigned width)
{
	fprintf(out, "files on %s, pages of %llu bytes, read-ahead %ld pages%s\n", paper->device[0] ? paper->device : "no one block device",
	        (unsigned long long)paper->page_bytes, paper->window_now, paper->root ? "" : "; without root it stays so");
	if (next(paper, KB_PAPER_INSTRUCTION, &(unsigned){ 0 }))
		print_instruction(out, paper, style);
	if (next(paper, KB_PAPER_FIXED, &(unsigned){ 0 }) || next(paper, KB_PAPER_ORIGINAL, &(unsigned){ 0 }))
		print_tables(out, paper, style);
	if (next(paper, KB_PAPER_PRINTED, &(unsigned){ 0 }))
		print_figures(out, paper, style);
	if (next(paper, KB_PAPER_LINE, &(unsigned){ 0 }))
		print_line(out, paper, style, width);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static const char *const part_names[KB_PAPER_PARTS] = { [KB_PAPER_INSTRUCTION] = "instruction", [KB_PAPER_ORIGINAL] = "original",
	[KB_PAPER_FIXED] = "fixed", [KB_PAPER_PRINTED] = "printed", [KB_PAPER_LINE] = "line" };

static json_t *row_json(const struct kb_paper_row *row)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "part", part_names[row->part], "row",
	                 kb_json_string(row->name), "cost_ns", kb_json_estimate(&row->cost),
	                 "raw_ns", kb_json_real(row->raw), "variation", kb_json_real(row->variation), "passes", kb_json_whole(row->passes),
	                 "faults_per_access", kb_json_real(row->faults), "page_ins_per_fault", kb_json_real(row->page_ins),
	                 "resident_after_eviction", kb_json_real(row->resident), "status", kb_status_name(row->status), "why",
	                 row->why[0] ? kb_json_string(row->why) : json_null());
}

static json_t *interval_json(const struct kb_interval *interval)
{
	return kb_json_estimate(&(struct kb_estimate){ interval->value, interval->low, interval->high, true, interval->known });
}

static json_t *fit_json(const struct kb_regression_fit *fit)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "slope_us_per_page", interval_json(&fit->slope), "intercept_us",
			 interval_json(&fit->intercept), "r2", kb_json_real(fit->line.r2), "df", kb_json_whole(fit->df));
}

/* With the document, so that a script needs no copy of the paper. */
json_t *kb_paper_published_json(void)
{
	json_t *tables = json_array(), *figures = json_array();

	for (int i = 0; i < KB_PAPER_PLATFORMS; i++) {
		const struct kb_paper_lmbench *row = &kb_paper_lmbench[i];

		json_array_append_new(tables, json_pack("{s:s, s:f, s:o, s:f, s:f}", "platform", row->platform, "original_us",
			row->original_us, "fixed_us", row->fixed_us > 0 ? json_real(row->fixed_us) : json_null(), "faults_per_access",
			row->faults, "page_ins_per_fault", row->page_ins));
	}
	for (int i = 0; i < KB_PAPER_PLATFORMS * KB_PAPER_SCALES; i++) {
		const struct kb_paper_figure *row = &kb_paper_figures[i];

		json_array_append_new(figures, json_pack("{s:s, s:i, s:f, s:f, s:f}", "platform", row->platform, "scale", (int)row->scale,
			"latency_us", row->latency_us, "variation", row->variation, "page_ins_per_fault", row->page_ins));
	}
	return json_pack("{s:o, s:o}", "tables_1_2", tables, "figures_4_7", figures);
}

json_t *kb_paper_line_json(const struct kb_paper *paper)
{
	struct kb_paper_lines lines;

	if (!kb_paper_fit(paper, &lines))
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "points", kb_json_whole(lines.points), "plain", fit_json(&lines.plain), "relative",
			 fit_json(&lines.relative));
}

json_t *kb_paper_json(const struct kb_paper *paper)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < paper->count; i++)
		json_array_append_new(rows, row_json(&paper->rows[i]));
	return json_pack("{s:{s:o, s:o, s:o, s:b, s:b}, s:o, s:o, s:o}", "machine", "device",
	                 paper->device[0] ? kb_json_string(paper->device) : json_null(), "page_bytes", kb_json_whole(paper->page_bytes),
	                 "read_ahead_pages", kb_json_whole(paper->window_now > 0 ? (uint64_t)paper->window_now : 0), "root", paper->root,
	                 "drop_caches", paper->drop_caches, "rows", rows, "line", kb_paper_line_json(paper), "published", kb_paper_published_json());
}
