/* See counts.h. */
#include "cli/counts.h"

#include "base/nearest.h"
#include "cli/store/saved.h"
#include "report/text/comparison.h"
#include "suite/select.h"

static int code_of(const struct kb_counts *counts)
{
	int code = counts->compared->count > 0 ? KB_EXIT_DONE : KB_EXIT_FAILED;

	for (size_t i = 0; i < counts->compared->count; i++) {
		enum kb_count_finding finding = kb_count_find(counts, i);

		if (finding == KB_COUNT_UNEQUAL || finding == KB_COUNT_FAILED)
			code = kb_worse_exit(code, KB_EXIT_FAILED);
		else if (finding == KB_COUNT_MORE || finding == KB_COUNT_FEWER)
			code = kb_worse_exit(code, KB_EXIT_REGRESSION);
	}
	return code;
}

void kb_counts_check(const struct kb_command *command, const struct kb_bench *const *benches, char *const *patterns, int count)
{
	for (int i = 0; i < count; i++) {
		struct kb_nearest nearest = { .typed = patterns[i] };
		bool known = false;

		for (const struct kb_bench *const *bench = benches; *bench; bench++) {
			known |= kb_pattern_match(patterns[i], (*bench)->name);
			kb_nearest_offer(&nearest, (*bench)->name);
		}
		if (!known)
			kb_usage(command, "no benchmark '%.60s' there%s%s", patterns[i], nearest.best ? ", did you mean " : "; see 'kbench list'",
				 nearest.best ? nearest.best : "");
	}
}

int kb_counts_report(const struct kb_command *command, const struct kb_counts_request *request, const char *base, const char *new)
{
	/* A boot that failed tells no environment: that is a finding of its result, and the others have theirs. */
	struct kb_compare_request wanted = {
		.runs = { base ? base : new, new }, .margin = request->margin, .exact_margin = request->margin, .any_env = true,
		.any_config = request->any_config,
	};
	struct kb_style style = kb_style_here(false);
	struct kb_compared compared;
	struct kb_failure failure;
	struct kb_store *store = kb_saved_open(command, request->store, KB_STORE_READ);

	kb_die_if(command, kb_compare_runs(store, &wanted, &compared, &failure), &failure);

	struct kb_counts counts = {
		.compared = &compared, .names = { base ? request->against : NULL, request->kernel }, .boots = request->boots, .markdown = request->markdown,
	};
	int code = code_of(&counts);

	if (request->json)
		kb_print_json(kb_compared_to_json(&compared, code));
	else
		kb_counts_print(stdout, &counts, &style);
	kb_compared_release(&compared);
	kb_store_close(store);
	return code;
}
