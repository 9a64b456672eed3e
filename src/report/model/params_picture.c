/*
 * Curves for a terminal: log(x) to the right, log(ns) upwards, a sign a curve. plot.c draws series in run order with a
 * linear scale, on which the first cache and memory, a factor of a hundred apart, would be one line and one point.
 */
#include "report/model/params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/text/plot.h"

#define LABEL 9
#define ROWS KB_CANVAS_ROWS

struct drawing {
	double left, right, low, high;  /* log2 of x, log of ns */
	struct kb_canvas *canvas;
	char letters[KB_PICTURE_MARKS][2];      /* of marked points, as texts */
};

static const char *const ascii_signs[KB_PICTURE_CURVES] = { "o", "+", "x", "*", "#", "@" };
static const char *const utf8_signs[KB_PICTURE_CURVES] = { "●", "○", "◆", "◇", "■", "□" };

/* What is drawn: ns, us or GB/s. */
static double value_of(const struct kb_picture *picture, double ns)
{
	return picture->rate ? picture->bytes / ns : picture->microseconds ? ns / 1000 : ns;
}

/* False: no two points differ in x. */
static bool measure(struct drawing *drawing, const struct kb_picture *picture)
{
	drawing->left = drawing->low = INFINITY;
	drawing->right = drawing->high = -INFINITY;
	for (unsigned k = 0; k < picture->count; k++) {
		const struct kb_curve *curve = &picture->curves[k];

		for (size_t i = 0; i < curve->count; i++) {
			drawing->left = fmin(drawing->left, log2(curve->x[i]));
			drawing->right = fmax(drawing->right, log2(curve->x[i]));
			drawing->low = fmin(drawing->low, log(value_of(picture, curve->ns[i])));
			drawing->high = fmax(drawing->high, log(value_of(picture, curve->ns[i])));
		}
	}
	/* A flat curve is drawn flat, not as its noise. */
	drawing->high = fmax(drawing->high, drawing->low + 0.5);
	return drawing->right > drawing->left;
}

static unsigned column_of(const struct drawing *drawing, double x)
{
	return (unsigned)lround((log2(x) - drawing->left) / (drawing->right - drawing->left) * (drawing->canvas->area - 1));
}

static bool is_inside(const struct drawing *drawing, const struct kb_mark *mark)
{
	return log2(mark->x) >= drawing->left && log2(mark->x) <= drawing->right;
}

static const char **cell_of(const struct drawing *drawing, const struct kb_picture *picture, double x, double ns)
{
	double y = (log(value_of(picture, ns)) - drawing->low) / (drawing->high - drawing->low);

	return &drawing->canvas->cells[lround(y * (ROWS - 1))][column_of(drawing, x)];
}

/* Lines below everything else, and the first curves last: where two meet, the one that matters is seen. */
static void draw(struct drawing *drawing, const struct kb_picture *picture, bool utf8)
{
	for (unsigned i = 0; i < picture->mark_count; i++) {
		const struct kb_mark *mark = &picture->marks[i];

		drawing->letters[i][0] = mark->label[0];
		for (int row = 0; mark->curve < 0 && is_inside(drawing, mark) && row < ROWS; row++)
			drawing->canvas->cells[row][column_of(drawing, mark->x)] = utf8 ? drawing->canvas->pens->mark : ":";
	}
	for (unsigned k = picture->count; k-- > 0;) {
		const struct kb_curve *curve = &picture->curves[k];

		for (size_t i = 0; i < curve->count; i++)
			*cell_of(drawing, picture, curve->x[i], curve->ns[i]) = utf8 ? utf8_signs[k] : ascii_signs[k];
	}
	/* A marked point has the letter of its first mark, whatever curve lies on it. */
	for (unsigned m = picture->mark_count; m-- > 0;) {
		const struct kb_mark *mark = &picture->marks[m];

		if (mark->curve >= 0)
			*cell_of(drawing, picture, mark->x, kb_curve_at(&picture->curves[mark->curve], mark->x)) = drawing->letters[m];
	}
}

