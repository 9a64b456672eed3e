/*
 * kbench history: what the store knows of one benchmark over time. Only results of one environment make a series, and no side of an A/B
 * comparison: another environment would look like another code. Kernels of one configuration are one series: their code is what changes.
 */
#include "cli/cli.h"

#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/print.h"
#include "cli/store/alike.h"
#include "cli/store/occasions.h"
#include "cli/store/saved.h"
#include "cli/values.h"
#include "report/text/columns.h"
#include "report/text/number_format.h"
#include "report/text/plot.h"
#include "result/comparison.h"
#include "result/json/environment.h"
#include "result/json/json.h"
#include "stats/series/changepoint.h"
#include "stats/stats.h"
#include "suite/select.h"

/* Of a change, in ln n: that of runs with a correlation of 1/3. Estimated from a few dozen runs, one large step would be
   taken for correlation and hide itself. Simulated with 12 to 80 runs: false changes in 0 % of independent runs and 4 %
   at a correlation of .6; a step of 10 sd is always found, one of 3 sd in .35, .68, 1 and 1 at 12, 20, 40 and 80. */
#define PENALTY 8.0

struct history {
	const struct kb_command *command;
	struct kb_store *store;
	const char *benchmark, *label, *path;
	const char *environment;        /* --env */
	struct kb_words sets;           /* -p */
	uint64_t limit;
	struct kb_stored_result *rows;  /* the oldest result of each row that is wanted */
	struct series *series;          /* of these */
	size_t row_count, count;
	bool json;
};

#define INTO(kind, ...) KB_OPTION(kind, struct history, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 'p', "param", "NAME=VALUE", "only rows with this parameter; may be repeated", NULL, INTO(WORDS, sets) },
	{ 0, "label", "PATTERN", "only runs with such a label, a name or a shell glob", NULL, INTO(WORD, label) },
	{ 0, "env", "PATTERN", "series of such environment IDs; '*': all", "the newest one's machine", INTO(WORD, environment) },
	{ 0, "limit", "N", "the newest so many runs", "200", INTO(NUMBER, limit, .least = 1, .most = 1000000) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, path) },
	{ 0, "json", NULL, "print kbench-history/2", NULL, INTO(FLAG, json) },
	{ 0 }
};

/* One row over time. */
struct series {
	struct kb_stored_result newest; /* which has the environment ID and CPU of all */
	size_t total, others;           /* results of this environment and CPU, and of those that are not shown */
	bool numbers;                   /* at least one of them has one */
	struct kb_stored_result like;   /* the newest with a number: what has another unit or method is another thing */
	struct kb_stored_result *points;        /* that are shown, oldest first */
	size_t point_count, room;
	size_t unlike;                  /* of another thing than the newest */
	bool cycles;
	size_t *numbered;               /* index of each value's point: points without a number are no part of the series */
	double *values;
	size_t count;
	struct kb_changes changes;
	struct kb_occasion occasion;    /* runs is 0: too few of them tell */
};

/* ---- reading --------------------------------------------------------------------------------------------- */

static bool has_word(const char *row, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = row; (at = strchr(at, ' ')) != NULL;) {
		at++;
		if (strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0'))
			return true;
	}
	return false;
}

static bool wanted(const struct history *history, const struct kb_stored_result *row)
{
	if (!kb_pattern_match(history->benchmark, row->benchmark) && strcmp(history->benchmark, row->row) != 0)
		return false;
	for (size_t i = 0; i < history->sets.count; i++) {
		if (!has_word(row->row, history->sets.at[i]))
			return false;
	}
	return true;
}

static struct kb_query *ask(const struct history *history, const struct kb_stored_result *row, enum kb_store_order order)
{
	struct kb_query *query;

	kb_saved_check(history->command, history->store, kb_store_history(history->store, row->benchmark, row->parameters, NULL, order, &query));
	return query;
}

/* The next one whose run has such a label. */
static bool next(const struct history *history, struct kb_query *query, struct kb_stored_result *row)
{
	while (kb_saved_next(history->command, history->store, query, row)) {
		if (history->label && fnmatch(history->label, row->label, 0) != 0)
			continue;
		if (row->damaged)
			kb_saved_check(history->command, history->store, kb_store_damaged(history->store, row));
		return true;
	}
	return false;
}

/* Of which version, if any, of a kernel of one configuration is no matter. */
static bool of_env(const struct series *series, const struct kb_stored_result *point)
{
	return kb_environment_same(point->environment, series->newest.environment, KB_SAME_CONFIG) && point->cpu == series->newest.cpu;
}

