/*
 * kbench compare: two runs of the store, row by row. It reads the results only, which hold a cost for each process, so
 * a thousand rows take no time, unless their headlines differ in kind. Two sides of one `kbench ab` are compared pair by pair, all
 * others as strangers.
 */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/occasions.h"
#include "cli/store/alike.h"
#include "cli/store/saved.h"
#include "import/reader.h"
#include "report/text/comparison.h"
#include "result/json/environment.h"
#include "result/json/json.h"
#include "suite/select.h"
#include "workflow/exit.h"
#include "workflow/records.h"

/* A result that is wanted. */
struct item {
	struct kb_stored_result row;
	struct kb_result *result;
	bool taken;                     /* it has its partner */
};

/* One run of the two. */
struct side {
	struct kb_saved saved;
	struct item *items;
	size_t count;
};

/* Results that are compared. */
struct pair {
	struct item *a, *b;
	bool mixed;                     /* their headlines are of two kinds */
	bool made;                      /* both observed costs were made again from the records */
	char unlike[KB_ALIKE_ROOM];  /* why they are no measures of one thing; "": they are */
};

struct job {
	const struct kb_command *command;
	struct kb_store *store;
	char **patterns;
	size_t pattern_count;
	bool *matched;                  /* by pattern */
	const char *path;               /* of the store */
	double margin;                  /* a fraction */
	bool gate, any_env, any_config, json, verbose;
	struct side side[2];
	struct pair *pairs;
	struct kb_comparison *rows;
	size_t count;                   /* of pairs */
	struct kb_occasion_line *lines; /* of each pair */
	bool paired, several;           /* several: environment IDs of the new side */
};

#define INTO(kind, ...) KB_OPTION(kind, struct job, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "margin", "PERCENT", "smaller differences do not matter", "1%", INTO(MARGIN, margin) },
	{ 0, "gate", NULL, "exit with 1 if a result is slower, with 4 if one is not settled", NULL, INTO(FLAG, gate) },
	{ 0, "any-env", NULL, "compare results of different machines or clocks, too; decides nothing of them", NULL, INTO(FLAG, any_env) },
	{ 0, "any-config", NULL, "also results of kernels that are configured differently", NULL, INTO(FLAG, any_config) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, path) },
	{ 0, "json", NULL, "print kbench-compare/2", NULL, INTO(FLAG, json) },
	{ 'v', "verbose", NULL, "print p values, occasions, and notes", NULL, INTO(FLAG, verbose) },
	{ 0 }
};

/* ---- reading --------------------------------------------------------------------------------------------- */

static bool wanted(struct job *job, const struct kb_stored_result *row)
{
	bool any = job->pattern_count == 0;

	for (size_t i = 0; i < job->pattern_count; i++) {
		if (kb_pattern_match(job->patterns[i], row->benchmark) || kb_pattern_match(job->patterns[i], row->row))
			any = job->matched[i] = true;
	}
	return any;
}

static void take_row(const struct job *job, struct side *side, const struct kb_stored_result *row)
{
	struct kb_result *result = kb_saved_result(job->command, job->store, row, NULL);

	/* Results of versions without costs of processes can be made again from their records. Those of an emulator never have costs. */
	if (result->processes > 0 && result->process_cost_count == 0 && !kb_verdict_has(&result->verdict, KB_CODE_emulated_clock)) {
		kb_die(job->command, KB_EXIT_USAGE, "the result of '%s' is of an older version; 'kbench analyze --rebuild "
		       "%s' makes it again from its records", row->row, side->saved.id);
	}
	side->items = kb_need_memory(job->command, kb_import_grown(side->items, side->count, sizeof *side->items));
	side->items[side->count++] = (struct item){ *row, result, false };
}

