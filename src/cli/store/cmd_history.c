/*
 * kbench history: what the store knows of one benchmark over time. Only runs of one environment ID make a history,
 * and no side of an A/B comparison: a changed environment would look like a change of the code.
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
#include "result/json/json.h"
#include "stats/series/changepoint.h"
#include "stats/stats.h"
#include "suite/select.h"

/* Of a change, in ln n: that of runs with a correlation of 1/3. Estimated from a few dozen runs, one large step would be
   taken for correlation and hide itself. Simulated with 12 to 80 runs: false changes in 0 % of independent runs and 4 %
   at a correlation of .6; a step of 10 sd is always found, one of 3 sd in .35, .68, 1 and 1 at 12, 20, 40 and 80. */
#define PENALTY 8.0

/* One run's result of one row. */
struct point {
	char id[37], started[21], label[KB_LABEL_MAX + 8], tool[64], env_class[20];
	json_int_t cpu;
	struct kb_result *result;
};

/* One row over time, oldest first. */
struct line {
	char *row;
	struct point *points;
	size_t count, room;
};

struct history {
	const struct kb_command *command;
	struct kb_store *store;
	const char *benchmark, *label, *path;
	struct kb_words sets;           /* -p */
	uint64_t limit;
	struct line *lines;
	size_t count;
	struct point now;               /* the run being read */
	bool json;
};

#define INTO(kind, ...) KB_OPTION(kind, struct history, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 'p', "param", "NAME=VALUE", "only rows with this parameter; may be repeated", NULL, INTO(WORDS, sets) },
	{ 0, "label", "PATTERN", "only runs with such a label, a name or a shell glob", NULL, INTO(WORD, label) },
	{ 0, "limit", "N", "the newest so many runs", "200", INTO(NUMBER, limit, .least = 1, .most = 1000000) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, path) },
	{ 0, "json", NULL, "print kbench-history/2", NULL, INTO(FLAG, json) },
	{ 0 }
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

static bool wanted(const struct history *history, const char *row)
{
	char name[320];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(row, " "), row);
	if (!kb_pattern_match(history->benchmark, name) && strcmp(history->benchmark, row) != 0)
		return false;
	for (size_t i = 0; i < history->sets.count; i++) {
		if (!has_word(row, history->sets.at[i]))
			return false;
	}
	return true;
}

static struct line *line_of(struct history *history, const char *row)
{
	for (size_t i = 0; i < history->count; i++) {
		if (strcmp(history->lines[i].row, row) == 0)
			return &history->lines[i];
	}

	struct line *grown = realloc(history->lines, (history->count + 1) * sizeof *grown);
	char *copy = strdup(row);

	if (!grown || !copy)
		kb_no_memory(history->command);
	history->lines = grown;
	history->lines[history->count] = (struct line){ .row = copy };
	return &history->lines[history->count++];
}

static int take_row(void *context, const char *row, const char *text)
{
	struct history *history = context;

	if (!wanted(history, row))
		return 0;

	struct line *line = line_of(history, row);
	struct kb_result *result = malloc(sizeof *result);
	json_t *json = json_loads(text, 0, NULL);

	if (line->count == line->room) {
		line->room = line->room ? 2 * line->room : 16;
		line->points = reallocarray(line->points, line->room, sizeof *line->points);
	}
	if (!result || !line->points)
		kb_no_memory(history->command);
	if (kb_result_from_json(result, json)) {
		kb_die(history->command, KB_EXIT_USAGE, "the result of '%s' is damaged; 'kbench analyze --rebuild %s' makes "
		       "it again from its records", row, history->now.id);
	}
	line->points[line->count] = history->now;
	line->points[line->count++].result = result;
	json_decref(json);
	return 0;
}

static int take_run(void *context, const struct kb_stored_run *run)
{
	struct history *history = context;
	struct point *now = &history->now;
	json_t *settings = json_loads(run->settings, 0, NULL);
	const char *tool = json_string_value(json_object_get(settings, "tool"));
	bool side = json_object_get(settings, "ab") != NULL;

	snprintf(now->id, sizeof now->id, "%s", run->id);
	snprintf(now->started, sizeof now->started, "%s", run->started);
	kb_visible_copy(now->label, sizeof now->label, run->label); /* cut at the end of a character */
	kb_visible_copy(now->tool, sizeof now->tool, tool ? tool : "");
	snprintf(now->env_class, sizeof now->env_class, "%s", run->env_class);
	now->cpu = kb_alike_cpu(settings);
	json_decref(settings);
	if (side || (history->label && fnmatch(history->label, run->label, 0) != 0))
		return 0;
	return kb_store_each_summary(history->store, run->id, take_row, history);
}

/* ---- one row --------------------------------------------------------------------------------------------- */

