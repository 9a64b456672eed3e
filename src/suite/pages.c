/* See pages.h. A row that says `huge` is huge, or skipped; so where none can be had it must be another row. */
#include "suite/pages.h"

#include <string.h>

#include "measure/params.h"

#define NAME "pages"

/* By default alone: who has both as standard values, or was asked for huge ones, is about them. */
static bool is_huge_by_default(const struct kb_row *row)
{
	int i = kb_param_index(row->settings.bench, (struct kb_span){ NAME, strlen(NAME) });

	return i >= 0 && !strcmp(row->settings.bench->params[i].values, "huge") && !strcmp(row->settings.text[i], "huge");
}

static void make_small(struct kb_row *row)
{
	struct kb_text key = kb_text_in(row->key, sizeof row->key);
	char ignored[128];
	struct kb_text error = kb_text_in(ignored, sizeof ignored);

	kb_settings_set(&row->settings, (struct kb_span){ NAME, strlen(NAME) }, (struct kb_span){ "small", 5 }, &error);
	kb_text_str(&key, row->settings.bench->name);
	kb_text_str(&key, " ");
	kb_settings_format(&key, &row->settings);
}

size_t kb_pages_small(struct kb_row *rows, size_t count)
{
	size_t made = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_huge_by_default(&rows[i]))
			continue;
		make_small(&rows[i]);
		made++;
	}
	return made;
}
