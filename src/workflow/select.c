/* See workflow.h: patterns, parameters, a suite, a plug-in and variants become rows. */
#define _GNU_SOURCE
#include "workflow/workflow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "huge.h"
#include "run/backend/kernel.h"
#include "run/variants.h"

#define YAMBA "yamba."

/* A Yamba program that was changed goes before ours with its name. Any other in a domain of ours would stand in tables, stores and
   comparisons as what it is not. */
static int check_name(const struct kb_selected *wanted, struct kb_failure *failure)
{
	const char *name = wanted->plugin->name;
	size_t domain = strcspn(name, ".") + 1;
	bool ours = false;

	for (unsigned i = 0; i < kb_bench_count; i++)
		ours |= !strncmp(name, kb_benches[i]->name, domain);
	for (const struct kb_cross_bench *cross = kb_cross_benches(); cross->bench; cross++)
		ours |= !strncmp(name, cross->bench->name, domain);
	if (!ours || !strncmp(name, YAMBA, strlen(YAMBA)))
		return 0;
	return kb_refuse(failure, KB_EXIT_USAGE, "%.200s: the name '%.64s' is among those of benchmarks that come with kbench; give yours another "
			 ".name, or none: its file then names it", wanted->plugin_file, name);
}

/* Ours, those of other platforms that run here, the plug-in, and the null pointer at the end. */
static int collect_benches(const struct kb_selected *wanted, const struct kb_bench ***all, struct kb_failure *failure)
{
	const struct kb_bench **benches = *all = calloc(kb_bench_count + kb_cross_count() + 2, sizeof *benches);
	unsigned count = kb_bench_count;
	char error[320];

	if (!benches)
		return kb_refuse_memory(failure);
	if (wanted->plugin && check_name(wanted, failure))
		return failure->code;
	memcpy(benches, kb_benches, kb_bench_count * sizeof *benches);
	if (kb_cross_select(wanted->collectors, wanted->emulate, wanted->patterns, wanted->pattern_count, benches, &count, error))
		return kb_refuse(failure, KB_EXIT_USAGE, "%s", error);
	for (unsigned i = 0; wanted->plugin && i < count; i++) {
		if (strcmp(benches[i]->name, wanted->plugin->name))
			continue;
		benches[i] = wanted->plugin;
		return 0;
	}
	benches[count] = wanted->plugin;
	return 0;
}

/* Raw devices and swap are never measured by a pattern that only happens to match them. One that matches nothing else would
   be left out without a word. */
static int check_pattern(const char *pattern, const struct kb_bench *const *benches, struct kb_failure *failure)
{
	char names[200] = "";
	size_t used = 0;

	for (; *benches; benches++) {
		const char *name = (*benches)->name;

		if (!kb_pattern_match(pattern, name))
			continue;
		if ((*benches)->suite != KB_MANUAL || strcmp(pattern, name) == 0)
			return 0;
		if (used < sizeof names)
			used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
	}
	return kb_refuse(failure, KB_EXIT_USAGE, "'%.64s': these run only when they are given by their whole names: %s", pattern, names);
}

/* A row's name tells the size of its pages. Huge ones that are asked for are measured, or skipped with the reason. */
static void settle_pages(const struct kb_selected *wanted, const struct kb_notes *notes, struct kb_row *rows, size_t count)
{
	for (size_t i = 0; i < wanted->set_count; i++) {
		if (!strncmp(wanted->sets[i], "pages=", strlen("pages=")))
			return;
	}

	size_t made = kb_huge_there() ? 0 : kb_pages_small(rows, count);

	if (made > 0)
		kb_note(notes, "no huge pages can be had here: results of memory are of small pages (%zu)", made);
}

int kb_select_rows(const struct kb_selected *wanted, const struct kb_notes *notes, struct kb_row **rows, size_t *count,
		   struct kb_failure *failure)
{
	const struct kb_bench **benches;
	const char *const *patterns = wanted->patterns;
	size_t pattern_count = wanted->pattern_count;
	char error[256];
	int code = collect_benches(wanted, &benches, failure);

