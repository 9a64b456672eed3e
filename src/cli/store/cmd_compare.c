/* kbench compare: two runs of the store, result by result (workflow/runs/compare.h). */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/text.h"
#include "cli/files.h"
#include "cli/store/compare_fleets.h"
#include "cli/store/saved.h"
#include "report/export/junit.h"
#include "report/text/comparison.h"
#include "result/json/json.h"
#include "workflow/runs/alike.h"
#include "workflow/runs/compare.h"
#include "workflow/runs/mix.h"

struct asked {
	struct kb_compare_request request;
	const char *path;               /* of the store */
	const char *junit;              /* file for a build server */
	const char *weights;            /* of a mix */
	bool fleet, gate, json, verbose;
};

#define INTO(kind, ...) KB_OPTION(kind, struct asked, __VA_ARGS__)

enum { MARGIN };

static const struct kb_option options[] = {
	[MARGIN] = { 0, "margin", "PERCENT", "smaller differences do not matter", "1%; of exact counts of instructions 0%", INTO(MARGIN, request.margin) },
	{ 0, "fleet", NULL, "BASE and NEW are fleets, compared node by node", NULL, INTO(FLAG, fleet) },
	{ 0, "gate", NULL, "exit with 1 if a result is slower, with 4 if one is not settled", NULL, INTO(FLAG, gate) },
	{ 0, "any-env", NULL, "compare results of different machines or clocks, too; decides nothing of them", NULL, INTO(FLAG, request.any_env) },
	{ 0, "any-config", NULL, "also results of kernels that are configured differently", NULL, INTO(FLAG, request.any_config) },
	{ 0, "weights", "PATTERN=N,...|@FILE", "also what a mix takes that does each of these so often: 'sys.null=1000,ipc=20'", NULL,
	  INTO(WORD, weights) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, path) },
	{ 0, "json", NULL, "print kbench-compare/2; of fleets kbench-fleet-compare/1", NULL, INTO(FLAG, json) },
	{ 0, "junit", "FILE", "also write JUnit's XML there, a regression as a failure; -: instead of the table", NULL, INTO(WORD, junit) },
	{ 'v', "verbose", NULL, "print p values, occasions, notes, and all results that only one run has", NULL, INTO(FLAG, verbose) },
	{ 0 }
};

/* ---- which runs ------------------------------------------------------------------------------------------ */

/* Words at the front that are runs, at most two. Of one it is the base, and of none the newest run is compared with the one before it. */
static void take_runs(const struct kb_command *command, struct kb_store *store, int words, char **argv, struct kb_compare_request *request)
{
	char id[37], last[37];
	int runs = 0, result = 0;

	while (runs < 2 && runs < words && (result = kb_store_find_run(store, argv[runs], id)) == 0)
		request->runs[runs] = argv[runs], runs++;
	/* "last~3" and ids can be no results; their own message is the better one. */
	if (result && (result != -ENOENT || strncmp(argv[runs], "last", 4) == 0))
		kb_saved_check(command, store, result);
	request->patterns = (const char *const *)argv + runs;
	request->pattern_count = (size_t)(words - runs);
	if (runs == 2)
		return;
	request->runs[1] = "last";
	if (runs == 0)
		return;
	kb_saved_check(command, store, kb_store_find_run(store, "last", last));
	if (strcmp(id, last) == 0)
		kb_usage(command, "'%.64s' is the newest run: name another one to compare it with", argv[0]);
}

/* "12 results (sys.null, sys.stat, sys.read ...)": three tell what kind of run it was. */
static void put_contents(const struct kb_compared_side *side, char *text, size_t room)
{
	struct kb_text out = kb_text_in(text, room);
	char count[32];

	snprintf(count, sizeof count, "%zu result%s", side->count, side->count == 1 ? "" : "s");
	kb_text_str(&out, count);
	for (size_t i = 0; i < side->count && i < 3; i++) {
		kb_text_str(&out, i == 0 ? " (" : ", ");
		kb_text_str(&out, side->items[i].row.row);
	}
	kb_text_str(&out, side->count > 3 ? " ...)" : side->count > 0 ? ")" : "");
}

