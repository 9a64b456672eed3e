/* Any bytes as a log of another program or machine: refused with one line, or launches whose results are made without trouble. */
#include <stdlib.h>
#include <string.h>

#include "import/log.h"
#include "result/summary/summary.h"
#include "run/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* What is not whole has no number. */
static void summarise(const struct kb_log_launch *launch)
{
	struct kb_launch_text text = { .launch = 1, .outcome = "", .record = launch->record, .length = launch->length };
	struct kb_result *result = malloc(sizeof *result);

	require(result != NULL);
	kb_summarise(&text, 1, &(struct kb_summary_rules){ .planned = 1, .precision = 0.01 }, result);
	require(launch->trouble[0] == '\0' || !result->estimate.known);
	require(launch->row[0] != '\0' && !strchr(launch->row, '\n') && !strchr(launch->trouble, '\n'));
	free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_log_wishes wishes = { .params = "", .confidence = .9 };
	char error[KB_IMPORT_ERROR], *copy = malloc(size + 1);

	/* As its content says, and as each of the kinds. */
	for (int kind = KB_LOG_AUTO; kind < KB_LOG_KINDS; kind++) {
		struct kb_log log = { .kind = KB_LOG_AUTO };

		require(copy != NULL);
		memcpy(copy, data, size);
		wishes.kind = (enum kb_log_kind)kind;

		int result = kb_log_read(&log, &wishes, "input", copy, size, error);

		require(result == 0 ? error[0] == '\0' : error[0] != '\0' && !strchr(error, '\n'));
		for (size_t i = 0; i < log.count; i++) {
			for (size_t k = 0; k < log.runs[i].count && k < 4; k++)
				summarise(&log.runs[i].launches[k]);
		}
		kb_log_free(&log);
	}
	free(copy);
	return 0;
}
