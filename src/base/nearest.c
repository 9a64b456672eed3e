/*
 * Edit distance with swapped neighbours (optimal string alignment: Damerau 1964, Levenshtein 1966). Words here are
 * benchmark, parameter and command names, so a fixed table is enough; longer words have no near neighbour.
 */
#include "base/nearest.h"

#include "base/text.h"

#define WORD_MAX 64
#define HINT_SHOWN 70

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* table[i][j]: edits from the first i letters of a to the first j of b. */
static unsigned edits(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned table[WORD_MAX + 1][WORD_MAX + 1];

	for (unsigned i = 0; i <= a_length; i++)
		table[i][0] = i;
	for (unsigned j = 0; j <= b_length; j++)
		table[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		for (size_t j = 1; j <= b_length; j++) {
			bool same = a[i - 1] == b[j - 1];
			unsigned best = least(table[i - 1][j], table[i][j - 1]) + 1;

			best = least(best, table[i - 1][j - 1] + !same);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = least(best, table[i - 2][j - 2] + 1);
			table[i][j] = best;
		}
	}
	return table[a_length][b_length];
}

void kb_nearest_offer(struct kb_nearest *nearest, const char *candidate)
{
	size_t typed_length = kb_strlen(nearest->typed), length = kb_strlen(candidate);

	if (typed_length == 0 || typed_length > WORD_MAX || length > WORD_MAX)
		return;

	unsigned distance = edits(nearest->typed, typed_length, candidate, length);
	/* A third of the letters wrong is a typing error; more is another word, and a wild guess only irritates. */
	unsigned limit = typed_length < 3 ? 1 : (unsigned)(typed_length + 2) / 3;

	if (distance <= limit && (!nearest->best || distance < nearest->distance)) {
		nearest->best = candidate;
		nearest->distance = distance;
	}
}

const char *kb_nearest_hint(struct kb_nearest *nearest, const char *otherwise)
{
	struct kb_text text = kb_text_in(nearest->hint, sizeof nearest->hint);
	struct kb_span word = kb_span_of(nearest->best ? nearest->best : otherwise);

	kb_text_str(&text, nearest->best ? ", did you mean " : "");
	kb_text_bytes(&text, word.at, word.length < HINT_SHOWN ? word.length : HINT_SHOWN);
	kb_text_str(&text, nearest->best ? "?" : "");
	return nearest->hint;
}
