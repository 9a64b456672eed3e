/* See history.h. */
#include "analysis/history.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"
#include "result/json/environment.h"
#include "stats/stats.h"
#include "suite/select.h"

/* ---- rows ------------------------------------------------------------------------------------------------ */

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

static bool is_wanted(const struct kb_history_wanted *wanted, const struct kb_stored_result *row)
{
	if (!kb_result_matches(wanted->benchmark, row->benchmark, row->row))
		return false;
	for (size_t i = 0; i < wanted->parameter_count; i++) {
		if (!has_word(row->row, wanted->parameters[i]))
			return false;
	}
	return true;
}

/* The next one whose run has such a label. A result that is damaged is an error. */
static int next_point(struct kb_store *store, struct kb_query *query, const char *label, struct kb_stored_result *point)
{
	int found;

	do
		found = kb_store_next(query, point);
	while (found > 0 && label && fnmatch(label, point->label, 0) != 0);
	return found > 0 && point->damaged ? kb_store_damaged(store, point) : found;
}

static int ask(struct kb_store *store, const struct kb_history_wanted *wanted, const struct kb_stored_result *row, enum kb_store_order order,
	       struct kb_query **query)
{
	return kb_store_history_of(store, row->benchmark, row->parameters, &(struct kb_series_filter){ .node = wanted->node }, order, query);
}

/* 1: *oldest is the row's first result with such a label and node; 0: it has none. */
static int find_oldest(struct kb_store *store, const struct kb_history_wanted *wanted, const struct kb_stored_result *row,
		       struct kb_stored_result *oldest)
{
	struct kb_query *query;
	int found = ask(store, wanted, row, KB_OLDEST_FIRST, &query);

	if (found)
		return found;
	found = next_point(store, query, wanted->label, oldest);
	kb_store_done(query);
	return found;
}

static int by_first(const void *one, const void *other)
{
	const struct kb_stored_result *a = one, *b = other;
	int order = strcmp(a->started, b->started);

	order = order ? order : strcmp(a->run_id, b->run_id);
	return order ? order : (a->position > b->position) - (a->position < b->position);
}

/* Of which version, if any, of a kernel of one configuration does not matter. */
static bool of_env(const struct kb_history *history, const struct kb_stored_result *point)
{
	return kb_environment_same(point->environment, history->newest.environment, KB_SAME_CONFIG) && point->cpu == history->newest.cpu;
}

/* Drops those that are not asked for. What could not be measured may not say on what it would have been, so numbers decide which are. */
static void choose(const struct kb_history_wanted *wanted, struct kb_history *all, size_t from, size_t *count)
{
	struct kb_history like = all[from], *kept = all + from;
	size_t others = 0;

	for (struct kb_history *at = all + *count; at-- > all + from;)
		like = at->numbers || !like.numbers ? *at : like;
	for (struct kb_history *at = kept; at < all + *count; at++) {
		const struct kb_stored_result *its = &at->newest;

		if (wanted->environment ? !fnmatch(wanted->environment, its->environment, 0) :
		    kb_environment_same(its->environment, like.newest.environment, KB_SAME_MACHINE) && its->cpu == like.newest.cpu)
			*kept++ = *at;
		else
			others += at->total;
	}
	*count = (size_t)(kept - all);
	while (kept-- > all + from)
		kept->others = others;
}

/* As far back as one environment goes that is shown. */
static int find_environments(struct kb_store *store, const struct kb_history_wanted *wanted, const struct kb_stored_result *row,
			     struct kb_history **all, size_t *count)
{
	struct kb_stored_result point;
	struct kb_query *query;
	size_t from = *count, i = from;
	int found = ask(store, wanted, row, KB_NEWEST_FIRST, &query);

