/* See cli/yamba/paper.h: the tables. Every cell of ours has its unit, its interval or its verdict; those of the paper have what
   was printed. */
#include "study/yamba_paper_text.h"

#include <math.h>
#include <string.h>

#include "report/text/columns.h"
#include "report/text/figure.h"
#include "report/text/params.h"
#include "report/text/words.h"
#include "study/published.h"

#define CELL 64

/* ---- cells ------------------------------------------------------------------------------------------------- */

/* What was not measured is a dash, never a zero. */
static void time_cell(char cell[CELL], const struct kb_paper_row *row, double factor, const char *unit, const struct kb_look *look)
{
	char figure[KB_FIGURE_ROOM];

	if (!row || !row->cost.known) {
		snprintf(cell, CELL, "-");
		return;
	}
	kb_figure_estimate(figure, &row->cost, factor, look->utf8);
	snprintf(cell, CELL, "%s %s", figure, unit);
}

static void number_cell(char cell[CELL], double value, int digits)
{
	kb_figure_plain(cell, value, digits);
}

/* Columns are characters, and a plus-minus has two bytes. */
static void put(FILE *out, int width, const char *text)
{
	int pad = width - (int)kb_text_width(text);

	fprintf(out, "  %*s%s", pad > 0 ? pad : 0, "", text);
}

static const char *status_of(const struct kb_paper_row *row)
{
	return row ? kb_status_name(row->status) : "not measured";
}

/* A window is named in pages: KiB would hide what the kernel does with another page size. */
static void window_label(char label[CELL], const struct kb_paper *paper, const struct kb_paper_row *row)
{
	if (row->window == 0)
		snprintf(label, CELL, "here, read-ahead as set (%ld pages)", paper->window_now);
	else
		snprintf(label, CELL, "here, read-ahead %u pages", row->window);
}

/* Up to the numbers. */
static size_t words_of(const char *why)
{
	const char *colon = strchr(why, ':');

	return colon ? (size_t)(colon - why) : strlen(why);
}

/* Why rows are not ok, each reason once with the numbers of the first row that has it. */
static void reasons(FILE *out, const struct kb_paper *paper, const struct kb_look *look, unsigned parts)
{
	for (unsigned i = 0; i < paper->count; i++) {
		const struct kb_paper_row *row = &paper->rows[i];
		bool said = !(parts & 1u << row->part) || !row->why[0];
		char text[600];

		for (unsigned k = 0; k < i && !said; k++)
			said = (parts & 1u << paper->rows[k].part) && words_of(paper->rows[k].why) == words_of(row->why) &&
			       !strncmp(paper->rows[k].why, row->why, words_of(row->why));
		if (said)
			continue;
		snprintf(text, sizeof text, "%s: %s", kb_status_name(row->status), row->why);
		kb_words_wrap(out, look, 4, text);
	}
}

static const struct kb_paper_row *find(const struct kb_paper *paper, enum kb_paper_part part, unsigned window, unsigned scale)
{
	for (unsigned i = 0; i < paper->count; i++) {
		const struct kb_paper_row *row = &paper->rows[i];

		if (row->part == part && row->window == window && row->scale == scale)
			return row;
	}
	return NULL;
}

/* ---- section 2.1 --------------------------------------------------------------------------------------------- */

static const char *form_words(const char *form)
{
	return !strcmp(form, "single") ? "one between two readings" : !strcmp(form, "counted") ? "n in a counted loop" :
	       !strcmp(form, "unrolled") ? "n in a row, fully unrolled" : "m in a row, n/m times, minus dummy";
}

