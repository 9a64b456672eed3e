/* kbench import: what other programs and machines measured goes into the store, with verdicts as if it had been measured here. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/analyze.h"
#include "cli/import.h"
#include "cli/sel4/serial.h"
#include "cli/values.h"
#include "suite/nearest.h"
#include "workflow/machine.h"

enum { AS, NAME, CLOCK, MACHINE, LABEL, PARAM, STORE, JSON, VERBOSE, OPTIONS };

static const struct kb_option options[] = {
	[AS] = { 0, "as", "KIND", "kanata, record, sel4bench or sel4bench-results", "what its content says", KB_BY_HAND },
	[NAME] = { 0, "name", "DOMAIN.OPERATION", "what a Kanata table measures", "sel4.signal", KB_BY_HAND },
	[CLOCK] = { 0, "clock", "NAME[:HZ]", "what a log without a record counts: tsc, rdcycle, icount ...", "ticks", KB_BY_HAND },
	[MACHINE] = { 0, "machine", "TEXT", "where it was measured: runs of one machine compare", "what the log says", KB_BY_HAND },
	[LABEL] = { 0, "label", "TEXT", "a name for the run", NULL, KB_BY_HAND },
	[PARAM] = { 'p', "param", "NAME=VALUE", "a parameter that the log does not know; may be repeated", NULL, KB_BY_HAND },
	[STORE] = { 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", KB_BY_HAND },
	[JSON] = { 0, "json", NULL, "print kbench-result/2, or kbench-import/1 for several runs", NULL, KB_BY_HAND },
	[VERBOSE] = { 'v', "verbose", NULL, "print all that is known about each row", NULL, KB_BY_HAND },
	{ 0 }
};

/* ---- options --------------------------------------------------------------------------------------- */

static enum kb_log_kind kind_of(const struct kb_command *command, const char *value)
{
	struct kb_nearest nearest = { .typed = value };

	for (int i = KB_LOG_AUTO + 1; i < KB_LOG_KINDS; i++) {
		if (strcmp(value, kb_log_names[i]) == 0)
			return (enum kb_log_kind)i;
		kb_nearest_offer(&nearest, kb_log_names[i]);
	}
	if (nearest.best)
		kb_usage(command, "--as '%.40s': did you mean %s?", value, nearest.best);
	kb_usage(command, "--as '%.40s': must be kanata, record, sel4bench or sel4bench-results", value);
}

/* Clocks of the record (doc/record.md). ns has its rate in its name, and an instruction has none. */
static void set_clock(const struct kb_command *command, const char *value, struct kb_log_wishes *wishes)
{
	static const char *const names[] = { "tsc", "cntvct", "pmccntr", "rdtime", "rdcycle", "rdinstret", "ns", "icount" };
	size_t length = strcspn(value, ":");

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strlen(names[i]) == length && strncmp(value, names[i], length) == 0)
			wishes->clock = names[i];
	}
	if (!wishes->clock)
		kb_usage(command, "--clock '%.40s': must be tsc, cntvct, pmccntr, rdtime, rdcycle, rdinstret, ns or icount",
			 value);

	bool counts = strcmp(wishes->clock, "icount") == 0 || strcmp(wishes->clock, "rdinstret") == 0;
	bool ns = strcmp(wishes->clock, "ns") == 0;

	if (value[length] && (counts || ns))
		kb_usage(command, "--clock '%.40s': %s", value, ns ? "ns is a rate of its own" : "instructions have no rate");
	if (value[length])
		wishes->hz = kb_value_number(command, "clock", value + length + 1, 1, 1000000000000);
	if (ns)
		wishes->hz = 1000000000;
}

/* What stands in names of rows: visible, and nothing that splits them. */
static bool is_word(const char *text, const char *without)
{
	for (const char *at = text; *at; at++) {
		if (*at <= ' ' || *at > '~' || strchr(without, *at))
			return false;
	}
	return text[0] != '\0';
}

static void set_name(const struct kb_command *command, const char *value, struct kb_log_wishes *wishes)
{
	const char *dot = strchr(value, '.');

	if (!kb_is_bench_name(value) || !dot || dot == value)
		kb_usage(command, "--name '%.60s': must be a domain and a benchmark, such as sel4.signal: letters, digits, '_', '-' and '.'", value);
	wishes->bench = value;
}

static void add_param(const struct kb_command *command, const char *value, char params[256])
{
	size_t used = strlen(params);
	const char *equals = strchr(value, '=');

	if (!is_word(value, "\"\\") || !equals || equals == value || !equals[1] || strchr(equals + 1, '='))
		kb_usage(command, "--param '%.60s': must be NAME=VALUE", value);
	if (used + 1 + strlen(value) >= 128)
		kb_usage(command, "--param '%.60s': more than fits into a row's name", value);
	snprintf(params + used, 256 - used, "%s%s", used ? " " : "", value);
}

/* ---- files ----------------------------------------------------------------------------------------- */

