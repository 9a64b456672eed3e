/* kbench history: a benchmark over the stored runs. */
#include "cli/cli.h"

#include <getopt.h>
#include <string.h>

#include "analysis/history.h"
#include "base/nearest.h"
#include "base/text.h"
#include "cli/store/saved.h"
#include "report/fleet/fleet.h"
#include "report/json/history.h"
#include "report/text/columns.h"
#include "report/text/number_format.h"
#include "report/text/plot.h"
#include "result/json/environment.h"
#include "result/json/json.h"

struct request {
	struct kb_history_wanted wanted;
	struct kb_words sets;           /* -p */
	const char *store;
	bool json;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 'p', "param", "NAME=VALUE", "only results with this parameter; may be repeated", NULL, INTO(WORDS, sets) },
	{ 0, "label", "PATTERN", "only runs with such a label, a name or a shell glob", NULL, INTO(WORD, wanted.label) },
	{ 0, "env", "PATTERN", "series of such environment IDs; '*': all", "the newest one's machine", INTO(WORD, wanted.environment) },
	{ 0, "node", "NAME", "only runs of this node of a fleet or of Slurm", NULL, INTO(WORD, wanted.node) },
	{ 0, "fleet", NULL, "a point is a fleet, not a run: the mean over its healthy nodes", NULL, INTO(FLAG, wanted.fleets) },
	{ 0, "limit", "N", "the newest so many runs, or fleets", "200", INTO(NUMBER, wanted.limit, .least = 1, .most = 1000000) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0, "json", NULL, "print kbench-history/2", NULL, INTO(FLAG, json) },
	{ 0 }
};

static void print_point(const struct kb_history *history, size_t i, struct kb_scale scale, bool utf8)
{
	const struct kb_stored_result *point = &history->points[i];
	struct kb_estimate value = kb_history_value(history, point);
	char number[KB_NUMBER_ROOM];
	double step;

	kb_format_estimate(number, &value, scale.factor, utf8);
	if (kb_history_step(history, i, &step))
		printf("  ---- new level: %+.2f %%\n", 100 * (step - 1));
	printf("  %.10s %.8s  %.13s  %*s%s %s/%s  %-10s  %-12s %s\n", point->started,
	       strlen(point->started) > 11 ? point->started + 11 : "", point->run_id,
	       kb_text_width(number) < 18 ? 18 - (int)kb_text_width(number) : 0, "", number, scale.unit, point->per,
	       point->status, kb_history_commit(point), point->label);
}

static struct kb_scale scale_of(const struct kb_history *history)
{
	const struct kb_stored_result *like = &history->like;
	struct kb_result result = {
		.estimate = kb_estimate_of_stored(&like->estimate), .quiet = kb_estimate_of_stored(&(struct kb_stored_estimate){ like->quiet, like->quiet, like->quiet }),
		.ticks_per_ns = strcmp(like->unit, "ns") == 0,
	};

	snprintf(result.clock, sizeof result.clock, "%s", like->clock);
	return history->cycles ? (struct kb_scale){ "cycles", 1 } : kb_scale_of(&result);
}

static void print_environment(const struct kb_command *command, struct kb_store *store, const struct kb_stored_result *newest)
{
	bool more = strchr(newest->environment, '.') != NULL;
	struct kb_result *result = more ? kb_saved_result(command, store, newest, NULL) : NULL;
	char text[KB_ENVIRONMENT_WORDS];

	printf("%s, environment ID %s%s%s\n", newest->row, newest->environment, more ? "\n  " : "",
	       more ? kb_environment_words(text, &result->environment) : "");
	free(result);
}

/* What is not shown, and how much points differ. */
static void print_notes(const struct kb_history *history)
{
	const char *points = history->fleets ? "fleets" : "runs";

	if (history->others > 0)
		printf("  (%zu result%s of other environment IDs or CPUs left out: see --env)\n", history->others, history->others == 1 ? "" : "s");
	if (history->unlike > 0)
		printf("  (%zu run%s of another unit, operation, clock, method, length of samples or kind of headline left out)\n",
		       history->unlike, history->unlike == 1 ? "" : "s");
	if (history->occasion.runs > 0)
		printf("  %s differ by %.2g %% (sd) beyond %s: two are told apart from %.2g %% on\n", points, 100 * history->sd,
		       history->fleets ? "what their nodes show" : "their CIs", 100 * history->detectable);
}