/* In the order of the paper's four tries, first without and then with dependence. */
static void print_instruction(FILE *out, const struct kb_paper *paper, const struct kb_look *look)
{
	fprintf(out, "\nSection 2.1: T(P) of one load from memory, in four ways\n");
	fprintf(out, "%-40s%16s%22s%14s  verdict\n", "", "as measured", "less dummy or clock", "core cycles");
	for (int dependent = 0; dependent < 2; dependent++) {
		fprintf(out, "  %s\n", dependent ? "each load waits for the one before (latency)" : "no load waits (what the core lets through)");
		for (unsigned i = 0; i < paper->count; i++) {
			const struct kb_paper_row *row = &paper->rows[i];
			char raw[CELL], cost[CELL], cycles[CELL];

			if (row->part != KB_PAPER_INSTRUCTION || row->dependent != dependent)
				continue;
			number_cell(raw, row->raw, 4);
			strcat(raw, " ns");
			time_cell(cost, row, 1, "ns", look);
			number_cell(cycles, row->core_mhz > 0 && row->cost.known ? row->cost.value * row->core_mhz * 1e-3 : NAN, 3);
			fprintf(out, "    %-36s", form_words(row->form));
			put(out, 14, raw);
			put(out, 20, cost);
			put(out, 12, cycles);
			fprintf(out, "  %s\n", status_of(row));
		}
	}
	reasons(out, paper, look, 1u << KB_PAPER_INSTRUCTION);
}

/* ---- tables 1 and 2 -------------------------------------------------------------------------------------------- */

/* One line has both columns of table 1 and both of table 2: the paper's "fixed" run is where table 2 comes from, and so is
   ours. A refuted original is printed with what it said, for that number is the lie that the paper is about. */
static void print_tables(FILE *out, const struct kb_paper *paper, const struct kb_look *look)
{
	char label[CELL], original[CELL], fixed[CELL], faults[CELL], page_ins[CELL];

	fprintf(out, "\nTables 1 and 2: lmbench's lat_pagefault, every page of a file once in random order, time per access\n");
	fprintf(out, "%-40s%18s%18s%15s%13s  verdicts\n", "", "original", "fixed", "faults/access", "pages/fault");
	for (int i = 0; i < KB_PAPER_PLATFORMS; i++) {
		const struct kb_paper_lmbench *paper_row = &kb_paper_lmbench[i];

		snprintf(label, sizeof label, "paper, %s", paper_row->platform);
		snprintf(original, sizeof original, "%.4f us", paper_row->original_us);
		snprintf(fixed, sizeof fixed, paper_row->fixed_us > 0 ? "%.4f us" : "-", paper_row->fixed_us);
		fprintf(out, "  %-38s%18s%18s%15.3f%13.2f\n", label, original, fixed, paper_row->faults, paper_row->page_ins);
	}
	for (unsigned i = 0; i < paper->count; i++) {
		const struct kb_paper_row *row = &paper->rows[i], *wrong;

		if (row->part != KB_PAPER_FIXED)
			continue;
		wrong = find(paper, KB_PAPER_ORIGINAL, row->window, row->scale);
		window_label(label, paper, row);
		time_cell(original, wrong, 1e-3, "us", look);
		time_cell(fixed, row, 1e-3, "us", look);
		number_cell(faults, row->faults, 3);
		number_cell(page_ins, row->page_ins, 4);
		fprintf(out, "  %-38s", label);
		put(out, 16, original);
		put(out, 16, fixed);
		put(out, 13, faults);
		put(out, 11, page_ins);
		fprintf(out, "  %s, %s\n", status_of(wrong), status_of(row));
	}
	for (unsigned i = 0; i < paper->count; i++) {
		const struct kb_paper_row *row = &paper->rows[i];

		if (row->part != KB_PAPER_ORIGINAL || !isfinite(row->resident))
			continue;
		fprintf(out, "  mincore after lmbench's msync(MS_INVALIDATE): %.0f pages are still in memory%s\n", row->resident,
		        row->resident > 0 ? ", it evicts nothing" : "");
		break;
	}
	fprintf(out, "  \"fixed\": %s\n", paper->drop_caches ? "drop_caches, as in the paper" :
	        "munmap and posix_fadvise(DONTNEED), of this file only; --drop-caches does as the paper did");
	reasons(out, paper, look, 1u << KB_PAPER_ORIGINAL | 1u << KB_PAPER_FIXED);
}

/* ---- figures 4 to 7 -------------------------------------------------------------------------------------------- */

static void print_published_figure(FILE *out, unsigned scale)
{
	char latency[CELL], label[CELL];

	for (int i = 0; i < KB_PAPER_PLATFORMS * KB_PAPER_SCALES; i++) {
		const struct kb_paper_figure *figure = &kb_paper_figures[i];

		if (figure->scale != scale)
			continue;
		snprintf(label, sizeof label, "paper, %s", figure->platform);
		snprintf(latency, sizeof latency, "%.2f us", figure->latency_us);
		fprintf(out, "  %-38s%18s%13.4f%13.2f%15s\n", label, latency, figure->variation, figure->page_ins, "1");
	}
}

