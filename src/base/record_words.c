/* The words of both versions. Adding one is a new version: older readers would leave its lines out of the CRC. */
#include "base/record_words.h"

const char *const kb_flag_names[KB_FLAGS] = {
	"warmup", "irq", "ctxsw", "migrated", "fault", "steal", "gap", "backwards", "refuted"
};

/* In the order of frequency: nearly all lines are observations. */
static const struct {
	const char *word;
	enum kb_line_kind kind;
} words[] = {
	{ "o", KB_LINE_OBS },
	{ "b", KB_LINE_OBS },
	{ "q", KB_LINE_OBS },
	{ "c", KB_LINE_OBS },
	{ "e", KB_LINE_EVIDENCE },
	{ "eb", KB_LINE_EVIDENCE },
	{ "k", KB_LINE_BLOCK },
	{ "kbench-record", KB_LINE_BEGIN },
	{ "bench", KB_LINE_HEADER },
	{ "per", KB_LINE_HEADER },
	{ "bound", KB_LINE_HEADER },
	{ "method", KB_LINE_HEADER },
	{ "param", KB_LINE_HEADER },
	{ "clock", KB_LINE_HEADER },
	{ "env", KB_LINE_HEADER },
	{ "expect", KB_LINE_HEADER },
	{ "note", KB_LINE_HEADER },
	{ "module", KB_LINE_HEADER },
	{ "proof", KB_LINE_HEADER },
	{ "where", KB_LINE_HEADER },
	{ "fault", KB_LINE_HEADER },
	{ "fail", KB_LINE_FAIL },
	{ "end", KB_LINE_END },
};

/* Once a line, and a line is mostly found in the first four rows: a hash would not be faster. */
enum kb_line_kind kb_record_word_kind(struct kb_span word, unsigned version)
{
	if (kb_span_is(word, version == 1 ? "s" : "p"))
		return KB_LINE_PROBE;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (kb_span_is(word, words[i].word))
			return words[i].kind;
	return KB_LINE_FOREIGN;
}

/* Clock probes, clock pairs and headers have no count of their own: the CRC alone covers them. */
void kb_record_count(struct kb_record_counts counts, struct kb_span word)
{
	if (kb_span_is(word, "o"))
		++*counts.observations;
	else if (kb_span_is(word, "b"))
		++*counts.bases;
	else if (kb_span_is(word, "q"))
		++*counts.singles;
	else if (kb_span_is(word, "e") || kb_span_is(word, "eb"))
		++*counts.evidence;
}