/* A line as numbers: points without a number are listed, but are no part of the series. */
struct series {
	const struct line *line;
	size_t first;                   /* point */
	const struct point *like;       /* the newest with a number: what has another unit or method is another thing */
	size_t others, unlike;          /* runs with other environment IDs or CPUs; of this one, of another thing */
	bool cycles;
	size_t *points;                 /* index of each value's point */
	double *values;
	size_t count;
	struct kb_changes changes;
	struct kb_occasion occasion;    /* runs is 0: too few of them tell */
};

static const struct kb_estimate *value_of(const struct series *series, const struct point *point)
{
	return series->cycles ? &point->result->estimate_cycles : &point->result->estimate;
}

static bool of_env(const struct line *line, size_t i)
{
	const struct point *point = &line->points[i], *newest = &line->points[line->count - 1];

	return strcmp(point->env_class, newest->env_class) == 0 && point->cpu == newest->cpu;
}

/* What version 1 called typical is an observed cost. */
static bool is_uncontended(const struct kb_result *result)
{
	return result->headline == KB_HEADLINE_UNCONTENDED;
}

/* As for `kbench compare`: between others a step would be no change of the code. */
static bool alike(const struct series *series, size_t i)
{
	const struct kb_result *a = series->line->points[i].result, *b = series->like->result;

	return !a->estimate.known || (strcmp(kb_time_unit(a), kb_time_unit(b)) == 0 && strcmp(a->per, b->per) == 0 &&
				     strcmp(a->clock, b->clock) == 0 && a->method == b->method &&
				     is_uncontended(a) == is_uncontended(b) && !kb_unlike_grids(a, b));
}

static bool shown(const struct series *series, size_t i)
{
	return i >= series->first && of_env(series->line, i) && alike(series, i);
}

static const struct point *newest_number(const struct line *line)
{
	for (size_t i = line->count; i-- > 0;) {
		if (of_env(line, i) && line->points[i].result->estimate.known)
			return &line->points[i];
	}
	return &line->points[line->count - 1];
}

static bool has_number(const struct series *series, size_t i)
{
	const struct point *point = &series->line->points[i];

	return value_of(series, point)->known && point->result->verdict.status != KB_INVALID;
}

/* What the runs differ by beyond their own CIs; a new level is one step of many. */
static void find_occasion(const struct history *history, struct series *series)
{
	struct kb_occasion_line line = { .like = series->like->result };

	for (size_t i = 0; i < series->count; i++) {
		if (kb_occasion_add(&line, series->line->points[series->points[i]].result))
			kb_no_memory(history->command);
	}
	series->occasion = kb_occasion_of(&line);
	kb_occasion_free(&line);
}

static void take_values(const struct history *history, struct series *series)
{
	const struct line *line = series->line;
	size_t left = history->limit;

	series->like = newest_number(line);
	series->cycles = series->like->result->estimate_cycles.known;
	for (series->first = line->count; series->first > 0 && left > 0; left -= shown(series, series->first))
		series->first--;
	series->points = calloc(line->count, sizeof *series->points);
	series->values = calloc(line->count, sizeof *series->values);
	if (!series->points || !series->values)
		kb_no_memory(history->command);
	for (size_t i = 0; i < line->count; i++) {
		series->others += i >= series->first && !of_env(line, i);
		series->unlike += i >= series->first && of_env(line, i) && !alike(series, i);
		if (!shown(series, i) || !has_number(series, i))
			continue;
		series->points[series->count] = i;
		series->values[series->count++] = value_of(series, &line->points[i])->value;
	}
	if (kb_changes_find(series->values, series->count, 0, PENALTY, &series->changes))
		series->changes.count = 0;
	find_occasion(history, series);
}