/* Figure 4 is the column of pages per fault in all three. The paper found that each access faults; ours says how many do. */
static void print_figures(FILE *out, const struct kb_paper *paper, const struct kb_look *look)
{
	static const unsigned scales[KB_PAPER_SCALES] = { 16, 32, 64 };
	char label[CELL], latency[CELL], variation[CELL], page_ins[CELL], faults[CELL];

	fprintf(out, "\nFigures 4 to 7: the paper's own program, one page in `scale` is touched, eviction inside both loops\n");
	for (int i = 0; i < KB_PAPER_SCALES; i++) {
		fprintf(out, "%-40s%18s%13s%13s%15s  verdict\n", i == 0 ? "scale 16 (figure 5)" : i == 1 ? "scale 32 (figure 6)" :
		        "scale 64 (figure 7)", "per access", "variation", "pages/fault", "faults/access");
		print_published_figure(out, scales[i]);
		for (unsigned k = 0; k < paper->count; k++) {
			const struct kb_paper_row *row = &paper->rows[k];

			if (row->part != KB_PAPER_PRINTED || row->scale != scales[i])
				continue;
			window_label(label, paper, row);
			time_cell(latency, row, 1e-3, "us", look);
			number_cell(variation, row->variation, 3);
			number_cell(page_ins, row->page_ins, 4);
			number_cell(faults, row->faults, 3);
			fprintf(out, "  %-38s", label);
			put(out, 16, latency);
			put(out, 11, variation);
			put(out, 11, page_ins);
			put(out, 13, faults);
			fprintf(out, "  %s\n", status_of(row));
		}
	}
	reasons(out, paper, look, 1u << KB_PAPER_PRINTED);
}

/* ---- figures 8 and 9 --------------------------------------------------------------------------------------------- */

bool kb_paper_fit(const struct kb_paper *paper, struct kb_paper_lines *lines)
{
	double x[KB_PAPER_ROWS], y[KB_PAPER_ROWS], w[KB_PAPER_ROWS];

	*lines = (struct kb_paper_lines){ .points = kb_paper_points(paper, x, y, w) };
	if (lines->points < 3)
		return false;
	lines->plain = kb_regress_fit(x, y, NULL, lines->points, 0.95);
	lines->relative = kb_regress_fit(x, y, w, lines->points, 0.95);
	return lines->plain.line.known && lines->relative.line.known;
}

static void print_fit(FILE *out, const char *label, const struct kb_regression_fit *fit)
{
	fprintf(out, "  %s\n    %.4g us/page [%.4g to %.4g], %.4g us [%.4g to %.4g], R^2 = %.5f, df = %u\n", label, fit->line.slope,
	        fit->slope.low, fit->slope.high, fit->line.intercept, fit->intercept.low, fit->intercept.high, fit->line.r2, fit->df);
}

/* Three points leave one degree of freedom: the interval says what the printed R^2 does not. */
static void print_published_lines(FILE *out)
{
	for (size_t i = 0; i < KB_PUBLISHED_LINES; i++) {
		const struct kb_published_line *line = &kb_published_lines[i];
		struct kb_regression_fit fit = kb_regress_fit(line->x, line->y, NULL, KB_PUBLISHED_POINTS, 0.95);
		char label[2 * CELL];

		snprintf(label, sizeof label, "paper, %s: %s us/page, %s us, R^2 = %s; from its three points:", line->platform,
		         line->printed[0], line->printed[1], line->printed[2]);
		print_fit(out, label, &fit);
	}
}

