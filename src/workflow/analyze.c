/* See analyze.h. A method that the content does not fit is refused, not bent to fit. */
#include "workflow/analyze.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/summary/kanata.h"

#define CONFIDENCE 0.95

#define REFUSE(failure, ...) kb_refuse(failure, KB_EXIT_USAGE, __VA_ARGS__)

bool kb_analyzed_is_lines(const struct kb_analyzed_file *file)
{
	return file->import.form == KB_IMPORT_LINES || file->import.form == KB_IMPORT_PRINTED;
}

static int choose_method(const struct kb_analyzed *all, struct kb_analyzed_file *file, struct kb_failure *failure)
{
	static const enum kb_analysis_method usual[KB_IMPORT_FORMS] = {
		[KB_IMPORT_GROUPS] = KB_ANALYSIS_KANATA, [KB_IMPORT_POINTS] = KB_ANALYSIS_SLOPE, [KB_IMPORT_LIST] = KB_ANALYSIS_SINGLE,
		[KB_IMPORT_LINES] = KB_ANALYSIS_METHODS, [KB_IMPORT_PRINTED] = KB_ANALYSIS_METHODS,
		[KB_IMPORT_RECORDS] = KB_ANALYSIS_METHODS,
	};
	enum kb_import_form form = file->import.form;
	bool asked = all->method < KB_ANALYSIS_METHODS;

	file->method = asked ? all->method : usual[form];
	if (kb_analyzed_is_lines(file) && (asked || all->tuned))
		return REFUSE(failure, "%.200s: %s take no --%s", file->name, kb_import_form_names[form], all->tuned ? all->tuned : "method");
	if (file->method == KB_ANALYSIS_METHODS && all->tuned)
		return REFUSE(failure, "%.200s: a record is analyzed as 'kbench run' does it; --%s needs --method", file->name, all->tuned);
	if (file->method == KB_ANALYSIS_SINGLE && !kb_analysis_is_single(&file->import))
		return REFUSE(failure, "%.200s: method single takes one operation a value, and there are values of more", file->name);
	if (file->method == KB_ANALYSIS_SLOPE && form == KB_IMPORT_LIST)
		return REFUSE(failure, "%.200s: method slope takes values of several n, and a list does not have them", file->name);
	return 0;
}

/* Every group must have values, and more of them than are to be left out. */
static int prepare(struct kb_analyzed *all, struct kb_analyzed_file *file, struct kb_failure *failure)
{
	struct kb_import *import = &file->import;
	size_t values = 0, first = all->kanata.count;
	double n;
	int result;

	for (size_t i = 0; i < import->count; i++)
		values += import->series[i].count;
	if (values == 0)
		return REFUSE(failure, "%.200s: it has no samples of the operation", file->name);
	file->groups = import->count;
	file->tests = values / import->count;
	result = kb_analysis_skip(import, all->skip, &n);
	if (result == -EINVAL)
		return REFUSE(failure, "%.200s: --skip %zu leaves nothing of the group with N = %.0f", file->name, all->skip, n);
	if (result == 0 && file->method == KB_ANALYSIS_SLOPE && import->form == KB_IMPORT_GROUPS)
		result = kb_analysis_points(import);
	if (result == 0 && file->method == KB_ANALYSIS_KANATA)
		result = kb_kanata_add(&all->kanata, import, &all->options);
	if (result == -E2BIG)
		return REFUSE(failure, "%.200s: more than %d groups", file->name, KB_GROUPS_MAX);
	file->kanata.count = all->kanata.count - first;
	return result ? kb_refuse_memory(failure) : 0;
}

/* All files have one: that of the source document where one of its tables is among them. */
static void choose_confidence(struct kb_analyzed *all)
{
	bool kanata = false;

	for (size_t i = 0; i < all->count; i++)
		kanata |= all->files[i].method == KB_ANALYSIS_KANATA;
	if (all->options.confidence == 0)
		all->options.confidence = kanata ? KB_KANATA_CONFIDENCE : CONFIDENCE;
}

int kb_analyze_files(struct kb_analyzed *all, char *const *names, size_t count, struct kb_failure *failure)
{
	const struct kb_import_options as_it_is = { .confidence = all->options.confidence > 0 ? all->options.confidence : KB_KANATA_CONFIDENCE };
	char error[KB_IMPORT_ERROR];
	size_t first = 0;

	all->files = calloc(count, sizeof *all->files);
	if (!all->files)
		return kb_refuse_memory(failure);
	for (size_t i = 0; i < count; i++) {
		struct kb_analyzed_file *file = &all->files[all->count++];
		int result = kb_import_file(&file->import, &as_it_is, names[i], NULL, error);

		file->name = names[i];
		if (result == 0)
			result = kb_import_samples(&file->import, file->name, error);
		if (result)
			return result == -ENOMEM ? kb_refuse_memory(failure) : REFUSE(failure, "%s", error);
		if (choose_method(all, file, failure))
			return failure->code;
	}
	choose_confidence(all);
	for (size_t i = 0; i < count; i++) {
		if (all->files[i].method < KB_ANALYSIS_METHODS && prepare(all, &all->files[i], failure))
			return failure->code;
	}
	/* Only now the groups of all have their place. */
	for (size_t i = 0; i < count; i++) {
		all->files[i].kanata.groups = all->kanata.groups + first;
		first += all->files[i].kanata.count;
	}
	return 0;
}

void kb_analyzed_release(struct kb_analyzed *all)
{
	for (size_t i = 0; i < all->count; i++)
		kb_import_free(&all->files[i].import);
	free(all->files);
	kb_kanata_free(&all->kanata);
}