static void take_side(struct job *job, struct side *side, const char *name)
{
	struct kb_stored_result row;
	struct kb_query *query;
	char id[37];

	kb_saved_check(job->command, job->store, kb_store_find_run(job->store, name, id));
	kb_saved_load(job->command, job->store, id, &side->saved);
	kb_saved_check(job->command, job->store, kb_store_results(job->store, id, &query));
	while (kb_saved_next(job->command, job->store, query, &row)) {
		if (wanted(job, &row))
			take_row(job, side, &row);
	}
}

/* ---- the two runs ---------------------------------------------------------------------------------------- */

static void meet(struct job *job)
{
	const struct side *a = &job->side[0], *b = &job->side[1];

	job->paired = kb_alike_batch(&a->saved, &b->saved);
	for (size_t i = 0; i < job->pattern_count; i++) {
		if (!job->matched[i])
			kb_die(job->command, KB_EXIT_USAGE, "no result of runs %s and %s is called '%.64s'", a->saved.id,
			       b->saved.id, job->patterns[i]);
	}
}

/* Two plug-ins of one comparison have two names. */
static bool same_row(const struct job *job, const char *a, const char *b)
{
	static const char prefix[] = "plugin.";
	bool plugins = job->paired && strncmp(a, prefix, sizeof prefix - 1) == 0 && strncmp(b, prefix, sizeof prefix - 1) == 0;

	return strcmp(a, b) == 0 || (plugins && strcmp(a + strcspn(a, " "), b + strcspn(b, " ")) == 0);
}

/* Rows of both runs stand in about the same order, so the search starts where the last one ended. */
static struct item *partner(const struct job *job, const struct item *a, size_t *next)
{
	const struct side *b = &job->side[1];

	for (size_t k = 0; k < b->count; k++) {
		size_t at = (*next + k) % b->count;

		if (!b->items[at].taken && same_row(job, a->row.row, b->items[at].row.row)) {
			*next = at + 1;
			return &b->items[at];
		}
	}
	return NULL;
}

static void find_pairs(struct job *job)
{
	struct side *side = &job->side[0];
	size_t next = 0;

	job->pairs = kb_need_memory(job->command, calloc(side->count + 1, sizeof *job->pairs));
	for (size_t i = 0; i < side->count; i++) {
		struct item *a = &side->items[i], *b = partner(job, a, &next);

		if (!b)
			continue;
		a->taken = b->taken = true;
		/* Results without a cost are compared as they are. */
		job->pairs[job->count++] = (struct pair){
			.a = a, .b = b, .mixed = a->result->process_cost_count > 0 && b->result->process_cost_count > 0 &&
						 a->result->headline != b->result->headline,
		};
	}
}

/* Kernels are compared to learn what a change of their code costs; a change of their options is another question. */
static void check_config(const struct job *job, const struct pair *pair)
{
	const char *a = pair->a->result->environment.config, *b = pair->b->result->environment.config;

	if (!job->any_config && !pair->unlike[0] && a[0] && b[0] && strcmp(a, b))
		kb_die(job->command, KB_EXIT_USAGE, "the kernels are configured differently (%.16s and %.16s, see 'kbench show --json'); "
		       "--any-config compares what that costs", a, b);
}

/* Result by result: those of one run may be of several machines, emulated ones among them. What never ran may not say on what it would have. */
static void check_environments(struct job *job)
{
	for (size_t i = 0; i < job->count; i++) {
		struct pair *pair = &job->pairs[i];
		const struct kb_result *a = pair->a->result, *b = pair->b->result;

		if (a->environment.id[0] && b->environment.id[0])
			kb_alike_differ(&job->side[0].saved, &a->environment, &job->side[1].saved, &b->environment, pair->unlike);
		if (pair->unlike[0] && !job->any_env)
			kb_die(job->command, KB_EXIT_USAGE, "%.64s: %s differ, so the numbers measure different things; --any-env prints them side by "
			       "side", pair->b->row.row, pair->unlike);
		check_config(job, pair);
		job->several |= strcmp(b->environment.id, job->pairs[0].b->result->environment.id) != 0;
	}
}