/* A comparison of nothing tells nothing, and a gate without a result must not pass. */
static _Noreturn void refuse_nothing(const struct kb_command *command, const struct kb_compared *compared)
{
	char has[2][1500];

	for (unsigned i = 0; i < 2; i++)
		put_contents(&compared->side[i], has[i], sizeof has[i]);
	kb_die(command, KB_EXIT_USAGE, "nothing to compare: run %s has %s, run %s has %s%s", compared->side[0].saved.id, has[0],
	       compared->side[1].saved.id, has[1], compared->side[0].count && compared->side[1].count ? ", none of both" : "");
}

/* ---- output ---------------------------------------------------------------------------------------------- */

/* Of many, as where one run was of a whole suite, a few: they must not bury what was compared. */
static void print_alone(const struct kb_compared_side *side, const char *what, bool verbose)
{
	size_t most = verbose ? SIZE_MAX : 5, count = 0;

	for (size_t i = 0; i < side->count; i++) {
		if (!side->items[i].taken && count++ < most)
			printf("only in %s: %s\n", what, side->items[i].row.row);
	}
	if (count > most)
		printf("only in %s: %zu more (--verbose names them)\n", what, count - most);
}

static void print_side(const struct kb_compared_side *side, const char *what)
{
	const char *label = kb_json_string_of(side->saved.run, "label");

	printf("%-5s run %s, %.19s%s%s\n", what, side->saved.id, kb_json_string_of(side->saved.run, "started"), label[0] ? ", " : "",
	       label);
}

static bool all_exact(const struct kb_compared *compared)
{
	bool exact = compared->count > 0;

	for (size_t i = 0; i < compared->count; i++)
		exact = exact && compared->rows[i].exact;
	return exact;
}

static void print(const struct kb_compared *compared, double exact_margin, const struct kb_mix_cost *mix, bool verbose)
{
	struct kb_style style = kb_style_here(verbose);

	print_side(&compared->side[0], "base");
	print_side(&compared->side[1], "new");
	/* The same machine may have run several kernels, which may be what is compared. */
	if (compared->kernels[0][0])
		printf("kernels differ: %.60s and %.60s\n", compared->kernels[0], compared->kernels[1]);
	printf("environment ID %s%s, margin %.4g %%, %s\n\n", compared->environment, compared->several ? " and others" : "",
	       100 * (all_exact(compared) ? exact_margin : compared->margin), compared->paired ? "interleaved" : all_exact(compared) ?
	       "counts that do not vary" : "not interleaved: the CIs hold what differs between occasions");
	kb_comparison_print(stdout, compared->rows, compared->count, &style);
	print_alone(&compared->side[0], "base", verbose);
	print_alone(&compared->side[1], "new", verbose);
	kb_comparison_count(stdout, compared->rows, compared->count);
	if (mix->count > 0)
		kb_mix_print(stdout, mix, &style);
}

static json_t *to_json(const struct kb_compared *compared, const struct kb_mix_cost *mix, int code)
{
	json_t *document = kb_compared_to_json(compared, code);

	if (mix->count > 0)
		json_object_set_new(document, "mix", kb_mix_to_json(mix));
	return document;
}

static const char *title_of(const struct kb_compared_side *side)
{
	const char *label = kb_json_string_of(side->saved.run, "label");

	return label[0] ? label : side->saved.id;
}

static void write_junit(const struct kb_command *command, const char *path, const struct kb_compared *compared)
{
	const struct kb_compared_side *base = &compared->side[0], *new = &compared->side[1];
	struct kb_output output;

	kb_export_junit_comparisons(kb_output_begin(command, &output), &(struct kb_junit_comparisons){
		.base = title_of(base), .new = title_of(new), .started = kb_json_string_of(new->saved.run, "started"), .rows = compared->rows,
		.count = compared->count,
	});
	kb_output_put(command, path, &output);
}

