/* kbench cmd: whole commands in turn, with hyperfine's options where their meaning is the same. doc/cmd.md has them side by side. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/run.h"
#include "report/export/hyperfine.h"
#include "report/json/commands_json.h"
#include "report/text/commands.h"
#include "result/json/json.h"
#include "workflow/commands/commands.h"

struct request {
	struct kb_workflow_request w;
	struct kb_commands_request c;
	struct kb_words names, prepare, scan, lists;
	const char *output, *json_file, *csv_file, *markdown_file;
	int unit, style;
	bool show_output, gate, json, verbose;
};

enum { STYLE_NONE = 5 };

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)
#define COUNT_MOST 10000000

static const struct kb_option options[] = {
	{ 'w', "warmup", "N", "blocks that are run first and not counted", "1", INTO(NUMBER, c.warmup, .most = COUNT_MOST) },
	{ 'r', "runs", "N", "exactly so many runs of each command", NULL, INTO(NUMBER, c.runs, .least = 1, .most = COUNT_MOST) },
	{ 'm', "min-runs", "N", "at least so many; a decision needs 12", "12", INTO(NUMBER, c.min_runs, .least = 1, .most = COUNT_MOST) },
	{ 'M', "max-runs", "N", "at most so many", NULL, INTO(NUMBER, c.max_runs, .least = 1, .most = COUNT_MOST) },
	{ 'p', "prepare", "CMD", "run before each run; once, or once for each command", NULL, INTO(WORDS, prepare) },
	{ 'c', "cleanup", "CMD", "run after all runs, for each command", NULL, INTO(WORD, c.cleanup) },
	{ 's', "setup", "CMD", "run for each command, before the first run of any", NULL, INTO(WORD, c.setup) },
	{ 0, "reference", "CMD", "a command more, with which the others are compared", "the first one", INTO(WORD, c.reference) },
	{ 'n', "command-name", "NAME", "name of a command; may be repeated", "its text", INTO(WORDS, names) },
	{ 'P', "parameter-scan", "VAR MIN MAX", "all commands with {VAR} from MIN to MAX", NULL, INTO(WORDS, scan, .words = 3) },
	{ 'D', "parameter-step-size", "DELTA", "step of --parameter-scan", "1", INTO(WORD, c.step) },
	{ 'L', "parameter-list", "VAR VALUE,...", "all commands with {VAR} as each value; may be repeated", NULL, INTO(WORDS, lists, .words = 2) },
	{ 'S', "shell", "SHELL", "words of the shell, 'default' or 'none'", "sh", INTO(WORD, c.shell) },
	{ 'N', "no-shell", NULL, "as --shell none", NULL, INTO(FLAG, c.no_shell) },
	{ 'i', "ignore-failure", NULL, "measure commands that end with another exit code than 0", NULL, INTO(FLAG, c.ignore_failure) },
	{ 0, "input", "FILE", "standard input of each run", "/dev/null", INTO(WORD, c.input_file) },
	{ 0, "output", "WHERE", "null, pipe, inherit, or a file", "null", INTO(WORD, output) },
	{ 0, "show-output", NULL, "as --output inherit", NULL, INTO(FLAG, show_output) },
	{ 'u', "time-unit", "millisecond|second|microsecond|ms|s|us", "of all times", "the one that fits", INTO(CHOICE, unit) },
	{ 0, "style", "auto|basic|full|nocolor|color|none", "none: print no table", "auto", INTO(CHOICE, style) },
	{ 0, "export-json", "FILE", "times of all runs, as hyperfine writes them", NULL, INTO(WORD, json_file) },
	{ 0, "export-csv", "FILE", "means, as hyperfine writes them", NULL, INTO(WORD, csv_file) },
	{ 0, "export-markdown", "FILE", "a table, as hyperfine writes it", NULL, INTO(WORD, markdown_file) },
	{ 0, "budget", "TIME", "stop after this time", "10s for each command, and no sooner than --min-runs",
	  INTO(TIME, w.run.budget_ns, .least = 10 * KB_MS) },
	{ 0, "precision", "PERCENT", "stop when every CI is this narrow, every comparison decided", "1%", INTO(PERCENT, w.run.precision) },
	{ 0, "margin", "PERCENT", "smaller differences do not matter", "1%", INTO(MARGIN, c.margin) },
	{ 0, "gate", NULL, "exit with 1 if a command is slower than the first, with 4 if that is not settled", NULL, INTO(FLAG, gate) },
	{ 0, "timeout", "TIME", "time limit of one run", "none", INTO(TIME, w.run.timeout_ns, .least = 10 * KB_MS) },
	{ 0, "cpus", "LIST", "CPUs of the commands; on a single one contention is seen", "all that may be used", INTO(WORD, w.cpus) },
	{ 0, "clock", "auto|ns", "the CPU's time stamps, or clock_gettime; on several CPUs always ns", "auto",
	  INTO(READ, w.run.clock, .read = kb_read_clock_name) },
	{ 0, "seed", "N", "order of the commands in each block", "a random one, printed", INTO(NUMBER, w.run.seed, .most = KB_JSON_WHOLE_MAX - 1) },
	{ 0, "store", "FILE", "where the run is kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, w.store) },
	{ 0, "no-store", NULL, "keep nothing", NULL, INTO(FLAG, w.no_store) },
	{ 0, "label", "TEXT", "a name for the run", NULL, INTO(LABEL, w.label) },
	{ 0, "json", NULL, "print kbench-result/2 with the comparisons instead of the table", NULL, INTO(FLAG, json) },
	{ 'v', "verbose", NULL, "print all that is known of each command", NULL, INTO(FLAG, verbose) },
	{ 0 }
};

/* ---- the command line -------------------------------------------------------------------------------------- */

