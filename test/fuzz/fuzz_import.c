/* Any bytes as a file of measurements: read or refused with one line, and what is read can be analyzed to finite
   numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void analyze(const struct kb_import *import)
{
	struct kb_analysis_options options = { .confidence = .9, .half_width = .02 };
	struct kb_kanata_analysis groups = { 0 };
	struct kb_across across;
	double n;

	if (import->kind == KB_IMPORT_LINES || import->kind == KB_IMPORT_PRINTED || import->count == 0 ||
	    kb_analysis_skip_fits(import, 0, &n) || kb_kanata_add(&groups, import, &options)) {
		kb_kanata_free(&groups);
		return;
	}
	across = kb_across_groups(&groups, 0, &options);
	require(isfinite(across.line.a) && isfinite(across.line.b) && isfinite(across.growth.v0) &&
	        isfinite(across.growth.v1) && isfinite(across.growth.common_mode.p));
	for (size_t i = 0; i < groups.count; i++)
		require(!groups.groups[i].k.known ||
			(isfinite(groups.groups[i].k.low) && isfinite(groups.groups[i].k.a.sd)));
	kb_kanata_free(&groups);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[KB_IMPORT_ERROR], *copy = malloc(size + 1);
	struct kb_import import;
	int result;

	require(copy != NULL);
	memcpy(copy, data, size);
	result = kb_import_text(&import, "input", copy, size, error);
	require(result == 0 ? error[0] == '\0' : error[0] != '\0' && !strchr(error, '\n'));
	if (result == 0)
		analyze(&import);
	kb_import_free(&import);
	free(copy);
	return 0;
}