static void make_observed(const struct job *job, struct pair *pair)
{
	pair->made = true;
	for (unsigned side = 0; side < 2; side++) {
		struct item *item = side == 0 ? pair->a : pair->b;
		int error = kb_records_observed(job->store, job->side[side].saved.id, item->result);

		kb_saved_check(job->command, job->store, error == -ENOENT ? 0 : error);
		kb_stored_result_of(&item->row, item->result);
		pair->made = pair->made && error == 0;
	}
}

/* Whatever was measured on one occasion has none between its sides. */
static void meet_occasions(struct job *job)
{
	if (!(job->lines = calloc(job->count + 1, sizeof *job->lines)))
		kb_no_memory(job->command);
	for (size_t i = 0; i < job->count; i++)
		job->lines[i] = (struct kb_occasion_line){
			.like = &job->pairs[i].b->row, .ratios = kb_compared_by_ratio(job->pairs[i].a->result, job->pairs[i].b->result),
		};
	if (!job->paired)
		kb_saved_check(job->command, job->store, kb_occasions_load(job->store, kb_alike_env(&job->side[1].saved),
			       kb_alike_cpu(json_object_get(job->side[1].saved.run, "settings")), job->lines, job->count));
}

static void compare_pair(const struct job *job, const struct pair *pair, struct kb_comparison *row)
{
	struct kb_compare_rules rules = {
		.margin = kb_margin_ln(job->margin), .unlike = pair->unlike[0] ? pair->unlike : NULL, .paired = job->paired,
	};

	/* Without records there is nothing that both can be asked for. */
	if (pair->mixed && !pair->made && !rules.unlike)
		rules.unlike = "headlines of two kinds, and no records";
	if (!job->paired)
		rules.occasion = kb_occasion_of(&job->lines[pair - job->pairs]);
	kb_compare_results(pair->a->result, pair->b->result, &rules, row);
	if (pair->made)
		row->compared = "observed";
}

static void compare_rows(struct job *job)
{
	find_pairs(job);
	check_environments(job);
	for (size_t i = 0; i < job->count; i++) {
		if (job->pairs[i].mixed)
			make_observed(job, &job->pairs[i]);
	}
	meet_occasions(job);
	job->rows = kb_need_memory(job->command, calloc(job->count + 1, sizeof *job->rows));
	for (size_t i = 0; i < job->count; i++)
		compare_pair(job, &job->pairs[i], &job->rows[i]);
	if (kb_compare_family(job->rows, job->count))
		kb_no_memory(job->command);
}

/* ---- output ---------------------------------------------------------------------------------------------- */

static void print_alone(const struct job *job, unsigned side, const char *what)
{
	for (size_t i = 0; i < job->side[side].count; i++) {
		if (!job->side[side].items[i].taken)
			printf("only in %s: %s\n", what, job->side[side].items[i].row.row);
	}
}

static void print_side(const struct side *side, const char *what)
{
	const char *label = kb_alike_text(side->saved.run, "label");

	printf("%-5s run %s, %.19s%s%s\n", what, side->saved.id, kb_alike_text(side->saved.run, "started"), label[0] ? ", " : "",
	       label);
}

/* The same machine may have run several kernels, which may be what is compared. */
static void print_kernels(const struct job *job)
{
	for (size_t i = 0; i < job->count; i++) {
		const struct pair *pair = &job->pairs[i];
		const char *a = pair->a->result->environment.kernel, *b = pair->b->result->environment.kernel;

		if (!pair->unlike[0] && a[0] && b[0] && strcmp(a, b) != 0) {
			printf("kernels differ: %.60s and %.60s\n", a, b);
			return;
		}
	}
}

