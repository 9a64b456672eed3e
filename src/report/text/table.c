/* See table.h. */
#include "report/text/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/text/columns.h"
#include "report/text/comparison.h"
#include "report/text/number_format.h"
#include "report/text/style.h"
#include "report/text/table_cells.h"

#define MOVED_LEAST 4           /* results whose clock moved, for a warning in place of tags */

/* ---- groups -------------------------------------------------------------------------------------- */

/* Domains that answer one question stand together: a heading for each of them would be a third of the lines. */
static const struct { const char *heading, *domains; } groups[] = {
	{ "SYSTEM CALLS", "sys,vdso,uring" },
	{ "SIGNALS AND TIMERS", "sig,timer" },
	{ "PROCESSES AND THREADS", "proc,thread" },
	{ "SCHEDULING", "sched,ctx" },
	{ "IPC", "ipc" },
	{ "NETWORK", "net" },
	{ "VIRTUAL MEMORY", "fault,vm" },
	{ "FILES AND DISKS", "fs,disk" },
	{ "CPU", "cpu,core,atomic,clock" },
	{ "MEMORY", "mem,tlb" },
	{ "LIBRARY FUNCTIONS", "lib" },
	{ "BPF", "bpf" },
	{ "KERNEL FUNCTIONS", "kernel" },
	{ "SEL4", "sel4" },
	{ "MACHINE CODE", "yamba" },
	{ "PARAMETERS", "param" },
	{ "PLUG-INS", "plugin" },
	{ "COMMANDS", "cmd" },
	{ "", "self" },
	{ "OTHER", "" },
};

#define GROUPS (sizeof groups / sizeof groups[0])

const unsigned kb_group_count = GROUPS;

unsigned kb_group_of(const char *benchmark)
{
	char domain[32];
	unsigned group = 0;

	snprintf(domain, sizeof domain, "%.*s", (int)strcspn(benchmark, "."), benchmark);
	while (group < GROUPS - 1 && !kb_list_has(groups[group].domains, domain))
		group++;
	return group;
}

const char *kb_group_heading(unsigned group)
{
	return group < GROUPS ? groups[group].heading : "";
}

static bool is_self_test(const char *benchmark)
{
	return kb_group_heading(kb_group_of(benchmark))[0] == '\0';
}

/* ---- warning ------------------------------------------------------------------------------------- */

/* What half of the lines would tell is told once: the clock is of the machine, not of a result. */
static void count_moved_clocks(struct kb_table *table)
{
	size_t moved = 0, numbers = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct kb_result *result = table->results[i];

		numbers += result->estimate.known && !is_self_test(result->benchmark);
		moved += result->estimate.known && kb_verdict_has(&result->verdict, KB_CODE_freq_drift);
	}
	table->clocks_moved = moved >= MOVED_LEAST && 2 * moved >= numbers ? moved : 0;
}

/* Learns what concerns all results. */
static void survey(struct kb_table *table)
{
	double contended = 0;
	size_t probed = 0, not_excluded = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct kb_result *result = table->results[i];
		bool included = kb_verdict_has(&result->verdict, KB_CODE_contention_not_excluded) ||
				kb_verdict_has(&result->verdict, KB_CODE_partner_not_probed);

		/* Where nobody knows what uncontended is, there is no share of it. */
		if ((isnan(result->clean_share) && !included) || is_self_test(result->benchmark))
			continue;
		probed++;
		contended += isnan(result->clean_share) ? 0 : 1 - result->clean_share;
		not_excluded += included;
	}
	count_moved_clocks(table);
	table->contended = probed > 0 && contended / (double)probed >= KB_CONTENDED_LEAST ? contended / (double)probed : NAN;
	table->not_excluded = probed > 1 && not_excluded == probed;
}

/* The detail that all results share which have this reason, "" where they differ; NULL: none has it. */
static const char *shared_detail(const struct kb_table *table, enum kb_reason_code code)
{
	const char *shared = NULL;

	for (size_t i = 0; i < table->count; i++) {
		const struct kb_verdict *verdict = &table->results[i]->verdict;

		for (unsigned r = 0; r < verdict->count && r < KB_REASONS_MAX; r++) {
			if (verdict->reasons[r].code != code)
				continue;
			if (shared && strcmp(shared, verdict->reasons[r].detail) != 0)
				return "";
			shared = verdict->reasons[r].detail;
		}
	}
	return shared;
}

