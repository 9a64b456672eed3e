/*
 * The text of Go's benchmarks, for benchstat: a line a process, for it takes lines for independent. A name has no blanks, begins with an
 * upper-case letter, and what looks like -<digits> at its end is the number of threads, so every name gets one.
 */
#include "report/export/export.h"

#include <ctype.h>
#include <inttypes.h>
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
	header(out, "kbench-environment", kb_export_env_id(all, result));
}

static void begin(FILE *out, const struct kb_export *all)
{
	print_environment(out, all, all->rows[0].result);
	header(out, "kbench-run", kb_export_run_text(all, "id"));
	fputs("\nUnit ns/op better=lower\nUnit ticks/op better=lower\nUnit cycles/op better=lower\nUnit insn/op better=lower\nUnit MB/s better=higher\n\n", out);
}

static int print_row(FILE *out, const struct kb_export *all, const struct kb_exported *row)
{
	const struct kb_result *result = row->result;
	char name[KB_EXPORT_NAME], number[KB_EXPORT_NUMBER];
	struct kb_process_cost whole;
	unsigned count;
	const struct kb_process_cost *process = kb_export_processes(result, &whole, &count);

	if (row > all->rows && strcmp(kb_export_env_id(all, result), kb_export_env_id(all, row[-1].result)) != 0)
		print_environment(out, all, result);
	kb_export_word(name, result, "");
	name[0] = (char)toupper((unsigned char)name[0]);
	for (; count > 0; count--, process++) {
		/* A line must have measured something: statistics of others may not tell of how many samples they are. */
		fprintf(out, "Benchmark%s-1\t%" PRIu64 "\t%s %s/op", name, process->used ? process->used : 1,
			kb_export_number(number, process->cost), kb_time_unit(result));
		if (result->bytes_per_op > 0 && result->ticks_per_ns > 0 && process->cost > 0)
			fprintf(out, "\t%s MB/s", kb_export_number(number, 1e3 * (double)result->bytes_per_op / process->cost));
		if (process->cycles > 0)
			fprintf(out, "\t%s cycles/op", kb_export_number(number, process->cycles));
		fputc('\n', out);
	}
	return 0;
}

const struct kb_export_format kb_export_benchfmt = {
	.name = "benchfmt", .refuses = kb_export_no_cost, .begin = begin, .row = print_row,
};
