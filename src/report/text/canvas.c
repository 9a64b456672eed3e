/* See canvas.h. One character is one column in both character sets; no library knows the terminal better than that. */
#include "report/text/canvas.h"

#include <stdlib.h>

static const struct kb_pens ascii_pens = { "|", "#", ".", ":", "o", "!", "^", "+", "-" };
static const struct kb_pens utf8_pens = { "│", "▒", "░", "░", "●", "┊", "▲", "└", "─" };

const struct kb_pens *kb_pens(bool utf8)
{
	return utf8 ? &utf8_pens : &ascii_pens;
}

void kb_pen_repeat(FILE *out, const char *pen, unsigned count)
{
	while (count-- > 0)
		fputs(pen, out);
}

unsigned kb_canvas_width(unsigned width)
{
	return width < KB_CANVAS_WIDTH_MIN ? KB_CANVAS_WIDTH_MIN : width > KB_CANVAS_WIDTH_MAX ? KB_CANVAS_WIDTH_MAX : width;
}

struct kb_canvas *kb_canvas_new(unsigned width, unsigned label, unsigned rows, bool utf8)
{
	struct kb_canvas *canvas = calloc(1, sizeof *canvas);

	if (canvas) {
		canvas->pens = kb_pens(utf8);
		canvas->label = label;
		canvas->area = kb_canvas_width(width) - label - 1;
		canvas->rows = rows;
	}
	return canvas;
}

void kb_canvas_axis(FILE *out, const struct kb_pens *pens, unsigned label, unsigned area)
{
	fprintf(out, "%*s%s", (int)label, "", pens->corner);
	kb_pen_repeat(out, pens->line, area);
	fputc('\n', out);
}

void kb_canvas_print(FILE *out, const struct kb_canvas *canvas)
{
	for (unsigned row = canvas->rows; row-- > 0;) {
		const char *const *cells = canvas->cells[row];
		unsigned used = canvas->area;

		while (used > 0 && !cells[used - 1])
			used--;
		fprintf(out, "%*s%s", (int)canvas->label, canvas->labels[row], canvas->pens->rule);
		for (unsigned i = 0; i < used; i++)
			fputs(cells[i] ? cells[i] : " ", out);
		fputc('\n', out);
	}
	kb_canvas_axis(out, canvas->pens, canvas->label, canvas->area);
}