/* Those that are not asked for are left out. What could not be measured may not say on what it would have been, so numbers decide whose are. */
static void choose_series(struct history *history, size_t from)
{
	struct series *series = history->series + from, *end = history->series + history->count, like = *series;
	size_t others = 0;

	for (struct series *at = end; at-- > series;)
		like = at->numbers || !like.numbers ? *at : like;
	for (history->count = from; series < end; series++) {
		const struct kb_stored_result *its = &series->newest;

		if (history->environment ? !fnmatch(history->environment, its->environment, 0) :
		    kb_environment_same(its->environment, like.newest.environment, KB_SAME_MACHINE) && its->cpu == like.newest.cpu)
			history->series[history->count++] = *series;
		else
			others += series->total;
	}
	for (size_t i = from; i < history->count; i++)
		history->series[i].others = others;
}

/* One for each environment and CPU that there are results of, that of the newest first; as far back as one of them goes that is shown. */
static void find_series(struct history *history, const struct kb_stored_result *of)
{
	struct kb_query *query = ask(history, of, KB_NEWEST_FIRST);
	struct kb_stored_result row;
	size_t from = history->count;

	while (next(history, query, &row)) {
		size_t i = from;

		while (i < history->count && !of_env(&history->series[i], &row))
			i++;
		if (i == history->count) {
			history->series = reallocarray(history->series, ++history->count, sizeof *history->series);
			if (!history->series)
				kb_no_memory(history->command);
			history->series[i] = (struct series){ .newest = row };
		}
		history->series[i].numbers |= kb_stored_has_number(&row);
		if (++history->series[i].total == history->limit && !history->environment) {
			kb_store_done(query);
			break;
		}
	}
	choose_series(history, from);
}

static int by_first(const void *one, const void *other)
{
	const struct kb_stored_result *a = one, *b = other;
	int order = strcmp(a->started, b->started);

	order = order ? order : strcmp(a->run_id, b->run_id);
	return order ? order : (a->position > b->position) - (a->position < b->position);
}

/* In the order in which runs first had them. */
static void find_rows(struct history *history)
{
	struct kb_stored_result row;
	struct kb_query *all, *one;

	kb_saved_check(history->command, history->store, kb_store_series(history->store, &all));
	while (kb_saved_next(history->command, history->store, all, &row)) {
		if (!wanted(history, &row) || !next(history, one = ask(history, &row, KB_OLDEST_FIRST), &row))
			continue;
		kb_store_done(one);
		history->rows = reallocarray(history->rows, history->row_count + 1, sizeof row);
		if (!history->rows)
			kb_no_memory(history->command);
		history->rows[history->row_count++] = row;
	}
	qsort(history->rows, history->row_count, sizeof row, by_first);
	for (size_t i = 0; i < history->row_count; i++)
		find_series(history, &history->rows[i]);
}

/* ---- one row --------------------------------------------------------------------------------------------- */

static struct kb_estimate value_of(const struct series *series, const struct kb_stored_result *point)
{
	return kb_estimate_of_stored(series->cycles ? &point->cycles : &point->estimate);
}

/* What version 1 called typical is an observed cost. */
static bool is_uncontended(const struct kb_stored_result *point)
{
	return strcmp(point->headline, kb_headline_name(KB_HEADLINE_UNCONTENDED)) == 0;
}

/* As for `kbench compare`: between others a step would be no change of the code. */
static bool alike(const struct kb_stored_result *a, const struct kb_stored_result *b)
{
	return isnan(a->estimate.value) || (strcmp(a->unit, b->unit) == 0 && strcmp(a->per, b->per) == 0 &&
					    strcmp(a->clock, b->clock) == 0 && strcmp(a->method, b->method) == 0 &&
					    is_uncontended(a) == is_uncontended(b) &&
					    !kb_unlike_samples(a->n_max, a->sample_ns, b->n_max, b->sample_ns));
}

static bool has_number(const struct series *series, const struct kb_stored_result *point)
{
	return value_of(series, point).known && strcmp(point->status, kb_status_name(KB_INVALID)) != 0;
}

static void keep(const struct history *history, struct series *series, const struct kb_stored_result *row)
{
	if (series->point_count == series->room) {
		series->room = series->room ? 2 * series->room : 64;
		series->points = reallocarray(series->points, series->room, sizeof *series->points);
		if (!series->points)
			kb_no_memory(history->command);
	}
	series->points[series->point_count++] = *row;
}

/* The newest that many, and on to the one that they are held against. */
static void load_points(const struct history *history, struct series *series)
{
	struct kb_query *query = ask(history, &series->newest, KB_NEWEST_FIRST);
	struct kb_stored_result row;
	bool known = false;

	series->like = series->newest;
	while (next(history, query, &row)) {
		if (!of_env(series, &row))
			continue;
		if (!known && !isnan(row.estimate.value)) {
			series->like = row;
			known = true;
		}
		if (series->point_count < history->limit) {
			if (!alike(&row, &series->like))
				series->unlike++;
			else
				keep(history, series, &row);
		} else if (known) {
			kb_store_done(query);
			break;
		}
	}
	for (size_t i = 0; i < series->point_count / 2; i++) {
		struct kb_stored_result *a = &series->points[i], *b = &series->points[series->point_count - 1 - i];

		row = *a;
		*a = *b;
		*b = row;
	}
}

