/* See variants.h. A ratio here is of processes of one number, which followed each other in time. */
#include "report/text/variants.h"

#include <stdlib.h>

#include "report/text/comparison.h"
#include "report/text/words.h"
#include "result/json/comparison.h"
#include "run/variants.h"

static const struct view {
	const char *variant, *base, *member, *title;
} views[] = {
	{ KB_VARIANT_INTERFERENCE, "nothing", "interference",
	  "under interference (new) against the same benchmark without (base), processes in turn" },
	{ KB_VARIANT_COPIES, "1", "scaling",
	  "cost of one copy of several (new) against one copy alone (base), processes in turn" },
};

#define VIEWS (sizeof views / sizeof views[0])

static size_t compare(const struct view *view, const struct kb_result *const *results, size_t count,
		      struct kb_comparison **rows)
{
	*rows = calloc(count + 1, sizeof **rows);
	return *rows ? kb_variants_compare(results, count, view->variant, view->base, *rows) : 0;
}

void kb_variants_print(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_look *look)
{
	for (size_t i = 0; i < VIEWS; i++) {
		struct kb_comparison *rows;
		size_t found = compare(&views[i], results, count, &rows);

		if (found > 0) {
			fprintf(out, "%s\n", views[i].title);
			kb_comparison_print(out, rows, found, look);
			fputc('\n', out);
		}
		free(rows);
	}
}

void kb_variants_add(json_t *document, const struct kb_result *const *results, size_t count)
{
	for (size_t i = 0; i < VIEWS && document; i++) {
		struct kb_comparison *rows;
		size_t found = compare(&views[i], results, count, &rows);
		json_t *array = json_array();

		for (size_t k = 0; k < found; k++)
			json_array_append_new(array, kb_comparison_to_json(&rows[k]));
		if (found > 0)
			json_object_set(document, views[i].member, array);
		json_decref(array);
		free(rows);
	}
}