	if (found)
		return found;
	while ((found = next_point(store, query, wanted->label, &point)) > 0) {
		for (i = from; i < *count && !of_env(&(*all)[i], &point);)
			i++;
		if (i == *count) {
			if (!KB_GROW(*all, *count)) {
				found = -ENOMEM;
				break;
			}
			(*all)[(*count)++] = (struct kb_history){ .newest = point };
		}
		(*all)[i].numbers |= kb_stored_has_number(&point);
		if (++(*all)[i].total == wanted->limit && !wanted->environment)
			break;
	}
	kb_store_done(query);
	if (*count > from)
		choose(wanted, *all, from, count);
	return found < 0 ? found : 0;
}

/* Every name that the typed one can mean begins with its first word: it is that benchmark, or those of that domain; or with what stands before
   the first character of a glob. */
static int find_series(struct kb_store *store, const char *typed, struct kb_query **series)
{
	size_t length = strcspn(typed, "*?[\\ ");
	char from[sizeof ((struct kb_stored_result *)0)->benchmark], before[sizeof from + 4];

	snprintf(from, sizeof from, "%.*s", (int)length, typed);
	/* '/' stands behind '.', and no character behind the other one. */
	snprintf(before, sizeof before, "%s%s", from, typed[length] == '\0' || typed[length] == ' ' ? "/" : KB_LAST_CHARACTER);
	return kb_store_series_of(store, from, before, series);
}

/* Fleets are asked for once a row, however many there are. */
int kb_history_rows(struct kb_store *store, const struct kb_history_wanted *wanted, struct kb_stored_result **rows, size_t *count)
{
	struct kb_stored_result row, oldest;
	struct kb_query *all;
	int found = find_series(store, wanted->benchmark, &all);

	if (found)
		return found;
	while ((found = kb_store_next(all, &row)) > 0) {
		oldest = row;
		if (!is_wanted(wanted, &row) || (!wanted->fleets && (found = find_oldest(store, wanted, &row, &oldest)) == 0))
			continue;
		if (found > 0 && !KB_GROW(*rows, *count))
			found = -ENOMEM;
		if (found < 0)
			break;
		(*rows)[(*count)++] = oldest;
	}
	kb_store_done(all);
	if (*count > 0)
		qsort(*rows, *count, sizeof row, by_first);
	return found;
}

int kb_history_find(struct kb_store *store, const struct kb_history_wanted *wanted, struct kb_history **all, size_t *count)
{
	struct kb_stored_result *rows = NULL;
	size_t row_count = 0;
	int error = kb_history_rows(store, wanted, &rows, &row_count);

	*all = NULL;
	*count = 0;
	for (size_t i = 0; i < row_count && !error; i++)
		error = find_environments(store, wanted, &rows[i], all, count);
	free(rows);
	return error;
}

/* ---- one row --------------------------------------------------------------------------------------------- */

struct kb_estimate kb_history_value(const struct kb_history *history, const struct kb_stored_result *point)
{
	return kb_estimate_of_stored(history->cycles ? &point->cycles : &point->estimate);
}

/* "kbench 0.1.0+c543693". */
const char *kb_history_commit(const struct kb_stored_result *point)
{
	const char *plus = strchr(point->tool, '+');

	return plus ? plus + 1 : "";
}

/* What version 1 called typical is an observed cost. */
static bool is_uncontended(const struct kb_stored_result *point)
{
	return strcmp(point->headline, kb_headline_name(KB_HEADLINE_UNCONTENDED)) == 0;
}

/* As for `kbench compare`: between others a step would be no change of the code. */
bool kb_history_alike(const struct kb_stored_result *a, const struct kb_stored_result *b)
{
	return isnan(a->estimate.value) || (strcmp(a->unit, b->unit) == 0 && strcmp(a->per, b->per) == 0 &&
					    strcmp(a->clock, b->clock) == 0 && strcmp(a->method, b->method) == 0 &&
					    is_uncontended(a) == is_uncontended(b) &&
					    !kb_unlike_samples(a->n_max, a->sample_ns, b->n_max, b->sample_ns));
}