/* What the runs differ by beyond their own CIs; a new level is one step of many. */
static void find_occasion(const struct history *history, struct series *series)
{
	struct kb_occasion_line line = { .like = &series->like };

	for (size_t i = 0; i < series->count; i++) {
		if (kb_occasion_add(&line, &series->points[series->numbered[i]]))
			kb_no_memory(history->command);
	}
	series->occasion = kb_occasion_of(&line);
	kb_occasion_free(&line);
}

static void take_values(const struct history *history, struct series *series)
{
	load_points(history, series);
	series->cycles = !isnan(series->like.cycles.value);
	series->numbered = calloc(series->point_count + 1, sizeof *series->numbered);
	series->values = calloc(series->point_count + 1, sizeof *series->values);
	if (!series->numbered || !series->values)
		kb_no_memory(history->command);
	for (size_t i = 0; i < series->point_count; i++) {
		if (!has_number(series, &series->points[i]))
			continue;
		series->numbered[series->count] = i;
		series->values[series->count++] = value_of(series, &series->points[i]).value;
	}
	if (kb_changes_find(series->values, series->count, 0, PENALTY, &series->changes))
		series->changes.count = 0;
	find_occasion(history, series);
}

/* Where the point begins a new level: which one, from 1; 0: it does not. */
static unsigned change_at(const struct series *series, size_t point)
{
	for (unsigned i = 0; i < series->changes.count; i++) {
		if (series->numbered[series->changes.at[i]] == point)
			return i + 1;
	}
	return 0;
}

/* Mean of the values of one level; level 0 is the first. */
static double level(const struct series *series, unsigned index)
{
	size_t from = index > 0 ? series->changes.at[index - 1] : 0;
	size_t to = index < series->changes.count ? series->changes.at[index] : series->count;

	return kb_mean(series->values + from, to - from);
}

static double step(const struct series *series, unsigned change)
{
	return level(series, change) / level(series, change - 1);
}

/* ---- output ---------------------------------------------------------------------------------------------- */

/* "kbench 0.1.0+c543693" tells the commit behind the '+'. */
static const char *commit_of(const struct kb_stored_result *point)
{
	const char *plus = strchr(point->tool, '+');

	return plus ? plus + 1 : "";
}

static void print_point(const struct series *series, size_t i, struct kb_scale scale, bool utf8)
{
	const struct kb_stored_result *point = &series->points[i];
	struct kb_estimate value = value_of(series, point);
	unsigned change = change_at(series, i);
	char figure[KB_NUMBER_ROOM];

	kb_format_estimate(figure, &value, scale.factor, utf8);
	if (change)
		printf("  ---- new level: %+.2f %%\n", 100 * (step(series, change) - 1));
	printf("  %.10s %.8s  %.13s  %*s%s %s/%s  %-10s  %-12s %s\n", point->started,
	       strlen(point->started) > 11 ? point->started + 11 : "", point->run_id,
	       kb_text_width(figure) < 18 ? 18 - (int)kb_text_width(figure) : 0, "", figure, scale.unit, point->per,
	       point->status, commit_of(point), point->label);
}

static struct kb_scale scale_of(const struct series *series)
{
	const struct kb_stored_result *like = &series->like;
	struct kb_result result = {
		.estimate = kb_estimate_of_stored(&like->estimate), .quiet = { .value = like->quiet, .known = !isnan(like->quiet) },
		.ticks_per_ns = strcmp(like->unit, "ns") == 0,
	};

	snprintf(result.clock, sizeof result.clock, "%s", like->clock);
	return series->cycles ? (struct kb_scale){ "cycles", 1 } : kb_scale_of(&result);
}

static void print_environment(const struct history *history, const struct series *series)
{
	bool more = strchr(series->newest.environment, '.') != NULL;
	struct kb_result *result = more ? kb_saved_result(history->command, history->store, &series->newest, NULL) : NULL;
	char text[KB_ENVIRONMENT_WORDS];

	printf("%s, environment ID %s%s%s\n", series->newest.row, series->newest.environment, more ? "\n  " : "",
	       more ? kb_environment_words(text, &result->environment) : "");
	free(result);
}