/* Of costs that all include contention. One line, or without the detail. */
static void put_not_excluded(char *line, size_t room, const struct kb_table *table)
{
	const char *noisy = shared_detail(table, KB_CODE_contention_not_excluded), *partner = shared_detail(table, KB_CODE_partner_not_probed);
	const char *detail = noisy ? noisy : partner;

	snprintf(line, room, noisy ? "contention not excluded: %s; costs include it" : "a partner was not probed: %s", detail);
	if (!(noisy && partner) && detail[0] && kb_text_width(line) <= table->style->width)
		return;
	snprintf(line, room, "%s; costs include it", noisy && partner ? "contention is not excluded" : noisy ? "contention is not excluded, which makes results noisy" :
		 "a partner on another CPU was not probed for contention");
}

static void add_contention(struct kb_text *text, const struct kb_table *table, bool shared_host)
{
	char line[400] = "";

	if (table->not_excluded) {
		put_not_excluded(line, sizeof line, table);
	} else if (!isnan(table->contended)) {
		snprintf(line, sizeof line, "shared %s: the core was contended %.0f %% of the time: costs exclude it, 'observed' includes it",
			 shared_host ? "host" : "core", 100 * table->contended);
	}
	kb_text_str(text, line);
}

static void print_warning(FILE *out, const struct kb_table *table, bool shared_host)
{
	char line[500];
	struct kb_text text = kb_text_in(line, sizeof line);

	add_contention(&text, table, shared_host);
	if (table->clocks_moved > 0) {
		kb_text_str(&text, line[0] ? "; the core clock moved in " : "the core clock moved in ");
		kb_text_u64(&text, table->clocks_moved);
		kb_text_str(&text, " results, and their CIs cover that");
	}
	if (!line[0])
		return;
	kb_text_plain(line, table->style);
	kb_print_wrapped(out, table->style, 0, line);
}

/* ---- lines --------------------------------------------------------------------------------------- */

/* More kinds of operation than this make no heading any more. */
#define KINDS_MAX 3

/* "IPC, per round-trip or request": a time there cannot be taken for one way. A bandwidth has no such word. */
static void print_group(FILE *out, const struct kb_table *table, unsigned group)
{
	const char *kinds[KINDS_MAX + 1];
	unsigned count = 0;

	for (size_t i = 0; i < table->count && count <= KINDS_MAX; i++) {
		const struct kb_result *result = table->results[i];
		bool known = !result->per[0] || result->bytes_per_op > 0 || kb_group_of(result->benchmark) != group;

		for (unsigned k = 0; k < count; k++)
			known |= strcmp(kinds[k], result->per) == 0;
		if (!known)
			kinds[count++] = result->per;
	}
	fputs(kb_group_heading(group), out);
	for (unsigned i = 0; count <= KINDS_MAX && i < count; i++)
		fprintf(out, "%s%s", i == 0 ? ", per " : i + 1 == count ? " or " : ", ", kinds[i]);
	fputc('\n', out);
}

static void print_domain(FILE *out, const struct kb_table *table, unsigned group)
{
	bool headed = false;

	for (size_t i = 0; i < table->count; i++) {
		const struct kb_result *result = table->results[i];

		if (kb_group_of(result->benchmark) != group)
			continue;
		if (!headed)
			print_group(out, table, group);
		headed = true;
		kb_cells_print(out, table, result);
	}
}

/* ---- self-tests ---------------------------------------------------------------------------------- */

/* Two decimals: what is below a hundredth of a nanosecond is nothing. */
static void nothing(char number[KB_NUMBER_ROOM], const struct kb_estimate *estimate, double factor, bool utf8)
{
	double value = round(100 * estimate->value * factor) / 100 + 0.0;
	double half = fmax(estimate->high - estimate->value, estimate->value - estimate->low) * factor;

	if (estimate->known && estimate->bounded)
		snprintf(number, KB_NUMBER_ROOM, "%.2f %s%.2f", value, utf8 ? "\u00b1" : "+-", fmax(1, ceil(100 * half)) / 100);
	else
		snprintf(number, KB_NUMBER_ROOM, estimate->known ? "%.2f" : "-", value);
}