static int keep(struct kb_history *history, const struct kb_stored_result *point)
{
	if (!KB_GROW(history->points, history->point_count))
		return -ENOMEM;
	history->points[history->point_count++] = *point;
	return 0;
}

/* The newest that many, and older ones until one has a number: it decides which quantity is shown. */
static int take_points(struct kb_history *history, struct kb_store *store, struct kb_query *query, const struct kb_history_wanted *wanted)
{
	struct kb_stored_result point;
	bool known = false;
	int found;

	history->like = history->newest;
	while ((found = next_point(store, query, wanted->label, &point)) > 0) {
		if (!of_env(history, &point))
			continue;
		if (!known && !isnan(point.estimate.value)) {
			history->like = point;
			known = true;
		}
		if (history->point_count >= wanted->limit && known)
			return 0;
		if (history->point_count >= wanted->limit)
			continue;
		if (!kb_history_alike(&point, &history->like))
			history->unlike++;
		else if ((found = keep(history, &point)))
			break;
	}
	return found;
}

static int load_points(struct kb_history *history, struct kb_store *store, const struct kb_history_wanted *wanted)
{
	struct kb_query *query;
	int error = ask(store, wanted, &history->newest, KB_NEWEST_FIRST, &query);

	if (error)
		return error;
	error = take_points(history, store, query, wanted);
	kb_store_done(query);
	for (size_t i = 0; i < history->point_count / 2; i++) {
		struct kb_stored_result *a = &history->points[i], *b = &history->points[history->point_count - 1 - i], point = *a;

		*a = *b;
		*b = point;
	}
	return error;
}

/* By how much the runs differ beyond their own CIs; a new level is one step of many. */
static int find_occasion(struct kb_history *history)
{
	struct kb_occasion_line line = { .like = &history->like };
	int error = 0;

	for (size_t i = 0; i < history->count && !error; i++)
		error = kb_occasion_add(&line, &history->points[history->numbered[i]]);
	history->occasion = kb_occasion_of(&line);
	history->sd = history->detectable = NAN;
	if (history->occasion.runs > 0) {
		history->sd = expm1(history->occasion.sd);
		history->detectable = expm1(kb_occasion_finds(&history->occasion));
	}
	kb_occasion_free(&line);
	return error;
}

int kb_history_load(struct kb_store *store, const struct kb_history_wanted *wanted, struct kb_history *history)
{
	int error = load_points(history, store, wanted);

	if (error)
		return error;
	history->cycles = !isnan(history->like.cycles.value);
	history->numbered = calloc(history->point_count + 1, sizeof *history->numbered);
	history->values = calloc(history->point_count + 1, sizeof *history->values);
	if (!history->numbered || !history->values)
		return -ENOMEM;
	for (size_t i = 0; i < history->point_count; i++) {
		struct kb_estimate value = kb_history_value(history, &history->points[i]);

		if (!value.known || strcmp(history->points[i].status, kb_status_name(KB_INVALID)) == 0)
			continue;
		history->numbered[history->count] = i;
		history->values[history->count++] = value.value;
	}
	if (kb_changes_find(history->values, history->count, 0, KB_HISTORY_PENALTY, &history->changes))
		history->changes.count = 0;
	return find_occasion(history);
}

void kb_history_free(struct kb_history *history)
{
	free(history->points);
	free(history->fleets);
	free(history->numbered);
	free(history->values);
}

/* Mean of the values of one level; level 0 is the first. */
static double level(const struct kb_history *history, unsigned index)
{
	size_t from = index > 0 ? history->changes.at[index - 1] : 0;
	size_t to = index < history->changes.count ? history->changes.at[index] : history->count;

	return kb_mean(history->values + from, to - from);
}

bool kb_history_step(const struct kb_history *history, size_t point, double *ratio)
{
	unsigned change = 0;

	while (change < history->changes.count && history->numbered[history->changes.at[change]] != point)
		change++;
	*ratio = change < history->changes.count ? level(history, change + 1) / level(history, change) : NAN;
	return change < history->changes.count;
}