static void print_series(const struct series *series)
{
	struct kb_scale scale = scale_of(series);
	bool utf8 = kb_style_here(false).utf8;

	for (size_t i = 0; i < series->point_count; i++)
		print_point(series, i, scale, utf8);
	if (series->others > 0)
		printf("  (%zu result%s of other environment IDs or CPUs left out: see --env)\n", series->others, series->others == 1 ? "" : "s");
	if (series->unlike > 0)
		printf("  (%zu run%s of another unit, operation, clock, method, length of samples or kind of headline left out)\n", series->unlike,
		       series->unlike == 1 ? "" : "s");
	if (series->occasion.runs > 0)
		printf("  runs differ by %.2g %% (sd) beyond their CIs: two are told apart from %.2g %% on\n",
		       100 * expm1(series->occasion.sd), 100 * expm1(kb_occasion_finds(&series->occasion)));
	if (series->count < 2)
		return;
	for (size_t i = 0; i < series->count; i++)
		series->values[i] *= scale.factor;
	fputc('\n', stdout);
	kb_plot_series(stdout, series->values, series->count, series->changes.at, series->changes.count,
		       kb_plot_width(stdout), utf8);
}

static json_t *point_json(const struct series *series, size_t i)
{
	const struct kb_stored_result *point = &series->points[i];
	struct kb_estimate value = value_of(series, point);
	unsigned change = change_at(series, i);

	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "run", point->run_id, "started", point->started,
			 "label", point->label[0] ? kb_json_string(point->label) : json_null(), "tool",
			 kb_json_string(point->tool), "value", kb_json_real(value.known ? value.value : NAN), "low",
			 kb_json_real(value.bounded ? value.low : NAN), "high", kb_json_real(value.bounded ? value.high : NAN), "processes",
			 kb_json_whole((uint64_t)point->processes), "status", point->status, "step",
			 kb_json_real(change ? step(series, change) : NAN));
}

static json_t *occasion_json(const struct kb_occasion *occasion)
{
	bool known = occasion->runs > 0;

	return json_pack("{s:o, s:o, s:o}", "sd", kb_json_real(known ? expm1(occasion->sd) : NAN), "detectable",
			 kb_json_real(known ? expm1(kb_occasion_finds(occasion)) : NAN), "runs", kb_json_whole(occasion->runs));
}

static json_t *series_json(const struct series *series)
{
	json_t *points = json_array();

	for (size_t i = 0; i < series->point_count; i++)
		json_array_append_new(points, point_json(series, i));
	return json_pack("{s:o, s:s, s:o, s:s, s:o, s:o, s:o}", "row", kb_json_string(series->newest.row), "unit",
			 series->cycles ? "cycles" : series->like.unit, "per", kb_json_string(series->newest.per), "env_id",
			 series->newest.environment, "left_out", kb_json_whole(series->others + series->unlike), "occasion",
			 occasion_json(&series->occasion), "points", points);
}

static void print(struct history *history)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < history->count; i++) {
		struct series *series = &history->series[i];

		take_values(history, series);
		if (history->json) {
			json_array_append_new(rows, series_json(series));
		} else {
			printf("%s", i > 0 ? "\n" : "");
			print_environment(history, series);
			print_series(series);
		}
		free(series->points);
		free(series->numbered);
		free(series->values);
	}
	if (history->json)
		kb_print_json(json_pack("{s:s, s:O}", "schema", "kbench-history/2", "rows", rows));
	json_decref(rows);
}

static int history_main(const struct kb_command *command, int argc, char **argv)
{
	struct history history = { .command = command, .limit = 200 };

	kb_read_options(command, argc, argv, &history);
	if (optind == argc)
		kb_usage(command, "which benchmark?");
	history.benchmark = argv[optind++];
	kb_no_more(command, argc, argv);
	history.store = kb_saved_open(command, history.path, KB_STORE_READ);
	find_rows(&history);
	if (history.count == 0)
		kb_die(command, KB_EXIT_USAGE, "no run in %s has a row of '%.64s' with these parameters, labels and environment IDs",
		       kb_store_path(history.store), history.benchmark);
	print(&history);
	free(history.rows);
	free(history.series);
	free(history.sets.at);
	kb_store_close(history.store);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_history = {
	.name = "history",
	.arguments = "BENCH",
	.summary = "Show a benchmark over the stored runs, and where its level changed",
	.text = "BENCH is a benchmark, a domain (sys), a shell glob, or a row with its parameters. Results of one environment\n"
		"ID and CPU are a series, oldest first, if they have its newest unit, operation, clock, method, length of samples and\n"
		"kind of headline; sides of 'kbench ab' are not. Versions of a seL4 kernel that are configured alike are one series.\n",
	.options = options,
	.examples = "  kbench history sys.null\n"
		    "  kbench history mem.latency -p size=16K --limit 30\n"
		    "  kbench history sys.null --label 'nightly*' --json\n",
	.exits = "  0 done; 2 usage, nothing found, unreadable store, unwritable output\n",
	.main = history_main,
};
