/* kbench import: what other programs and machines measured goes into the store, with verdicts as if it had been measured here. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "report/text/alongside.h"
#include "report/text/number_format.h"
#include "result/json/json.h"
#include "workflow/import.h"
#include "workflow/machine.h"

/* ---- options ---------------------------------------------------------------------------------------- */

struct asked {
	struct kb_import_request request;
	char params[256], started[21];
	const char *alongside;
	bool json, verbose;
};

static int read_kind(const char *value, void *place, struct kb_failure *failure)
{
	char words[200];
	struct kb_text names = kb_text_in(words, sizeof words);
	struct kb_nearest nearest = { .typed = value };

	for (const struct kb_import_kind *const *kind = kb_import_kinds; *kind; kind++) {
		*(const struct kb_import_kind **)place = *kind;
		if ((*kind)->records && strcmp(value, (*kind)->name) == 0)
			return 0;
		if (!(*kind)->records)
			continue;
		kb_text_str(&names, names.used ? ", " : "");
		kb_text_str(&names, (*kind)->name);
		kb_nearest_offer(&nearest, (*kind)->name);
	}
	if (nearest.best)
		return kb_refuse_typed(failure, "--as '%.40s': did you mean %s?", value, nearest.best);
	return kb_refuse_typed(failure, "--as '%.40s': must be one of %s", value, words);
}

/* Clocks of the record (doc/record.md). ns has its rate in its name, and an instruction has none. */
static int read_clock(const char *value, void *place, struct kb_failure *failure)
{
	static const char *const names[] = { "tsc", "cntvct", "pmccntr", "rdtime", "rdcycle", "rdinstret", "ns", "icount" };
	struct kb_import_options *options = place;
	size_t length = strcspn(value, ":");

	options->clock = NULL;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strlen(names[i]) == length && strncmp(value, names[i], length) == 0)
			options->clock = names[i];
	}
	if (!options->clock)
		return kb_refuse_typed(failure, "--clock '%.40s': must be tsc, cntvct, pmccntr, rdtime, rdcycle, rdinstret, ns or icount",
				       value);

	bool ns = strcmp(options->clock, "ns") == 0;
	bool counts = strcmp(options->clock, "icount") == 0 || strcmp(options->clock, "rdinstret") == 0;

	options->hz = ns ? 1000000000 : 0;
	if (!value[length])
		return 0;
	if (counts || ns)
		return kb_refuse_typed(failure, "--clock '%.40s': %s", value, ns ? "ns is a rate of its own" : "instructions have no rate");
	return kb_read_option(&(struct kb_option){ .name = "clock", .into = KB_OPTION(NUMBER, struct kb_import_options, hz, .least = 1,
										      .most = 1000000000000) },
			      value + length + 1, options, failure);
}

static int read_name(const char *value, void *place, struct kb_failure *failure)
{
	const char *dot = strchr(value, '.');

	*(const char **)place = value;
	if (kb_is_bench_name(value) && dot && dot != value)
		return 0;
	return kb_refuse_typed(failure, "--name '%.60s': must be a domain and a benchmark, such as sel4.signal: letters, digits, '_', '-' and '.'",
			       value);
}

/* What stands in names of rows: visible, and nothing that splits them. */
static int add_param(const char *value, void *place, struct kb_failure *failure)
{
	char *params = place;
	size_t used = strlen(params);
	const char *equals = strchr(value, '=');
	bool plain = equals && equals != value && equals[1] && !strchr(equals + 1, '=');

	for (const char *at = value; *at && plain; at++)
		plain = *at > ' ' && *at <= '~' && !strchr("\"\\", *at);
	if (!plain)
		return kb_refuse_typed(failure, "--param '%.60s': must be NAME=VALUE", value);
	if (used + 1 + strlen(value) >= 128)
		return kb_refuse_typed(failure, "--param '%.60s': more than fits into a result's name", value);
	snprintf(params + used, sizeof ((struct asked *)0)->params - used, "%s%s", used ? " " : "", value);
	return 0;
}

/* A day, or a time as dates of runs are written. */
static int read_date(const char *value, void *place, struct kb_failure *failure)
{
	char text[40];

	snprintf(text, sizeof text, "%.20s%s", value, strlen(value) == 10 ? "T00:00:00Z" : "");
	if (strlen(value) <= 20 && kb_import_date(text, place))
		return 0;
	return kb_refuse_typed(failure, "--date '%.40s': must be a day or a time of UTC, such as 2026-05-04 or 2026-05-04T10:00:00Z", value);
}