	/* A plug-in is what its author wants to see, not a hundred others. */
	if (wanted->plugin && pattern_count == 0) {
		patterns = &wanted->plugin->name;
		pattern_count = 1;
	}
	if (!code && kb_select(wanted->suite, benches, patterns, pattern_count, wanted->sets, wanted->set_count, rows, count, error))
		code = kb_refuse(failure, KB_EXIT_USAGE, "%s", error);
	for (size_t i = 0; i < pattern_count; i++) {
		/* Why one of the kernel's that may have been meant is not there. */
		if (code && !strncmp(patterns[i], KB_KERNEL, strlen(KB_KERNEL)) && kb_kernel_user_refused())
			return kb_refuse(failure, KB_EXIT_USAGE, "%s", kb_kernel_user_refused());
		code = code ?: check_pattern(patterns[i], benches, failure);
	}
	free(benches);
	if (code)
		return code;
	for (size_t i = 0; i < *count; i++)
		(*rows)[i].collector = kb_collectors_of(wanted->collectors, (*rows)[i].settings.bench);
	*count = kb_selection_keep(wanted->suite, wanted->reach, patterns, pattern_count, *rows, *count);
	settle_pages(wanted, notes, *rows, *count);
	if (*count == 0)
		return kb_refuse(failure, KB_EXIT_USAGE, "no benchmark of this suite matches the pattern; see 'kbench list --suite %s'",
				 kb_selection_name(wanted->suite) ?: "full");
	return 0;
}

/* ---- left out ---------------------------------------------------------------------------------------------- */

static bool is_excluded(const char *pattern, const struct kb_row *row)
{
	return kb_pattern_match(pattern, row->settings.bench->name) || kb_pattern_match(pattern, row->key);
}

/* What means no benchmark is a typing error, which would measure what nobody wants to wait for. */
static int check_excluded(const char *pattern, const struct kb_row *rows, size_t count, struct kb_failure *failure)
{
	struct kb_nearest nearest = { .typed = pattern };
	bool known = false;

	for (size_t i = 0; i < count; i++)
		known |= is_excluded(pattern, &rows[i]);
	for (unsigned i = 0; i < kb_bench_count && !known; i++) {
		known = kb_pattern_match(pattern, kb_benches[i]->name);
		kb_nearest_offer(&nearest, kb_benches[i]->name);
	}
	for (const struct kb_cross_bench *cross = kb_cross_benches(); cross->bench && !known; cross++)
		known = kb_pattern_match(pattern, cross->bench->name);
	if (known)
		return 0;
	return kb_refuse_typed(failure, "--exclude '%.64s': no benchmark or result is called so%s%s%s", pattern,
			       nearest.best ? ", did you mean " : "", nearest.best ?: "", nearest.best ? "?" : "");
}

int kb_exclude_rows(const char *const *patterns, size_t pattern_count, struct kb_row *rows, size_t *count, struct kb_failure *failure)
{
	size_t kept = 0;

	for (size_t p = 0; p < pattern_count; p++) {
		if (check_excluded(patterns[p], rows, *count, failure))
			return failure->code;
	}
	for (size_t i = 0; i < *count; i++) {
		bool excluded = false;

		for (size_t p = 0; p < pattern_count; p++)
			excluded |= is_excluded(patterns[p], &rows[i]);
		if (!excluded)
			rows[kept++] = rows[i];
	}
	*count = kept;
	return kept > 0 ? 0 : kb_refuse(failure, KB_EXIT_USAGE, "--exclude leaves nothing to measure");
}

/* ---- variants ---------------------------------------------------------------------------------------------- */

static int expand_variants(const char *name, const char *words, struct kb_list *list, struct kb_row **rows, size_t *count, struct kb_failure *failure)
{
	char *rest = list->text = strdup(words);
	int error;

	if (!rest)
		return kb_refuse_memory(failure);
	for (char *word; (word = strsep(&rest, ","));)
		list->at[list->count++] = word;
	error = kb_variants_rows(rows, count, name, list->at, list->count);
	if (error == -ENOMEM)
		return kb_refuse_memory(failure);
	return error ? kb_refuse(failure, KB_EXIT_USAGE, "the name of a result is too long for a variant") : 0;
}

int kb_expand_interference(const char *kinds, struct kb_list *list, struct kb_row **rows, size_t *count, struct kb_failure *failure)
{
	list->at[list->count++] = "nothing";
	if (expand_variants(KB_VARIANT_INTERFERENCE, kinds, list, rows, count, failure))
		return failure->code;
	for (size_t i = 0; i < *count; i++)
		(*rows)[i].interference = list->at[i % list->count];
	return 0;
}

int kb_expand_copies(const char *numbers, struct kb_list *list, struct kb_row **rows, size_t *count, struct kb_failure *failure)
{
	if (expand_variants(KB_VARIANT_COPIES, numbers, list, rows, count, failure))
		return failure->code;
	for (size_t i = 0; i < *count; i++)
		(*rows)[i].copies = (unsigned)strtoul(list->at[i % list->count], NULL, 10);
	return 0;
}
