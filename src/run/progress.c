/* See progress.h. */
#include "run/progress.h"

#include <stdio.h>

#include "base/text.h"
#include "base/units.h"

#define BAR_MOST 20u
#define BAR_LEAST 5u
#define BAR_SHARE 4             /* of the line, at the most */
#define WIDTH_MOST 500u         /* each column may take four bytes */

static uint64_t spent_of(const struct kb_progress *progress)
{
	return progress->budget_ns > progress->left_ns ? progress->budget_ns - progress->left_ns : 0;
}

/* A run can only end sooner than its budget: what is left is rounded up. */
static void put_words(char *words, size_t room, const struct kb_progress *progress)
{
	size_t done = progress->results - (progress->open < progress->results ? progress->open : progress->results);
	uint64_t spent = spent_of(progress), left = (progress->left_ns + KB_S - 1) / KB_S;
	char count[60], time[40] = "";

	if (progress->results > 0)
		snprintf(count, sizeof count, "%zu/%zu result%s", done, progress->results, progress->results == 1 ? "" : "s");
	else
		snprintf(count, sizeof count, "%u %s%s", progress->processes, progress->blocks ? "block" : "process",
			 progress->processes == 1 ? "" : progress->blocks ? "s" : "es");
	if (spent > 0)
		snprintf(time, sizeof time, "%llu s, ", (unsigned long long)(spent / KB_S));
	snprintf(words, room, "%s, %s%s %llu s left%s%s", count, time, progress->estimated ? "about" : "at most",
		 (unsigned long long)left, progress->now[0] ? ": " : "", progress->now);
}

static void add_bar(struct kb_text *text, unsigned cells, bool utf8, const struct kb_progress *progress)
{
	unsigned full = (unsigned)(spent_of(progress) / (progress->budget_ns / cells + 1));

	kb_text_str(text, "[");
	for (unsigned i = 0; i < cells; i++)
		kb_text_str(text, i < full ? utf8 ? "\u2588" : "#" : utf8 ? "\u2591" : "-");
	kb_text_str(text, "] ");
}

void kb_progress_line(char line[KB_PROGRESS_ROOM], unsigned width, bool utf8, const struct kb_progress *progress)
{
	char words[KB_PROGRESS_ROOM / 2];
	struct kb_text text = kb_text_in(line, KB_PROGRESS_ROOM);
	unsigned room = width > 1 ? (width < WIDTH_MOST ? width : WIDTH_MOST) - 1 : 0, cells = room / BAR_SHARE;

	put_words(words, sizeof words, progress);
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
