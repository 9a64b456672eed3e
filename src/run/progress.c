/* See progress.h. */
#include "run/progress.h"

#include <string.h>

#include "base/text.h"
#include "base/units.h"

#define BAR_MOST 20u
#define BAR_LEAST 5u
#define BAR_SHARE 4             /* of the line, at the most */
#define WIDTH_MOST 500u         /* each column may take four bytes */

/* A run can only end sooner than its budget: what is left is rounded up. */
static void add_seconds(struct kb_text *text, uint64_t ns, bool up)
{
	kb_text_u64(text, (ns + (up ? KB_S - 1 : 0)) / KB_S);
	kb_text_str(text, " s");
}

static void add_words(struct kb_text *text, const struct kb_progress *progress)
{
	if (progress->results > 0) {
		kb_text_u64(text, progress->results - (progress->open < progress->results ? progress->open : progress->results));
		kb_text_str(text, "/");
		kb_text_u64(text, progress->results);
		kb_text_str(text, progress->results == 1 ? " result, " : " results, ");
	} else {
		kb_text_u64(text, progress->processes);
		kb_text_str(text, progress->blocks ? " block" : " process");
		kb_text_str(text, progress->processes == 1 ? ", " : progress->blocks ? "s, " : "es, ");
	}
	if (progress->budget_ns > progress->left_ns) {
		add_seconds(text, progress->budget_ns - progress->left_ns, false);
		kb_text_str(text, ", ");
	}
	kb_text_str(text, progress->estimated ? "about " : "at most ");
	add_seconds(text, progress->left_ns, true);
	kb_text_str(text, " left");
	kb_text_str(text, progress->now[0] ? ": " : "");
	kb_text_str(text, progress->now);
}

static void add_bar(struct kb_text *text, unsigned cells, bool utf8, const struct kb_progress *progress)
{
	uint64_t spent = progress->budget_ns > progress->left_ns ? progress->budget_ns - progress->left_ns : 0;
	unsigned full = (unsigned)(spent / (progress->budget_ns / cells + 1));

	kb_text_str(text, "[");
	for (unsigned i = 0; i < cells; i++)
		kb_text_str(text, i < full ? utf8 ? "\u2588" : "#" : utf8 ? "\u2591" : "-");
	kb_text_str(text, "] ");
}

void kb_progress_line(char line[KB_PROGRESS_ROOM], unsigned width, bool utf8, const struct kb_progress *progress)
{
	char words[KB_PROGRESS_ROOM / 2];
	struct kb_text text = kb_text_in(line, KB_PROGRESS_ROOM), of_words = kb_text_in(words, sizeof words);
	unsigned room = width > 1 ? (width < WIDTH_MOST ? width : WIDTH_MOST) - 1 : 0, cells = room / BAR_SHARE;

	add_words(&of_words, progress);
	kb_make_visible(words, '?'); /* a parameter may be any text */
	if (cells > BAR_MOST)
		cells = BAR_MOST;
	if (cells >= BAR_LEAST && progress->budget_ns > 0) {
		add_bar(&text, cells, utf8, progress);
		room -= cells + 3;
	}
	/* Bytes are columns, or more of them. */
	kb_text_bytes(&text, words, kb_clipped(words, room));
}
