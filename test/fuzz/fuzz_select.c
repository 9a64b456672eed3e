/*
 * Any bytes as what a command line selects: lines that begin with '=' are words of -p, the others patterns. What is selected is of the
 * benchmarks, within the limits of their parameters, and each row has its own name; a refusal has a reason.
 */
#include "fuzz.h"

#include <stdio.h>

#include "run/run.h"
#include "suite/select.h"

#define WORDS 16

static int nothing(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	return 0;
}

static const struct kb_bench latency = {
	KB_BENCH("mem.latency"), .summary = "walks", .per = "load", .op = nothing,
	.params = { { "size", "bytes of it", KB_SIZE, "4K,64K", 4096, 1 << 30, NULL }, { "huge", "pages", KB_CHOICE, "no", 0, 0, "no,yes" } },
}, latch = {
	KB_BENCH("cpu.op"), .summary = "adds", .per = "add", .op = nothing, .suite = KB_MANUAL,
	.params = { { "n", "so many", KB_NUMBER, "1", 1, 100, NULL }, { "op", "which", KB_CHOICE, "add,imul", 0, 0, "add,imul,div" } },
};
static const struct kb_bench *const benches[] = { &latency, &latch, NULL };

static void require_rows(struct kb_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		require(rows[i].settings.bench == &latency || rows[i].settings.bench == &latch);
		require_line(rows[i].key);
		require(!strncmp(rows[i].key, rows[i].settings.bench->name, strlen(rows[i].settings.bench->name)));
		for (size_t k = 0; k < i && count < 100; k++)
			require(strcmp(rows[k].key, rows[i].key) != 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *patterns[WORDS], *sets[WORDS];
	size_t pattern_count = 0, set_count = 0, count;
	char *text = fuzz_text(data, size), *rest = text, *line, error[256];
	struct kb_row *rows;

	while ((line = strsep(&rest, "\n")) != NULL) {
		if (line[0] == '=' && set_count < WORDS)
			sets[set_count++] = line + 1;
		else if (line[0] && line[0] != '=' && pattern_count < WORDS)
			patterns[pattern_count++] = line;
	}
	for (unsigned suite = 0; suite < KB_SELECTIONS; suite++) {
		int result = kb_select(suite, benches, patterns, pattern_count, sets, set_count, &rows, &count, error);

		require(result == 0 || result == -ENOENT || result == -EINVAL || result == -ERANGE);
		require(!result == !error[0]);
		if (result)
			continue;
		require_rows(rows, count);
		require(kb_selection_keep(suite, KB_REACH_STANDARD, patterns, pattern_count, rows, count) <= count);
		free(rows);
	}
	free(text);
	return 0;
}
