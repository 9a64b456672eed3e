/*
 * Any bytes as a foreign text, as its content says and as each of the kinds: refused with one line, or processes whose results are made
 * without trouble, and samples that can be analyzed to finite numbers.
 */
#include "fuzz.h"

#include <math.h>

#include "analysis/analysis.h"
#include "result/summary/summary.h"

/* What is not whole has no number. */
static void summarise(const struct kb_import_process *process)
{
	struct kb_process_text text = { .process = 1, .outcome = "", .record = process->record, .length = process->length };
	struct kb_result *result = malloc(sizeof *result);

	require(result != NULL);
	kb_summarise(&text, 1, &(struct kb_summary_rules){ .planned = 1, .precision = 0.01 }, result);
	require(process->cut[0] == '\0' || !result->estimate.known);
	require(process->row[0] != '\0' && !strchr(process->row, '\n') && !strchr(process->cut, '\n'));
	free(result);
}

static void analyze(struct kb_import *import)
{
	struct kb_analysis_options options = { .confidence = .9, .half_width = .02 };
	struct kb_kanata_analysis groups = { 0 };
	struct kb_across across;
	double n;

	if (import->form == KB_IMPORT_LINES || import->form == KB_IMPORT_PRINTED || import->count == 0 ||
	    kb_analysis_skip(import, 1, &n) || kb_kanata_add(&groups, import, &options)) {
		kb_kanata_free(&groups);
		return;
	}
	across = kb_across_groups(&groups, &options);
	require(isfinite(across.line.a) && isfinite(across.line.b) && isfinite(across.growth.v0) &&
		isfinite(across.growth.v1) && isfinite(across.growth.common_mode.p));
	for (size_t i = 0; i < groups.count; i++)
		require(!groups.groups[i].k.known ||
			(isfinite(groups.groups[i].k.low) && isfinite(groups.groups[i].k.a.sd)));
	kb_kanata_free(&groups);
}

static void import_as(const struct kb_import_kind *kind, const uint8_t *data, size_t size, bool records)
{
	const struct kb_import_options options = { .kind = kind, .records = records, .confidence = .9 };
	struct kb_import import = { .count = 0 };
	char error[KB_IMPORT_ERROR], *copy = malloc(size + 1);
	int result;

	require(copy != NULL);
	memcpy(copy, data, size);
	result = kb_import_text(&import, &options, "input", copy, size, error);
	require(result == 0 ? error[0] == '\0' : error[0] != '\0' && !strchr(error, '\n'));
	for (size_t i = 0; i < import.run_count; i++) {
		for (size_t k = 0; k < import.runs[i].count && k < 4; k++)
			summarise(&import.runs[i].processes[k]);
	}
	if (result == 0 && kb_import_samples(&import, "input", error) == 0)
		analyze(&import);
	kb_import_free(&import);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	import_as(NULL, data, size, false);
	import_as(NULL, data, size, true);
	for (const struct kb_import_kind *const *kind = kb_import_kinds; *kind; kind++)
		import_as(*kind, data, size, false);
	return 0;
}