/* A test of the tool itself, not a cost of the machine: its number must be what it is known to be. */
static void print_self_test(FILE *out, const struct kb_table *table, const struct kb_result *result)
{
	bool empty = result->bound == KB_NOTHING;
	struct kb_scale scale = kb_scale_of(result);
	char number[KB_NUMBER_ROOM], name[KB_CELL_ROOM], reason[KB_CELL_ROOM], line[3 * KB_CELL_ROOM];

	if (empty)
		nothing(number, &result->estimate, scale.factor, table->style->utf8);
	else
		kb_format_estimate(number, &result->estimate, scale.factor, table->style->utf8);
	kb_cells_name(name, table, result);
	kb_cells_reason(reason, result, table->style);
	snprintf(line, sizeof line, "self-test (%s): %s%s%s, %s%s%s", empty ? "an empty loop" : name, number,
		 result->estimate.known ? " " : "", result->estimate.known ? scale.unit : "",
		 result->verdict.status == KB_OK ? "passed" : kb_status_name(result->verdict.status), reason[0] ? ": " : "", reason);
	kb_text_cut(out, line, table->style->width, table->style->utf8);
	fputc('\n', out);
}

/* ---- all ----------------------------------------------------------------------------------------- */

static void print_lines(FILE *cells, const struct kb_table *table, enum kb_table_order order)
{
	const struct kb_result **sorted = order == KB_TABLE_DOMAIN ? NULL : kb_table_sorted(table->results, table->count, order);

	for (size_t i = 0; sorted && i < table->count; i++) {
		if (!is_self_test(sorted[i]->benchmark))
			kb_cells_print(cells, table, sorted[i]);
	}
	for (unsigned group = 0; !sorted && group < kb_group_count; group++) {
		if (kb_group_heading(group)[0])
			print_domain(cells, table, group);
	}
	free(sorted);
}

void kb_table_print(FILE *out, const struct kb_result *const *results, size_t count, bool shared_host, const struct kb_style *style,
		    const struct kb_table_options *options)
{
	struct kb_style page = *style;
	struct kb_table table = { .results = results, .count = count, .style = &page, .changes = options->changes, .contended = NAN };
	size_t rows = 0;

	page.width = style->width ? style->width : KB_WIDTH_USUAL;

	for (size_t i = 0; i < count; i++)
		rows += !is_self_test(results[i]->benchmark);
	/* What the warning tells, the lines leave out. */
	if (count > 1 && !options->quiet) {
		survey(&table);
		print_warning(out, &table, shared_host);
	}

	struct kb_columns columns = kb_table_columns(&table);
	FILE *cells = kb_columns_open(&columns, out);

	if (rows > 0)
		kb_cells_titles(cells, &table);
	print_lines(cells, &table, options->order);
	kb_columns_print(&columns, out);
	for (size_t i = 0; i < count; i++) {
		if (is_self_test(results[i]->benchmark))
			print_self_test(out, &table, results[i]);
	}
	if (count == 1 && !options->quiet)
		kb_print_reasons_from(out, &page, &results[0]->verdict, style->notes ? KB_NOTE : KB_CAUSE);
}

/* ---- page ---------------------------------------------------------------------------------------- */

static void print_details(const struct kb_result *const *results, size_t count, const struct kb_style *style)
{
	char name[KB_ROW_NAME];

	for (size_t i = 0; i < count; i++) {
		printf("\n%s\n", kb_row_name(name, results[i]));
		/* One result is printed with its reasons already. */
		if (count > 1)
			kb_print_reasons(stdout, style, &results[i]->verdict);
		kb_detail_print(stdout, results[i], style);
	}
	putchar('\n');
}

void kb_print_table(const struct kb_heading *heading, const struct kb_result *const *results, size_t count,
		    const struct kb_table_options *options)
{
	struct kb_style style = kb_style_here(options->detail);
	bool virtual = heading && strcmp(heading->hypervisor, "unknown") != 0 && strcmp(heading->hypervisor, "none") != 0;

	style.unit = options->unit;
	style.width = style.width ? style.width : KB_WIDTH_USUAL;
	if (heading && !options->quiet)
		kb_table_heading(stdout, heading, count, &style);
	kb_table_print(stdout, results, count, virtual, &style, options);
	if (options->detail)
		print_details(results, count, &style);
	kb_parallel_print(stdout, results, count, &style);
	kb_variants_print(stdout, results, count, &style);
	if (!options->quiet)
		kb_table_count(stdout, results, count, &style);
}

void kb_print_results(const struct kb_heading *heading, const struct kb_result *const *results, size_t count, bool detail, const char *unit)
{
	kb_print_table(heading, results, count, &(struct kb_table_options){ .unit = unit, .detail = detail });
}