static void read_file(const struct kb_import_request *request, const char *file, struct kb_log *log)
{
	bool input = strcmp(file, "-") == 0;
	const char *name = input ? "standard input" : file;
	char error[KB_IMPORT_ERROR];
	size_t length;
	/* A board's console is a line that never ends; what stands there then is shown while it comes. */
	char *text = kb_serial_is(file) ? kb_serial_read(request->command, file, isatty(STDERR_FILENO), &length) :
					  kb_analyze_read_text(request->command, input ? "/dev/stdin" : file, &length);
	int result = kb_log_read(log, &request->wishes, name, text, length, error);

	free(text);
	if (result == -ENOMEM)
		kb_no_memory(request->command);
	if (result)
		kb_die(request->command, KB_EXIT_USAGE, "%s", error);
}

/* A record says itself what it is. */
static void check_wishes(const struct kb_import_request *request, const struct kb_log *log)
{
	const struct kb_log_wishes *wishes = &request->wishes;

	if (log->kind == KB_LOG_RECORD && (wishes->bench || wishes->clock || wishes->params[0]))
		kb_usage(request->command, "--name, --clock and --param are for logs that do not say it: a record does");
	if (log->kind != KB_LOG_KANATA && wishes->bench)
		kb_usage(request->command, "--name is for Kanata tables: %s has names", kb_log_names[log->kind]);
	if (log->count == 0 || log->runs[0].count == 0)
		kb_die(request->command, KB_EXIT_USAGE, "%.200s: no measurement in it", request->files[0]);
}

/* "hifive/HIFIVE_MCS_64.jsonl" is HIFIVE_MCS_64. */
static const char *machine_of(const char *file, char text[64])
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	snprintf(text, 64, "%.*s", (int)strcspn(name, "."), name);
	return text[0] && strcmp(text, "-") != 0 ? text : NULL;
}

int kb_import_files(const struct kb_import_request *asked)
{
	struct kb_import_request request = *asked;
	struct kb_log log = { .kind = KB_LOG_AUTO };
	char path[4096], machine[64];
	int code = KB_EXIT_DONE;

	for (size_t i = 0; i < request.file_count; i++)
		read_file(&request, request.files[i], &log);
	check_wishes(&request, &log);
	if (log.kind == KB_LOG_RESULTS && !request.machine)
		request.machine = machine_of(request.files[0], machine);

	struct kb_import_run *runs = calloc(log.count, sizeof *runs);

	if (!runs)
		kb_no_memory(request.command);
	for (size_t i = 0; i < log.count; i++)
		kb_import_make(&request, &log, &log.runs[i], &runs[i]);
	kb_import_keep(&request, runs, log.count, path);
	kb_import_print(&request, &log, runs, log.count, path);
	for (size_t i = 0; i < log.count; i++) {
		for (size_t k = 0; k < runs[i].count; k++)
			code = runs[i].results[k].verdict.status == KB_INVALID ? KB_EXIT_FAILED : code;
		kb_import_release(&runs[i]);
	}
	free(runs);
	kb_log_free(&log);
	return code;
}

static int import_main(const struct kb_command *command, int argc, char **argv)
{
	char params[256] = "";
	struct kb_import_request request = {
		.command = command, .wishes = { .kind = KB_LOG_AUTO, .params = params, .confidence = .9 },
		.command_line = kb_command_line(argc, argv),
	};
	const char *value;
	int option;

	while ((option = kb_next_option(command, argc, argv, &value)) >= 0) {
		switch (option) {
		case AS: request.wishes.kind = kind_of(command, value); break;
		case NAME: set_name(command, value, &request.wishes); break;
		case CLOCK: set_clock(command, value, &request.wishes); break;
		case MACHINE: request.machine = value; break;
		case LABEL: request.label = kb_value_label(command, value); break;
		case PARAM: add_param(command, value, params); break;
		case STORE: request.store = value; break;
		case JSON: request.json = true; break;
		case VERBOSE: request.verbose = true; break;
		}
	}
	if (optind == argc)
		kb_usage(command, "which file? - is standard input");
	request.files = argv + optind;
	request.file_count = (size_t)(argc - optind);

	int code = kb_import_files(&request);

	free(request.command_line);
	return code;
}

const struct kb_command kb_command_import = {
	.name = "import",
	.arguments = "FILE...",
	.summary = "Store what other programs and machines measured, from their logs",
	.text = "FILE is a log, also of a serial line with all that it adds; - is standard input. The content decides:\n"
		"  kanata             tables of the KBench application of the document; a process each\n"
		"  record             records of ours between other lines; a process each\n"
		"  sel4bench          the JSON of sel4bench: its raw values, else its statistics\n"
		"  sel4bench-results  lines of JSON, statistics of a run each: for 'kbench history'\n"
		"A terminal line (/dev/ttyUSB0) is read up to the end of what it says.\n"
		"Several files of one kind are one run. What is cut off is stored as invalid; what contradicts itself is\n"
		"refused with its line. Afterwards show, compare, history and export work as on every run.\n",
	.options = options,
	.examples = "  kbench import boot1.log boot2.log boot3.log --label before\n"
		    "  kbench import - --clock rdcycle --machine unleashed <serial.log\n"
		    "  kbench import HIFIVE_64.jsonl && kbench history sel4bench.notify_process\n"
		    "  kbench compare before after --gate\n",
	.exits = "  0 done; 2 usage, unreadable or contradictory file, unwritable store or output;\n"
		 "  5 stored, and a row is invalid\n",
	.main = import_main,
};
