/*
 * Curves for a terminal: log(x) to the right, log(ns) upwards, a sign a curve. plot.c draws series in run order with a
 * linear scale, on which the first cache and memory, a factor of a hundred apart, would be one line and one point.
 */
#include "report/text/params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define LABEL 9
#define ROWS 14
#define WIDTH_MIN 60u
#define WIDTH_MAX 200u

struct canvas {
	double left, right, low, high;  /* log2 of x, log of ns */
	unsigned area;
	const char *cells[ROWS][WIDTH_MAX];
	char letters[KB_PICTURE_MARKS][2];      /* of marked points, as texts */
};

static const char *const ascii_signs[KB_PICTURE_CURVES] = { "o", "+", "x", "*", "#", "@" };
static const char *const utf8_signs[KB_PICTURE_CURVES] = { "●", "○", "◆", "◇", "■", "□" };


/* False: no two points differ in x. */
static bool measure(struct canvas *canvas, const struct kb_picture *picture)
{
	canvas->left = canvas->low = INFINITY;
	canvas->right = canvas->high = -INFINITY;
	for (unsigned k = 0; k < picture->count; k++) {
		const struct kb_curve *curve = &picture->curves[k];

		for (size_t i = 0; i < curve->count; i++) {
			canvas->left = fmin(canvas->left, log2(curve->x[i]));
			canvas->right = fmax(canvas->right, log2(curve->x[i]));
			canvas->low = fmin(canvas->low, log(curve->ns[i]));
			canvas->high = fmax(canvas->high, log(curve->ns[i]));
		}
	}
	/* A flat curve is drawn flat, not as its noise. */
	canvas->high = fmax(canvas->high, canvas->low + 0.5);
	return canvas->right > canvas->left;
}

static unsigned column_of(const struct canvas *canvas, double x)
{
	return (unsigned)lround((log2(x) - canvas->left) / (canvas->right - canvas->left) * (canvas->area - 1));
}

static bool is_inside(const struct canvas *canvas, const struct kb_mark *mark)
{
	return log2(mark->x) >= canvas->left && log2(mark->x) <= canvas->right;
}

/* Lines, below everything else. */
static void draw_lines(struct canvas *canvas, const struct kb_picture *picture, bool utf8)
{
	for (unsigned i = 0; i < picture->mark_count; i++) {
		if (picture->marks[i].curve >= 0 || !is_inside(canvas, &picture->marks[i]))
			continue;
		for (int row = 0; row < ROWS; row++)
			canvas->cells[row][column_of(canvas, picture->marks[i].x)] = utf8 ? "┊" : ":";
	}
}

/* The letter of a marked point, else NULL. */
static const char *letter_of(struct canvas *canvas, const struct kb_picture *picture, unsigned curve, double x)
{
	for (unsigned i = 0; i < picture->mark_count; i++) {
		const struct kb_mark *mark = &picture->marks[i];

		if (mark->curve != (int)curve || mark->x != x)
			continue;
		canvas->letters[i][0] = mark->label[0];
		return canvas->letters[i];
	}
	return NULL;
}

/* The first curves are drawn last: where two meet, the one that matters is seen. */
static void draw(struct canvas *canvas, const struct kb_picture *picture, bool utf8)
{
	for (unsigned k = picture->count; k-- > 0;) {
		const struct kb_curve *curve = &picture->curves[k];

		for (size_t i = 0; i < curve->count; i++) {
			double y = (log(curve->ns[i]) - canvas->low) / (canvas->high - canvas->low);
			const char *letter = letter_of(canvas, picture, k, curve->x[i]);

			canvas->cells[lround(y * (ROWS - 1))][column_of(canvas, curve->x[i])] =
				letter ? letter : utf8 ? utf8_signs[k] : ascii_signs[k];
		}
	}
}

/* Names of the lines above them; one that would touch the one before stays away. */
static void print_names(FILE *out, const struct canvas *canvas, const struct kb_picture *picture)
{
	unsigned column = 0;

	for (unsigned i = 0; i < picture->mark_count; i++) {
		const struct kb_mark *mark = &picture->marks[i];
		unsigned place, length = (unsigned)strlen(mark->label);

		if (mark->curve >= 0 || !is_inside(canvas, mark))
			continue;
		place = LABEL + 1 + column_of(canvas, mark->x);
		if (place + length > LABEL + 1 + canvas->area)
			place = LABEL + 1 + canvas->area - length;
		if (column && place < column + 1)
			continue;
		fprintf(out, "%*s%s", (int)(place - column), "", mark->label);
		column = place + length;
	}
	if (column)
		fputc('\n', out);
}

static void print_rows(FILE *out, const struct canvas *canvas, double unit, bool utf8)
{
	for (int row = ROWS - 1; row >= 0; row--) {
		unsigned used = canvas->area;

		fprintf(out, "%*.3g%s", LABEL, exp(canvas->low + (canvas->high - canvas->low) * row / (ROWS - 1)) / unit,
			utf8 ? "│" : "|");
		while (used > 0 && !canvas->cells[row][used - 1])
			used--;
		for (unsigned i = 0; i < used; i++)
			fputs(canvas->cells[row][i] ? canvas->cells[row][i] : " ", out);
		fputc('\n', out);
	}
	fprintf(out, "%*s%s", LABEL, "", utf8 ? "└" : "+");
	for (unsigned i = 0; i < canvas->area; i++)
		fputs(utf8 ? "─" : "-", out);
	fputc('\n', out);
}

#define FEW_OCTAVES 6

/* Every second power of two that has room, from the left; of few, every one. */
static void print_scale(FILE *out, const struct canvas *canvas, const struct kb_picture *picture)
{
	double step = canvas->right - canvas->left < FEW_OCTAVES ? 1 : 2;
	unsigned column = 0;

	fprintf(out, "%*s", LABEL + 1, "");
	for (double at = ceil(canvas->left); at <= canvas->right; at += step) {
		unsigned place = column_of(canvas, exp2(at));
		char text[32];
		struct kb_text number = kb_text_in(text, sizeof text);

		if (picture->sizes)
			kb_text_size(&number, (uint64_t)exp2(at));
		else
			kb_text_u64(&number, (uint64_t)exp2(at));
		if (place + strlen(text) > canvas->area) /* the last one, at the edge */
			place = canvas->area - (unsigned)strlen(text);
		if (column && place < column + 1)
			continue;
		fprintf(out, "%*s%s", (int)(place - column), "", text);
		column = place + (unsigned)strlen(text);
	}
	fputc('\n', out);
}

void kb_picture_print(FILE *out, const struct kb_picture *picture, unsigned width, bool utf8)
{
	struct canvas *canvas = calloc(1, sizeof *canvas);

	width = width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width;
	if (canvas && measure(canvas, picture)) {
		canvas->area = width - LABEL - 1;
		draw_lines(canvas, picture, utf8);
		draw(canvas, picture, utf8);
		fprintf(out, "%s\n", picture->title);
		print_names(out, canvas, picture);
		print_rows(out, canvas, picture->microseconds ? 1000 : 1, utf8);
		print_scale(out, canvas, picture);
		for (unsigned k = 0; k < picture->count; k++)
			fprintf(out, "%*s%s %s\n", LABEL + 1, "", utf8 ? utf8_signs[k] : ascii_signs[k], picture->labels[k]);
		if (picture->note[0])
			fprintf(out, "%*s%s\n", LABEL + 1, "", picture->note);
	}
	free(canvas);
}