/* Residuals are those of the weighted line: with equal weights the largest window decides alone. */
static void print_line_rows(FILE *out, const struct kb_paper *paper, const struct kb_look *look, const struct kb_paper_lines *lines,
                            bool fitted)
{
	char label[CELL], latency[CELL], variation[CELL], page_ins[CELL], rest[CELL];

	fprintf(out, "%-40s%18s%13s%13s%8s%13s  verdict\n", "", "per fault", "variation", "pages/fault", "passes", "residual");
	for (unsigned i = 0; i < paper->count; i++) {
		const struct kb_paper_row *row = &paper->rows[i];

		if (row->part != KB_PAPER_LINE)
			continue;
		snprintf(label, sizeof label, "here, window of %u page%s", row->window, row->window == 1 ? "" : "s");
		time_cell(latency, row, 1e-3, "us", look);
		number_cell(variation, row->variation, 3);
		number_cell(page_ins, row->page_ins, 4);
		number_cell(rest, fitted && row->cost.known ? row->cost.value * 1e-3 - lines->relative.line.intercept -
		            lines->relative.line.slope * row->page_ins : NAN, 3);
		if (rest[0] != '-' || rest[1])
			strcat(rest, " us");
		fprintf(out, "  %-38s", label);
		put(out, 16, latency);
		put(out, 11, variation);
		put(out, 11, page_ins);
		fprintf(out, "%8zu", row->passes);
		put(out, 11, rest);
		fprintf(out, "  %s\n", status_of(row));
	}
}

static void add_curve(struct kb_picture *picture, const char *label, const double *x, const double *us, size_t count)
{
	unsigned k = picture->count++;

	snprintf(picture->labels[k], sizeof picture->labels[k], "%s", label);
	for (size_t i = 0; i < count; i++)
		kb_curve_add(&picture->curves[k], x[i], us[i] * 1e3);
}

/* Logarithms on both axes, as windows double; a line through the origin would be straight, one with an intercept bends. */
static void print_picture(FILE *out, const struct kb_paper *paper, const struct kb_look *look, unsigned width)
{
	struct kb_picture picture = { .title = "Figure 9: us per fault over pages in per fault, both logarithmic", .microseconds = true };
	double x[KB_PAPER_ROWS], y[KB_PAPER_ROWS], w[KB_PAPER_ROWS];
	size_t count = kb_paper_points(paper, x, y, w);

	if (count > 0)
		add_curve(&picture, "here", x, y, count);
	for (size_t i = 0; i < KB_PUBLISHED_LINES; i++) {
		const struct kb_published_line *line = &kb_published_lines[i];

		if (!strncmp(line->platform, "C2", 2))
			add_curve(&picture, line->platform, line->x, line->y, KB_PUBLISHED_POINTS);
	}
	fputc('\n', out);
	kb_picture_print(out, &picture, width, look->utf8);
}

static void print_line(FILE *out, const struct kb_paper *paper, const struct kb_look *look, unsigned width)
{
	struct kb_paper_lines lines;
	bool fitted = kb_paper_fit(paper, &lines);

	fprintf(out, "\nFigures 8 and 9: what a fault costs by the pages that it brings in, each fault proven\n");
	print_line_rows(out, paper, look, &lines, fitted);
	print_published_lines(out);
	if (fitted) {
		print_fit(out, "here, all points alike (as figure 8)", &lines.plain);
		print_fit(out, "here, by 1/y^2 (residuals above)", &lines.relative);
	} else {
		fprintf(out, "  here: %zu point%s, no line%s\n", lines.points, lines.points == 1 ? "" : "s",
		        paper->root ? "" : "; windows other than 1 set the read-ahead of the device, which needs root");
	}
	reasons(out, paper, look, 1u << KB_PAPER_LINE);
	print_picture(out, paper, look, width);
}

static bool has(const struct kb_paper *paper, enum kb_paper_part part)
{
	for (unsigned i = 0; i < paper->count; i++) {
		if (paper->rows[i].part == part)
			return true;
	}
	return false;
}

void kb_paper_print(FILE *out, const struct kb_paper *paper, const struct kb_look *look, unsigned width)
{
	fprintf(out, "files on %s, pages of %llu bytes, read-ahead %ld pages%s\n", paper->device[0] ? paper->device : "no one block device",
	        (unsigned long long)paper->page_bytes, paper->window_now, paper->root ? "" : "; without root it stays so");
	if (has(paper, KB_PAPER_INSTRUCTION))
		print_instruction(out, paper, look);
	if (has(paper, KB_PAPER_FIXED) || has(paper, KB_PAPER_ORIGINAL))
		print_tables(out, paper, look);
	if (has(paper, KB_PAPER_PRINTED))
		print_figures(out, paper, look);
	if (has(paper, KB_PAPER_LINE))
		print_line(out, paper, look, width);
}