static void read_shell(struct kb_commands_request *request)
{
	request->no_shell |= request->shell && !strcmp(request->shell, "none");
	if (request->shell && (!strcmp(request->shell, "none") || !strcmp(request->shell, "default")))
		request->shell = NULL;
}

static void read_output(const struct kb_command *command, struct request *request)
{
	static const char *const names[] = { [KB_COMMANDS_NULL] = "null", [KB_COMMANDS_PIPE] = "pipe", [KB_COMMANDS_INHERIT] = "inherit" };
	struct kb_commands_request *c = &request->c;

	if (request->output && request->show_output)
		kb_usage(command, "--output and --show-output exclude each other");
	c->output = request->show_output ? KB_COMMANDS_INHERIT : request->output ? KB_COMMANDS_FILE : KB_COMMANDS_NULL;
	for (int i = KB_COMMANDS_NULL; request->output && i < KB_COMMANDS_FILE; i++)
		c->output = !strcmp(request->output, names[i]) ? (enum kb_commands_output)i : c->output;
	c->output_file = request->output;
}

/* What makes sense only together. */
static void check(const struct kb_command *command, const struct request *request)
{
	const struct kb_commands_request *c = &request->c;

	if (request->w.no_store && request->w.store)
		kb_usage(command, "--store and --no-store exclude each other");
	if (c->max_runs && c->min_runs > c->max_runs)
		kb_usage(command, "--min-runs %llu exceeds --max-runs %llu", (unsigned long long)c->min_runs, (unsigned long long)c->max_runs);
	if (c->no_shell && c->shell)
		kb_usage(command, "--no-shell and --shell exclude each other");
}

/* "-la" is no option of ours whatever is behind its first letter. */
static bool is_foreign(const char *word)
{
	if (word[0] != '-' || !word[1] || word[1] == '-' || word[1] == 'h')
		return false;
	for (const struct kb_option *option = options; option->name; option++) {
		if (option->letter == word[1])
			return false;
	}
	return true;
}

/* The words up to the first "--". Those behind it are commands, and none of getopt's business. */
static int count_words(const struct kb_command *command, int argc, char **argv)
{
	int count = 1, text = 0;

	for (; count < argc && strcmp(argv[count], "--"); count++) {
		if (text > 0 && is_foreign(argv[count]))
			kb_usage(command, "unknown option '%s' behind '%s': if it is the command's, quote both as one word, or put '--' before them", argv[count],
				 argv[text]);
		text = argv[count][0] != '-' ? count : text;
	}
	if (count + 1 == argc)
		kb_usage(command, "'--' without a command behind it");
	return count;
}

#define NO_LIMIT (7 * 24 * 3600 * KB_S)
#define FEWEST_RUNS 12

static void read_request(const struct kb_command *command, struct request *request, int argc, char **argv)
{
	struct kb_commands_request *c = &request->c;
	int count = count_words(command, argc, argv);

	*request = (struct request){ .w = kb_workflow_defaults(), .c = { .warmup = 1, .margin = 0.01 }, .unit = -1 };
	request->w.run.timeout_ns = NO_LIMIT;
	kb_read_options(command, count, argv, request);
	read_shell(c);
	check(command, request);
	if (c->min_runs == 0)
		c->min_runs = c->max_runs && c->max_runs < FEWEST_RUNS ? c->max_runs : FEWEST_RUNS;
	read_output(command, request);
	c->w = &request->w;
	c->texts = (const char *const *)argv + optind;
	c->text_count = (size_t)(count - optind);
	c->vectors = argv + count + 1;
	c->vector_words = count < argc ? (size_t)(argc - count - 1) : 0;
	c->names = request->names.at;
	c->name_count = request->names.count;
	c->prepare = request->prepare.at;
	c->prepare_count = request->prepare.count;
	c->scan = request->scan.count > 0 ? request->scan.at + request->scan.count - 3 : NULL;
	c->lists = request->lists.at;
	c->list_count = request->lists.count / 2;
	kb_begin_request(command, &request->w, argc, argv);
}