static const struct kb_option options[] = {
	{ 0, "as", "KIND", "what it is, one of the kinds above", "by its content",
	  KB_OPTION(READ, struct asked, request.options.kind, .read = read_kind) },
	{ 0, "name", "DOMAIN.OPERATION", "what a Kanata table, or perf bench without a name, measures", "sel4.signal",
	  KB_OPTION(READ, struct asked, request.options.bench, .read = read_name) },
	{ 0, "clock", "NAME[:HZ]", "what a log without a record counts: tsc, rdcycle, icount ...", "ticks",
	  KB_OPTION(READ, struct asked, request.options, .read = read_clock) },
	{ 0, "machine", "TEXT", "where it was measured: runs of one machine compare", "as in the log",
	  KB_OPTION(WORD, struct asked, request.machine) },
	{ 0, "date", "DATE", "when it was measured: history has runs in this order", "as in the file, else now",
	  KB_OPTION(READ, struct asked, started, .read = read_date) },
	{ 0, "label", "TEXT", "a name for the run", NULL, KB_OPTION(LABEL, struct asked, request.label) },
	{ 0, "alongside", "RUN", "the run of ours whose results are printed alongside theirs", "the newest of each",
	  KB_OPTION(WORD, struct asked, alongside) },
	{ 'p', "param", "NAME=VALUE", "a parameter that the log does not know; may be repeated", NULL,
	  KB_OPTION(READ, struct asked, params, .read = add_param) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", KB_OPTION(WORD, struct asked, request.store) },
	{ 0, "json", NULL, "print kbench-result/2, or kbench-import/1 for several runs", NULL, KB_OPTION(FLAG, struct asked, json) },
	{ 'v', "verbose", NULL, "print all that is known about each result", NULL, KB_OPTION(FLAG, struct asked, verbose) },
	{ 0 }
};

/* ---- output: one run as `kbench show` prints it, a summary of many ------------------------------------- */

/* Its cost is the other program's; this is what comes of the samples by the statistics of `kbench run`. */
static void print_ours(const struct kb_result *result)
{
	struct kb_scale scale = kb_scale_of(result);
	char text[KB_NUMBER_ROOM];

	if (result->method != KB_METHOD_SLOPE || !result->observed.known || !kb_verdict_has(&result->verdict, KB_CODE_imported))
		return;
	kb_format_value(text, result->observed.value * scale.factor, KB_NUMBER_DIGITS);
	printf("%s %s: the robust slope of its samples is %s %s\n", result->benchmark, result->params, text, scale.unit);
}

/* The other program's statistics of the same values, where it has more than the cost. */
static void print_reported(const struct kb_imported_run *run, const char *row)
{
	for (size_t i = 0; i < run->from->count; i++) {
		struct kb_samples samples;

		if (strcmp(run->from->processes[i].row, row) != 0)
			continue;
		if (kb_samples_load(&samples, &run->records.texts[i]) == 0 && samples.reported.mean > 0 &&
		    samples.reported.samples > 1) {
			printf("%s process %u, as reported: mean %.6g", row, run->records.texts[i].process, samples.reported.mean);
			if (samples.reported.sd > 0)
				printf(", sd %.4g", samples.reported.sd);
			if (samples.reported.median > 0)
				printf(", median %.6g", samples.reported.median);
			printf(", of %.0f\n", samples.reported.samples);
		}
		kb_samples_free(&samples);
	}
}

static void print_run(const struct kb_imported_run *run, bool verbose, const char *place)
{
	struct kb_heading heading = kb_heading_of("imported", run->env, NULL, NULL);

	kb_print_results(&heading, run->listed, run->count, verbose || run->count == 1, NULL);
	for (size_t i = 0; i < run->count; i++)
		print_reported(run, run->rows[i]);
	for (size_t i = 0; i < run->count; i++)
		print_ours(&run->results[i]);
	printf("run %s in %s%s; 'kbench show' prints it again\n", run->id, place, run->known ? ", where it was already" : "");
}

/* What other tools measure as some benchmark of ours does. */
static void print_alongside(const struct kb_command *command, const struct kb_imported_run *run, const struct asked *asked)
{
	struct kb_style style = kb_style_here(false);
	struct kb_alongside_list found;
	struct kb_failure failure;

	kb_die_if(command, kb_alongside_find(asked->request.store, asked->alongside, run->listed, run->count, &found, &failure), &failure);
	kb_alongside_print(stdout, &found, &style);
	if (found.count == 0 && asked->alongside)
		kb_complain(command, "nothing in run '%s' measures what these do", asked->alongside);
	kb_alongside_release(&found);
}

static void print_runs(const struct kb_imported *imported)
{
	const struct kb_imported_run *first = imported->runs;
	size_t known = 0, processes = 0;

	for (size_t i = 0; i < imported->count; i++) {
		known += imported->runs[i].known;
		processes += imported->runs[i].added;
	}
	printf("%zu runs with %zu processes stored in %s", imported->count - known, processes, imported->place);
	if (known > 0)
		printf(", %zu were there", known);
	printf("\n'kbench history %s' shows a result over time\n", first->count > 0 ? first->rows[0] : "BENCH");
}

static void print_list(const struct kb_imported *imported)
{
	json_t *list = json_array();

	for (size_t i = 0; i < imported->count; i++) {
		const struct kb_imported_run *run = &imported->runs[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:b}", "id", run->id, "started", run->started, "rows",
						      kb_json_whole(run->count), "new", !run->known));
	}
	kb_print_json(json_pack("{s:s, s:o}", "schema", "kbench-import/1", "runs", list));
}