/* Below the curves: each place where one of them has no value. */
static void draw_gaps(struct drawing *drawing, const struct kb_picture *picture)
{
	for (unsigned k = 0; k < picture->count; k++) {
		for (unsigned i = 0; i < picture->gaps[k].count; i++) {
			double x = log2(picture->gaps[k].x[i]);

			if (x >= drawing->left && x <= drawing->right)
				drawing->canvas->cells[0][column_of(drawing, picture->gaps[k].x[i])] = "?";
		}
	}
}

/* Prints a word on a line that has reached *end, at its place or, at the edge, before it; one that would touch the one before stays
   away. */
static void put_word(FILE *out, unsigned place, unsigned edge, const char *word, unsigned *end)
{
	unsigned length = (unsigned)strlen(word);

	if (place + length > edge)
		place = edge - length;
	if (*end && place < *end + 1)
		return;
	fprintf(out, "%*s%s", (int)(place - *end), "", word);
	*end = place + length;
}

/* Names of the lines above them. */
static void print_names(FILE *out, const struct drawing *drawing, const struct kb_picture *picture)
{
	unsigned end = 0;

	for (unsigned i = 0; i < picture->mark_count; i++) {
		const struct kb_mark *mark = &picture->marks[i];

		if (mark->curve < 0 && is_inside(drawing, mark))
			put_word(out, LABEL + 1 + column_of(drawing, mark->x), LABEL + 1 + drawing->canvas->area, mark->label, &end);
	}
	if (end)
		fputc('\n', out);
}

static void put_x(struct kb_text *text, const struct kb_picture *picture, double x)
{
	if (picture->sizes)
		kb_text_size(text, (uint64_t)x);
	else
		kb_text_u64(text, (uint64_t)x);
}

#define FEW_OCTAVES 6

/* Every second power of two that has room, from the left; of few, every one. */
static void print_scale(FILE *out, const struct drawing *drawing, const struct kb_picture *picture)
{
	double step = drawing->right - drawing->left < FEW_OCTAVES ? 1 : 2;
	unsigned end = 0;

	fprintf(out, "%*s", LABEL + 1, "");
	for (double at = ceil(drawing->left); at <= drawing->right; at += step) {
		char text[32];
		struct kb_text number = kb_text_in(text, sizeof text);

		put_x(&number, picture, exp2(at));
		put_word(out, column_of(drawing, exp2(at)), drawing->canvas->area, text, &end);
	}
	fputc('\n', out);
}

/* "● stride 64", and behind it "? at 4M, 16M: the budget ended" where points are missing. */
static void print_legend(FILE *out, const struct kb_picture *picture, unsigned k, bool utf8)
{
	const struct kb_gaps *gaps = &picture->gaps[k];
	char line[400];
	struct kb_text text = kb_text_in(line, sizeof line);

	kb_text_str(&text, picture->labels[k]);
	for (unsigned i = 0; i < gaps->count; i++) {
		kb_text_str(&text, i ? ", " : "   ? at ");
		put_x(&text, picture, gaps->x[i]);
	}
	kb_text_str(&text, gaps->count ? ": " : "");
	kb_text_str(&text, gaps->count ? gaps->why : "");
	fprintf(out, "%*s%s %s\n", LABEL + 1, "", utf8 ? utf8_signs[k] : ascii_signs[k], line);
}

void kb_picture_print(FILE *out, const struct kb_picture *picture, unsigned width, bool utf8)
{
	struct drawing drawing = { .canvas = kb_canvas_new(width, LABEL, ROWS, utf8) };

	if (drawing.canvas && measure(&drawing, picture)) {
		double step = (drawing.high - drawing.low) / (ROWS - 1);

		draw_gaps(&drawing, picture);
		draw(&drawing, picture, utf8);
		for (int row = 0; row < ROWS; row++)
			snprintf(drawing.canvas->labels[row], sizeof drawing.canvas->labels[row], "%.3g",
				 exp(drawing.low + step * row));
		fprintf(out, "%s\n", picture->title);
		print_names(out, &drawing, picture);
		kb_canvas_print(out, drawing.canvas);
		print_scale(out, &drawing, picture);
		for (unsigned k = 0; k < picture->count; k++)
			print_legend(out, picture, k, utf8);
		if (picture->note[0])
			fprintf(out, "%*s%s\n", LABEL + 1, "", picture->note);
	}
	free(drawing.canvas);
}