/* Where the point begins a new level: which one, from 1; 0: it does not. */
static unsigned change_at(const struct series *series, size_t point)
{
	for (unsigned i = 0; i < series->changes.count; i++) {
		if (series->points[series->changes.at[i]] == point)
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
static const char *commit_of(const struct point *point)
{
	const char *plus = strchr(point->tool, '+');

	return plus ? plus + 1 : "";
}

static void print_point(const struct series *series, size_t i, struct kb_scale scale, bool utf8)
{
	const struct point *point = &series->line->points[i];
	unsigned change = change_at(series, i);
	char figure[KB_NUMBER_ROOM];

	kb_format_estimate(figure, value_of(series, point), scale.factor, utf8);
	if (change)
		printf("  ---- new level: %+.2f %%\n", 100 * (step(series, change) - 1));
	printf("  %.10s %.8s  %.13s  %*s%s %s/%s  %-10s  %-12s %s\n", point->started,
	       strlen(point->started) > 11 ? point->started + 11 : "", point->id,
	       kb_text_width(figure) < 18 ? 18 - (int)kb_text_width(figure) : 0, "", figure, scale.unit, point->result->per,
	       kb_status_name(point->result->verdict.status), commit_of(point), point->label);
}

static void print_series(const struct series *series)
{
	const struct line *line = series->line;
	const struct point *last = &line->points[line->count - 1];
	struct kb_scale scale = series->cycles ? (struct kb_scale){ "cycles", 1 } : kb_scale_of(series->like->result);
	bool utf8 = kb_style_here(false).utf8;

	printf("%s, environment ID %s\n", line->row, last->env_class);
	for (size_t i = series->first; i < line->count; i++) {
		if (shown(series, i))
			print_point(series, i, scale, utf8);
	}
	if (series->others > 0)
		printf("  (%zu run%s with other environment IDs or on other CPUs left out)\n", series->others, series->others == 1 ? "" : "s");
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
	const struct point *point = &series->line->points[i];
	const struct kb_estimate *value = value_of(series, point);
	unsigned change = change_at(series, i);
	bool bounded = value->known && value->bounded;

	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "run", point->id, "started", point->started,
			 "label", point->label[0] ? kb_json_string(point->label) : json_null(), "tool",
			 kb_json_string(point->tool), "value", value->known ? kb_json_real(value->value) : json_null(), "low",
			 bounded ? kb_json_real(value->low) : json_null(), "high",
			 bounded ? kb_json_real(value->high) : json_null(), "processes",
			 kb_json_whole(point->result->processes), "status",
			 kb_status_name(point->result->verdict.status), "step",
			 change ? kb_json_real(step(series, change)) : json_null());
}

static json_t *occasion_json(const struct kb_occasion *occasion)
{
	bool known = occasion->runs > 0;

	return json_pack("{s:o, s:o, s:o}", "sd", kb_json_real(known ? expm1(occasion->sd) : NAN), "detectable",
			 kb_json_real(known ? expm1(kb_occasion_finds(occasion)) : NAN), "runs", kb_json_whole(occasion->runs));
}

static json_t *series_json(const struct series *series)
{
	const struct line *line = series->line;
	const struct point *last = &line->points[line->count - 1];
	json_t *points = json_array();

	for (size_t i = series->first; i < line->count; i++) {
		if (shown(series, i))
			json_array_append_new(points, point_json(series, i));
	}
	return json_pack("{s:o, s:s, s:o, s:s, s:o, s:o, s:o}", "row", kb_json_string(line->row), "unit",
			 series->cycles ? "cycles" : kb_time_unit(series->like->result), "per",
			 kb_json_string(last->result->per), "env_id", last->env_class, "left_out",
			 kb_json_whole(series->others + series->unlike), "occasion", occasion_json(&series->occasion), "points",
			 points);
}

static void print(const struct history *history)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < history->count; i++) {
		struct series series = { .line = &history->lines[i] };

		take_values(history, &series);
		if (history->json) {
			json_array_append_new(rows, series_json(&series));
		} else {
			printf("%s", i > 0 ? "\n" : "");
			print_series(&series);
		}
		free(series.points);
		free(series.values);
	}
	if (history->json)
		kb_print_json(json_pack("{s:s, s:O}", "schema", "kbench-history/2", "rows", rows));
	json_decref(rows);
}

static void release(struct history *history)
{
	for (size_t i = 0; i < history->count; i++) {
		for (size_t k = 0; k < history->lines[i].count; k++)
			free(history->lines[i].points[k].result);
		free(history->lines[i].points);
		free(history->lines[i].row);
	}
	free(history->lines);
	free(history->sets.at);
	kb_store_close(history->store);
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
	kb_saved_check(command, history.store, kb_store_each_run(history.store, take_run, &history));
	if (history.count == 0)
		kb_die(command, KB_EXIT_USAGE, "no run in %s has a row of '%.64s' with these parameters and labels",
		       kb_store_path(history.store), history.benchmark);
	print(&history);
	release(&history);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_history = {
	.name = "history",
	.arguments = "BENCH",
	.summary = "Show a benchmark over the stored runs, and where its level changed",
	.text = "BENCH is a benchmark, a domain (sys), a shell glob, or a row with its parameters. Runs of the newest run's\n"
		"environment ID and CPU are shown, oldest first, and of its unit, operation, clock, method, length of samples\n"
		"and kind of headline; sides of 'kbench ab' are not.\n",
	.options = options,
	.examples = "  kbench history sys.null\n"
		    "  kbench history mem.latency -p size=16K --limit 30\n"
		    "  kbench history sys.null --label 'nightly*' --json\n",
	.exits = "  0 done; 2 usage, nothing found, unreadable store, unwritable output\n",
	.main = history_main,
};
