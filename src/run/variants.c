/*
 * Two variants are comparable only if nothing but the variant differs: they are one group, whose processes are made in turn and with
 * the same n, and their ratio is taken process by process.
 */
#include "run/variants.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 1.01     /* a ratio: what a reader of the table would call no difference */

static int expand(const struct kb_row *row, unsigned group, const char *name, const char *value, struct kb_row *out)
{
	size_t room = sizeof out->key;

	*out = *row;
	out->group = group;
	/* A result keeps the name in two parts, of which this is the longer one. */
	if ((size_t)snprintf(out->key, room, "%s %s=%s", row->key, name, value) >= room ||
	    strlen(strchr(out->key, ' ') + 1) >= sizeof out->result.params)
		return -ENAMETOOLONG;
	return 0;
}

int kb_variants_rows(struct kb_row **rows, size_t *count, const char *name, const char *const *values, size_t value_count)
{
	struct kb_row *made = calloc(*count * value_count + 1, sizeof *made);
	int error = made ? 0 : -ENOMEM;

	for (size_t i = 0; i < *count * value_count && !error; i++) {
		size_t row = i / value_count;

		error = expand(&(*rows)[row], (unsigned)row + 1, name, values[i % value_count], &made[i]);
	}
	if (error) {
		free(made);
		return error;
	}
	free(*rows);
	*rows = made;
	*count *= value_count;
	return 0;
}

const char *kb_variant_of(const char *params, const char *name)
{
	size_t length = strlen(name);

	/* The last word: a parameter of the benchmark may have the same name. */
	const char *blank = strrchr(params, ' '), *word = blank ? blank + 1 : params;

	return !strncmp(word, name, length) && word[length] == '=' ? word + length + 1 : NULL;
}

/* The same result but for the value. */
static bool same_row(const struct kb_result *a, const char *value_a, const struct kb_result *b, const char *value_b)
{
	size_t length = (size_t)(value_a - a->params);

	return !strcmp(a->benchmark, b->benchmark) && length == (size_t)(value_b - b->params) &&
	       !strncmp(a->params, b->params, length);
}

static const struct kb_result *base_of(const struct kb_result *const *results, size_t count, size_t i, const char *name,
                                       const char *base)
{
	const char *value = kb_variant_of(results[i]->params, name);

	for (size_t k = 0; k < count && value; k++) {
		const char *other = kb_variant_of(results[k]->params, name);

		if (k != i && other && !strcmp(other, base) && same_row(results[i], value, results[k], other))
			return results[k];
	}
	return NULL;
}

size_t kb_variants_compare(const struct kb_result *const *results, size_t count, const char *name, const char *base,
                           struct kb_comparison *out)
{
	const struct kb_compare_rules rules = { .margin = log(MARGIN), .paired = true, .handful = true };
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		const struct kb_result *from = base_of(results, count, i, name, base);

		if (!from)
			continue;
		kb_compare_results(from, results[i], &rules, &out[found]);
		memcpy(out[found].key, out[found].key_b, sizeof out[found].key);
		found++;
	}
	kb_compare_family(out, found); /* without memory the p stay 1 */
	for (size_t i = 0; i < found; i++)
		out[i].regression = false; /* what was done to the result on purpose is none */
	return found;
}