static int compare_fleets(const struct kb_command *command, struct kb_store *store, int words, char **argv, const struct asked *asked)
{
	const struct kb_compare_request *request = &asked->request;
	int code;

	if (asked->weights)
		kb_usage(command, "--weights is of runs: leave it out with --fleet");
	if (request->any_config)
		kb_usage(command, "--any-config is of runs: --fleet has --any-env alone");
	code = kb_compare_fleets(command, store, words, argv, &(struct kb_fleets_request){
		.wanted = { .margin = request->margin, .any_env = request->any_env }, .junit = asked->junit, .gate = asked->gate, .json = asked->json,
		.verbose = asked->verbose,
	});
	kb_store_close(store);
	return code;
}

static int compare_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked = { .request.margin = 0.01 };
	bool junit_only;
	struct kb_compared compared;
	struct kb_mix_cost mix = { .count = 0 };
	struct kb_failure failure;
	struct kb_store *store;
	int code;

	asked.request.exact_margin = kb_read_options(command, argc, argv, &asked) >> MARGIN & 1 ? asked.request.margin : 0;
	junit_only = asked.junit && strcmp(asked.junit, "-") == 0;
	if (junit_only && asked.json)
		kb_usage(command, "--json and --junit - both go to standard output: give --junit a file");
	store = kb_saved_open(command, asked.path, KB_STORE_READ);
	if (asked.fleet)
		return compare_fleets(command, store, argc - optind, argv + optind, &asked);
	take_runs(command, store, argc - optind, argv + optind, &asked.request);
	kb_die_if(command, kb_compare_runs(store, &asked.request, &compared, &failure), &failure);
	if (compared.count == 0)
		refuse_nothing(command, &compared);
	if (asked.weights)
		kb_die_if(command, kb_mix_of_comparisons(asked.weights, compared.rows, compared.count, &mix, &failure), &failure);
	code = kb_gate_exit(compared.rows, compared.count, asked.gate);
	if (asked.junit)
		write_junit(command, asked.junit, &compared);
	if (asked.json)
		kb_print_json(to_json(&compared, &mix, code));
	else if (!junit_only)
		print(&compared, asked.request.exact_margin, &mix, asked.verbose);
	kb_mix_release(&mix);
	kb_compared_release(&compared);
	kb_store_close(store);
	return code;
}

const struct kb_command kb_command_compare = {
	.name = "compare",
	.arguments = "[BASE [NEW]] [PATTERN...]",
	.summary = "Compare two stored runs: faster, slower, equivalent or inconclusive",
	.text = "BASE and NEW are runs as for 'kbench show'. Without NEW it is the last run; without both, the last run is compared\n"
		"with the newest one before it on the same machine and CPU that shares a result with it, and side B of 'kbench ab' with\n"
		"its side A.\n"
		"The ratio is NEW over BASE: above 1 NEW is slower.\n"
		"Runs of two days differ for many reasons: what the store knows of that is added to the CI, or what is usual.\n"
		"'kbench ab' measures both sides in turn and needs none of it.\n"
		"With --fleet BASE and NEW are fleets, named as runs are. Each node that is in both is compared with itself, and how far\n"
		"nodes differ in that is in the CI; with fewer than three such nodes fleet is compared with fleet. Without BASE it is\n"
		"the newest one before NEW that has a result on a node in common: doc/fleet-report.md.\n",
	.options = options,
	.examples = "  kbench compare\n"
		    "  kbench compare last~1 last\n"
		    "  kbench compare before after 'sys.*' --margin 2% --gate\n"
		    "  kbench compare before after --weights 'sys.null=1000,ipc.pipe_latency=20,fault=3'\n"
		    "  kbench compare --fleet last~1 last 'sys.*' --gate\n"
		    "  kbench compare before --json | jq '.rows[] | {row, ratio, decision}'\n",
	.exits = "  0 done; 1 a result is slower, with --gate; 2 usage, unknown run, unreadable store, no result in common;\n"
		 "  4 a result is not settled, with --gate; 5 a side is invalid.\n"
		 "  Precedence: 2, 5, 1, 4. Slower: after Holm over all results, from 3 processes on.\n",
	.main = compare_main,
};