static void print(const struct job *job)
{
	struct kb_style style = kb_style_here(job->verbose);

	print_side(&job->side[0], "base");
	print_side(&job->side[1], "new");
	print_kernels(job);
	printf("environment ID %s%s, margin %.4g %%, %s\n\n", job->count > 0 ? job->pairs[0].b->row.environment : kb_alike_env(&job->side[1].saved),
	       job->several ? " and others" : "", 100 * job->margin,
	       job->paired ? "interleaved" : "not interleaved: the CIs hold what differs between occasions");
	if (job->count > 0)
		kb_comparison_print(stdout, job->rows, job->count, &style);
	print_alone(job, 0, "base");
	print_alone(job, 1, "new");
	kb_comparison_count(stdout, job->rows, job->count);
}

static json_t *alone(const struct side *side)
{
	json_t *array = json_array();

	for (size_t i = 0; i < side->count; i++) {
		if (!side->items[i].taken)
			json_array_append_new(array, kb_json_string(side->items[i].row.row));
	}
	return array;
}

static void release(struct job *job)
{
	for (unsigned side = 0; side < 2; side++) {
		struct side *s = &job->side[side];

		for (size_t i = 0; i < s->count; i++)
			free(s->items[i].result);
		free(s->items);
		kb_saved_release(&s->saved);
	}
	for (size_t i = 0; i < job->count; i++)
		kb_occasion_free(&job->lines[i]);
	free(job->lines);
	free(job->pairs);
	free(job->rows);
	free(job->matched);
	kb_store_close(job->store);
}

static int compare_main(const struct kb_command *command, int argc, char **argv)
{
	struct job job = { .command = command, .margin = 0.01 };

	kb_read_options(command, argc, argv, &job);
	if (argc - optind < 2)
		kb_usage(command, "two runs are needed, such as last~1 last");
	job.patterns = argv + optind + 2;
	job.pattern_count = (size_t)(argc - optind - 2);
	job.matched = kb_need_memory(command, calloc(job.pattern_count + 1, sizeof *job.matched));
	job.store = kb_saved_open(command, job.path, KB_STORE_READ);
	take_side(&job, &job.side[0], argv[optind]);
	take_side(&job, &job.side[1], argv[optind + 1]);
	meet(&job);
	compare_rows(&job);
	/* A gate without a result must not pass. */
	if (job.count == 0 && job.gate)
		kb_die(command, KB_EXIT_USAGE, "runs %s and %s have no result in common: there is nothing for --gate to judge",
		       job.side[0].saved.id, job.side[1].saved.id);

	int code = kb_gate_exit(job.rows, job.count, job.gate);

	if (job.json)
		kb_print_comparisons(json_incref(job.side[0].saved.run), json_incref(job.side[1].saved.run), job.rows, job.count,
				     alone(&job.side[0]), alone(&job.side[1]), code);
	else
		print(&job);
	release(&job);
	return code;
}

const struct kb_command kb_command_compare = {
	.name = "compare",
	.arguments = "BASE NEW [PATTERN...]",
	.summary = "Compare two stored runs: faster, slower, equivalent or inconclusive",
	.text = "BASE and NEW are runs as for 'kbench show'. The ratio is NEW over BASE: above 1 NEW is slower.\n"
		"Runs of two days differ for many reasons: what the store knows of that is added to the CI, or what is usual.\n"
		"'kbench ab' measures both sides in turn and needs none of it.\n",
	.options = options,
	.examples = "  kbench compare last~1 last\n"
		    "  kbench compare before after 'sys.*' --margin 2% --gate\n"
		    "  kbench compare last~1 last --json | jq '.rows[] | {row, ratio, decision}'\n",
	.exits = "  0 done; 1 a result is slower, with --gate; 2 usage, unknown run, unreadable store, no result in common with --gate;\n"
		 "  4 a result is not settled, with --gate; 5 a side is invalid.\n"
		 "  Precedence: 2, 5, 1, 4. Slower: after Holm over all results, from 3 processes on.\n",
	.main = compare_main,
};
