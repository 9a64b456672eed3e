/*
 * The text of Go's benchmarks, for benchstat: a line a block. A name has no blanks, begins with an upper-case letter, and
 * what looks like -<digits> at its end is the number of threads, so every name gets one. benchstat takes lines for
 * independent, which blocks of one process are not.
 */
#include "report/export/export.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Up to the end of its line: a newline inside a name of a CPU would be a line of its own. */
static void header(FILE *out, const char *key, const char *value)
{
	fprintf(out, "%s: %.*s\n", key, (int)strcspn(value, "\r\n"), value);
}

/* What holds for the lines that follow, until it is said anew. */
static void print_environment(FILE *out, const struct kb_export *all, const struct kb_result *result)
{
	const struct kb_environment *e = &result->environment;
	const char *arch = e->arch[0] ? e->arch : kb_export_fact(all, "arch", "unknown");

	header(out, "goos", !strcmp(e->target, "sel4") ? "sel4" : "linux");
	/* Go's words for architectures; what it does not know stays as it is. */
	header(out, "goarch", !strcmp(arch, "x86_64") ? "amd64" : !strcmp(arch, "aarch64") ? "arm64" : arch);
	header(out, "pkg", "kbench");
	header(out, "cpu", e->cpu[0] ? e->cpu : kb_export_fact(all, "cpu_model", "unknown"));
	header(out, "kbench-class", kb_export_env_id(all, result));
}

static void begin(FILE *out, const struct kb_export *all)
{
	print_environment(out, all, all->rows[0].result);
	header(out, "kbench-run", kb_export_run_text(all, "id"));
	fputs("\nUnit ns/op better=lower\nUnit ticks/op better=lower\nUnit cycles/op better=lower\nUnit insn/op better=lower\n\n", out);
}

static int print_row(FILE *out, const struct kb_export *all, const struct kb_exported *row)
{
	char operations[KB_EXPORT_NUMBER], number[KB_EXPORT_NUMBER];
	char name[KB_EXPORT_NAME];
	struct kb_export_blocks blocks;
	int error = kb_export_blocks(row, &blocks);

	if (row > all->rows && strcmp(kb_export_env_id(all, row->result), kb_export_env_id(all, row[-1].result)) != 0)
		print_environment(out, all, row->result);
	kb_export_word(name, row->result, "");
	name[0] = (char)toupper((unsigned char)name[0]);
	for (size_t i = 0; i < blocks.count && !error; i++) {
		const struct kb_export_block *block = &blocks.at[i];

		fprintf(out, "Benchmark%s-1\t%s\t%s %s/op", name, kb_export_number(operations, block->operations), kb_export_number(number, block->cost),
			kb_time_unit(row->result));
		if (block->cycles > 0)
			fprintf(out, "\t%s cycles/op", kb_export_number(number, block->cycles));
		fputc('\n', out);
	}
	free(blocks.at);
	return error;
}

const struct kb_export_format kb_export_benchfmt = {
	.name = "benchfmt", .records = true, .refuses = kb_export_no_values, .begin = begin, .row = print_row,
};