static const char *unit_of(const struct request *request)
{
	static const char *const units[] = { "ms", "s", "us", "ms", "s", "us" };

	return request->unit < 0 ? NULL : units[request->unit];
}

/* ---- output ------------------------------------------------------------------------------------------------ */

static void export(const struct kb_command *command, const struct request *request, const struct kb_commands *job)
{
	struct kb_output output;

	if (request->json_file) {
		if (kb_hyperfine_json(kb_output_begin(command, &output), job))
			kb_no_memory(command);
		kb_output_put(command, request->json_file, &output);
	}
	if (request->csv_file) {
		kb_hyperfine_csv(kb_output_begin(command, &output), job);
		kb_output_put(command, request->csv_file, &output);
	}
	if (request->markdown_file) {
		kb_hyperfine_markdown(kb_output_begin(command, &output), job, unit_of(request));
		kb_output_put(command, request->markdown_file, &output);
	}
}

static void print(const struct request *request, const struct kb_commands *job)
{
	const struct kb_workflow *w = &job->w;
	struct kb_style style = kb_style_here(request->verbose);

	kb_print_heading(w->started, w->env);
	kb_commands_print(stdout, job, unit_of(request), &style);
	printf("%llu blocks of %zu command%s in random order in %.1f s, seed %llu", (unsigned long long)job->blocks, job->count,
	       job->count == 1 ? "" : "s", (double)w->outcome.elapsed_ns / 1e9, (unsigned long long)w->run.seed);
	if (w->outcome.interrupted)
		printf(", stopped by signal %d (%s)\n", w->outcome.signal, strsignal(w->outcome.signal));
	else
		putchar('\n');
	if (kb_workflow_kept(w))
		printf("run %s in %s\n", w->id, w->watch.place);
	else
		printf("not saved%s\n", w->watch.lost ? "" : " (--no-store)");
}

static int cmd_main(const struct kb_command *command, int argc, char **argv)
{
	static struct kb_commands job;
	struct request request;
	struct kb_failure failure;
	int code;

	read_request(command, &request, argc, argv);
	kb_output_check(command, request.json_file);
	kb_output_check(command, request.csv_file);
	kb_output_check(command, request.markdown_file);
	kb_die_if(command, kb_commands_measure(&request.c, &job, &failure), &failure);
	if (job.failed[0])
		kb_complain(command, "%s%s", job.failed, job.failed_error[0] ? "; its standard error ends with" : "");
	if (job.failed_error[0])
		fprintf(stderr, "%s\n", job.failed_error);
	if (request.json)
		kb_print_json(kb_commands_to_json(&job));
	else if (request.style != STYLE_NONE && (job.blocks > 0 || !job.failed[0]))
		print(&request, &job);
	export(command, &request, &job);
	code = kb_worse_exit(kb_commands_code(&job), kb_gate_exit(job.comparisons + 1, job.count - 1, request.gate));
	code = kb_workflow_code(&job.w, code);
	kb_commands_release(&job);
	return code;
}

const struct kb_command kb_command_cmd = {
	.name = "cmd",
	.arguments = "COMMAND... | -- WORDS [-- WORDS]...",
	.summary = "Measure whole commands in turn and compare them",
	.text = "COMMAND is a text for the shell, WORDS are a command and its arguments without one. All commands are run once in\n"
		"each block, in a new random order, until every CI is narrow and every comparison with the first decided. The\n"
		"start-up of the shell is measured in turn with them, and subtracted. A command that ends with another exit code\n"
		"than 0, or leaves processes behind, ends the run. Options are hyperfine's where they mean the same: doc/cmd.md.\n",
	.options = options,
	.examples = "  kbench cmd 'sleep 0.1' 'sleep 0.2'\n"
		    "  kbench cmd -- gzip -1 -c file -- gzip -9 -c file\n"
		    "  kbench cmd -P n 0.1 0.3 -D 0.1 'sleep {n}' --budget 1m --export-json times.json\n",
	.exits = "  0 done; 1 a command is slower than the first, with --gate; 2 usage, nothing saved, unwritable output;\n"
		 "  4 a comparison is not settled, with --gate; 5 a command failed; 128+n stopped by signal n, after saving.\n"
		 "  Precedence: 2, 128+n, 5, 1, 4.\n",
	.main = cmd_main,
};
