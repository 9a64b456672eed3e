/* See suite.h. */
#include "suite/suite.h"

#include <string.h>

static const char *const names[KB_SELECTIONS] = {
	[KB_SELECT_QUICK] = "quick", [KB_SELECT_STANDARD] = "standard", [KB_SELECT_FULL] = "full", [KB_SELECT_LMBENCH] = "lmbench",
};

const char *kb_selection_name(enum kb_selection selection)
{
	return names[selection];
}

enum kb_selection kb_selection_find(const char *name)
{
	enum kb_selection selection = 0;

	while (selection < KB_SELECTIONS && (!names[selection] || strcmp(names[selection], name) != 0))
		selection++;
	return selection;
}

static bool is_named(const struct kb_bench *bench, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(patterns[i], bench->name) == 0)
			return true;
	}
	return false;
}

bool kb_selection_has(enum kb_selection selection, const struct kb_bench *bench, const char *const *patterns, size_t count)
{
	if (bench->suite == KB_MANUAL)
		return is_named(bench, patterns, count);
	switch (selection) {
	case KB_SELECT_QUICK: return bench->suite == KB_QUICK;
	case KB_SELECT_STANDARD: return bench->suite == KB_QUICK || bench->suite == KB_STANDARD;
	case KB_SELECT_LMBENCH: return bench->lmbench != NULL;
	default: return true;
	}
}

size_t kb_selection_keep(enum kb_selection selection, enum kb_reach reach, const char *const *patterns, size_t pattern_count,
			 struct kb_row *rows, size_t count)
{
	bool brief = selection == KB_SELECT_QUICK || selection == KB_SELECT_STANDARD;
	size_t kept = 0;

	if (brief && reach > KB_REACH_STANDARD)
		reach = KB_REACH_STANDARD;
	for (size_t i = 0; i < count; i++) {
		if (kb_selection_has(selection, rows[i].settings.bench, patterns, pattern_count) && rows[i].reach <= reach)
			rows[kept++] = rows[i];
	}
	return kept;
}