static void print_history(struct kb_history *history)
{
	struct kb_scale scale = scale_of(history);
	const struct kb_style style = kb_style_here(false);

	if (history->fleets)
		kb_fleet_history_print(stdout, history, scale, &style);
	for (size_t i = 0; i < history->point_count && !history->fleets; i++)
		print_point(history, i, scale, style.utf8);
	print_notes(history);
	if (history->count < 2)
		return;
	for (size_t i = 0; i < history->count; i++)
		history->values[i] *= scale.factor;
	fputc('\n', stdout);
	kb_plot_series(stdout, history->values, history->count, history->changes.at, history->changes.count,
		       kb_plot_width(stdout), style.utf8);
}

/* Which of the words that were typed was too much; a mistyped name alone gets the nearest one that the store has. */
static _Noreturn void refuse_nothing(const struct kb_command *command, struct kb_store *store, const struct kb_history_wanted *wanted)
{
	struct kb_nearest nearest = { .typed = wanted->benchmark };
	struct kb_stored_result row;
	struct kb_query *query;
	char best[sizeof row.benchmark];

	const char *what = wanted->fleets ? "no run of a fleet" : "no run";

	if (wanted->parameter_count || wanted->label || wanted->environment || wanted->node)
		kb_die(command, KB_EXIT_USAGE, "%s in %s has a result of '%.64s' with such parameters, labels, nodes and environment IDs", what,
		       kb_store_path(store), wanted->benchmark);
	kb_saved_check(command, store, kb_store_series(store, &query));
	while (kb_saved_next(command, store, query, &row)) {
		kb_nearest_offer(&nearest, row.benchmark);
		/* The next row takes this one's place. */
		if (nearest.best == row.benchmark)
			nearest.best = strcpy(best, row.benchmark);
	}
	if (nearest.best && strcmp(nearest.best, wanted->benchmark) == 0)
		kb_die(command, KB_EXIT_USAGE, "%s in %s has a result of '%.64s' that is of a series: sides of 'kbench ab' are not; see 'kbench compare'", what,
		       kb_store_path(store), wanted->benchmark);
	kb_die(command, KB_EXIT_USAGE, "%s in %s has a result of '%.64s'%s", what, kb_store_path(store), wanted->benchmark,
	       kb_nearest_hint(&nearest, "; 'kbench show' prints what the last run has"));
}

static int history_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .wanted.limit = 200 };
	json_t *documents = json_array();
	struct kb_history *all;
	struct kb_store *store;
	size_t count;

	kb_read_options(command, argc, argv, &request);
	if (optind == argc)
		kb_usage(command, "which benchmark?");
	request.wanted.benchmark = argv[optind++];
	request.wanted.parameters = request.sets.at;
	request.wanted.parameter_count = request.sets.count;
	kb_no_more(command, argc, argv);
	store = kb_saved_open(command, request.store, KB_STORE_READ);
	kb_saved_check(command, store, request.wanted.fleets ? kb_fleet_history_load(store, &request.wanted, &all, &count) :
							       kb_history_find(store, &request.wanted, &all, &count));
	if (count == 0)
		refuse_nothing(command, store, &request.wanted);
	for (size_t i = 0; i < count; i++) {
		if (!request.wanted.fleets)
			kb_saved_check(command, store, kb_history_load(store, &request.wanted, &all[i]));
		if (request.json) {
			json_array_append_new(documents, kb_history_to_json(&all[i]));
		} else {
			printf("%s", i > 0 ? "\n" : "");
			print_environment(command, store, &all[i].newest);
			print_history(&all[i]);
		}
		kb_history_free(&all[i]);
	}
	if (request.json)
		kb_print_json(json_pack("{s:s, s:O}", "schema", "kbench-history/2", "rows", documents));
	json_decref(documents);
	free(all);
	free(request.sets.at);
	kb_store_close(store);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_history = {
	.name = "history",
	.arguments = "BENCH",
	.summary = "Show a benchmark over the stored runs, and where its level changed",
	.text = "BENCH is a benchmark, a domain (sys), a shell glob, or a name as the table prints it ('mem.latency 64M'). Results of one\n"
		"environment ID and CPU are a series, oldest first, if they have its newest unit, operation, clock, method, length\n"
		"of samples and kind of headline; sides of 'kbench ab' are not. Versions of a seL4 kernel that are configured alike\n"
		"are one series.\n"
		"With --fleet a point is what one 'kbench fleet run' measured, as 'kbench fleet report' has it, and levels are of what\n"
		"fleets have in common: a node that comes, goes or is sick is no change. With --node as well: of this node in each.\n",
	.options = options,
	.examples = "  kbench history sys.null\n"
		    "  kbench history mem.latency -p size=16K --limit 30\n"
		    "  kbench history sys.null --label 'nightly*' --json\n"
		    "  kbench history sys.null --fleet\n"
		    "  kbench history sys.null --node n3\n",
	.exits = "  0 done; 2 usage, nothing found, unreadable store, unwritable output\n",
	.main = history_main,
};