/* Returns the exit code. */
static int show(const struct kb_command *command, const struct kb_imported *imported, const struct asked *asked)
{
	bool several = imported->import.kind == &kb_import_sel4bench_results;
	int code = KB_EXIT_DONE;

	for (size_t i = 0; i < imported->count; i++) {
		const struct kb_imported_run *run = &imported->runs[i];

		/* Where a process was cut off, only the log's lines tell. */
		for (size_t k = 0; k < run->from->count; k++) {
			const struct kb_import_process *process = &run->from->processes[k];

			if (process->cut[0])
				kb_complain(command, "%s: line %u: %s; stored as invalid", process->row, process->cut_line, process->cut);
		}
		for (size_t k = 0; k < run->count; k++)
			code = run->results[k].verdict.status == KB_INVALID ? KB_EXIT_FAILED : code;
	}
	if (asked->json && several)
		print_list(imported);
	else if (asked->json)
		kb_print_run(&imported->runs[0].stored, imported->runs[0].env, imported->runs[0].listed, imported->runs[0].count);
	else if (several)
		print_runs(imported);
	else
		print_run(&imported->runs[0], asked->verbose, imported->place);
	if (imported->import.zeros > 0)
		kb_complain(command, "left out: %zu value%s of 0, no cost", imported->import.zeros, imported->import.zeros == 1 ? "" : "s");
	if (imported->import.events > 0)
		kb_complain(command, "left out: %zu count%s of events, no cost", imported->import.events, imported->import.events == 1 ? "" : "s");
	if (imported->import.kind->tool && !asked->json)
		print_alongside(command, &imported->runs[0], asked);
	if (imported->import.kind->tool && !kb_imported_names_machine(&imported->runs[0]))
		kb_complain(command, "the file does not state where it was measured; --machine NAME keeps results of machines apart");
	return code;
}

static void echo(const char *bytes, size_t length)
{
	kb_print_lines(stderr, bytes, length);
}

static int import_main(const struct kb_command *command, int argc, char **argv)
{
	char *typed = kb_command_line("kbench", argc, argv);
	/* What stands on a board's line is shown while it comes. */
	struct asked asked = {
		.request = { .command = typed, .options.confidence = .9, .echo = isatty(STDERR_FILENO) ? echo : NULL },
	};
	struct kb_imported imported;
	struct kb_failure failure;
	int code;

	kb_read_options(command, argc, argv, &asked);
	if (optind == argc)
		kb_usage(command, "which file? - is standard input");
	asked.request.options.params = asked.params;
	asked.request.started = asked.started[0] ? asked.started : NULL;
	asked.request.files = argv + optind;
	asked.request.file_count = (size_t)(argc - optind);
	/* Before anything is stored. */
	if (asked.alongside)
		kb_die_if(command, kb_alongside_find(asked.request.store, asked.alongside, NULL, 0, &(struct kb_alongside_list){ .count = 0 }, &failure), &failure);
	kb_die_if(command, kb_import_runs(&asked.request, &imported, &failure), &failure);
	code = show(command, &imported, &asked);
	kb_imported_release(&imported);
	free(typed);
	return code;
}

const struct kb_command kb_command_import = {
	.name = "import",
	.arguments = "FILE...",
	.summary = "Store what other tools and machines measured, from their files and logs",
	.text = "FILE is a log, also of a serial line with all that it adds; - is standard input. The content decides:\n"
		"  kanata             tables of the KBench application of the document; a process each\n"
		"  record             records of ours between other lines; a process each\n"
		"  hyperfine          the JSON of --export-json: a run of the command is a process\n"
		"  google-benchmark   the JSON of --benchmark_format=json: a repetition is a process\n"
		"  criterion          a directory such as target/criterion, or the lines of cargo criterion\n"
		"  perf-bench         what perf bench prints\n"
		"  lmbench            a file of its results\n"
		"  sel4bench          the JSON of sel4bench: its raw values, else its statistics\n"
		"  sel4bench-results  lines of JSON, statistics of a run each: for 'kbench history'\n"
		"What lmbench and perf bench measure stands alongside results of ours that measure the same.\n"
		"A terminal line (/dev/ttyUSB0) is read up to the end of what it sends.\n"
		"Several files of one kind are one run. What is cut off is stored as invalid; what contradicts itself is\n"
		"refused with its line. Afterwards show, compare, history and export work as on every run.\n",
	.options = options,
	.examples = "  kbench import boot1.log boot2.log boot3.log --label before\n"
		    "  kbench import - --clock rdcycle --machine unleashed <serial.log\n"
		    "  kbench import bench.json --label v1.2 --date 2026-05-04 --machine ci\n"
		    "  kbench import results/x86_64-linux-gnu/host.* --alongside last\n"
		    "  kbench import HIFIVE_64.jsonl && kbench history sel4bench.notify_process\n"
		    "  kbench compare before after --gate\n",
	.exits = "  0 done; 2 usage, unreadable or contradictory file, unwritable store or output;\n"
		 "  5 stored, and a result is invalid\n",
	.main = import_main,
};
