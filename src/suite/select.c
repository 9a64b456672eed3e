/*
 * See select.h. Everything is checked before the first combination is made: a typing error must not cost a minute of
 * measuring, and a parameter that silently applies to nothing would be a wrong answer.
 */
#include "suite/select.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "grown.h"
#include "lacking.h"
#include "measure/params.h"

/* More values or combinations than this is a mistake at the keyboard; at 5 processes each it would measure for hours. */
#define ROWS_MAX 4096

#define PAGES "pages"           /* the parameter of benchmarks of memory */

/* The values of one parameter that a selected benchmark takes, in their one spelling. */
struct axis {
	unsigned count, standard;       /* the first so many are of the standard selection */
	bool typed;
	char (*text)[KB_PARAM_VALUE_MAX];
};

struct selection {
	enum kb_selection suite;
	const struct kb_bench *const *benches;
	const char *const *patterns, *const *sets;
	size_t pattern_count, set_count;
	struct kb_row *rows;
	size_t count;
	char *error;            /* 256 bytes */
};

static int refuse(struct selection *selection, int result, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Fills the caller's line and hands the result through, so that every refusal is one return statement. */
static int refuse(struct selection *selection, int result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(selection->error, 256, format, arguments);
	va_end(arguments);
	return result;
}

bool kb_pattern_match(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);

	if (strncmp(pattern, name, length) == 0 && name[length] == '.')
		return true;
	return fnmatch(pattern, name, 0) == 0;
}

/* Whether "same-cpu", or "placement=same-cpu", is among the parameters of the row. */
static bool has_value(struct kb_span rest, struct kb_span wanted)
{
	struct kb_span word, name, value;

	while ((word = kb_span_word(&rest)).length > 0) {
		if (word.length == wanted.length && !memcmp(word.at, wanted.at, wanted.length))
			return true;
		if (kb_span_pair(word, &name, &value) && value.length == wanted.length && !memcmp(value.at, wanted.at, wanted.length))
			return true;
	}
	return false;
}

/* What the table prints can be typed: "mem.latency 64M", the benchmark and those of its values that tell it apart. */
static bool is_short_name(const char *pattern, const char *row)
{
	struct kb_span typed = { pattern, strlen(pattern) }, rest = { row, strlen(row) };
	struct kb_span first = kb_span_word(&typed), benchmark = kb_span_word(&rest), word;

	if (first.length != benchmark.length || memcmp(first.at, benchmark.at, first.length) != 0)
		return false;
	while ((word = kb_span_word(&typed)).length > 0) {
		if (!has_value(rest, word))
			return false;
	}
	return true;
}

bool kb_result_matches(const char *pattern, const char *benchmark, const char *row)
{
	return kb_pattern_match(pattern, benchmark) || kb_pattern_match(pattern, row) || is_short_name(pattern, row);
}

/* Without patterns everything is meant. */
static bool is_selected(const struct selection *selection, const struct kb_bench *bench)
{
	for (size_t i = 0; i < selection->pattern_count; i++) {
		if (kb_pattern_match(selection->patterns[i], bench->name))
			return true;
	}
	return selection->pattern_count == 0;
}

/* ---- what was typed must mean something ------------------------------------------------------------ */

/* A domain or a glob that matches nothing has no near name, mostly; then only the list helps. */
static int unknown_pattern(struct selection *selection, const char *pattern)
{
	struct kb_nearest nearest = { .typed = pattern };

	for (size_t i = 0; selection->benches[i]; i++)
		kb_nearest_offer(&nearest, selection->benches[i]->name);
	return refuse(selection, -ENOENT, "no benchmark '%.64s'%s", pattern, kb_nearest_hint(&nearest, "; see 'kbench list'"));
}

/* The first benchmark that the pattern means; count: none. */
static unsigned find_match(const char *pattern, const struct kb_bench *const *benches, unsigned count)
{
	unsigned b = 0;

	while (b < count && !kb_pattern_match(pattern, benches[b]->name))
		b++;
	return b;
}

/* Each pattern must match something: of three names with one mistyped, the two others are not what was asked. */
static int check_patterns(struct selection *selection)
{
	unsigned all = 0;

	while (selection->benches[all])
		all++;
	for (size_t i = 0; i < selection->pattern_count; i++) {
		if (find_match(selection->patterns[i], selection->benches, all) == all)
			return unknown_pattern(selection, selection->patterns[i]);
	}
	return 0;
}

/* Splits "name=values". */
static bool split_set(const char *set, struct kb_span *name, struct kb_span *values)
{
	return kb_span_pair(kb_span_of(set), name, values) && name->length > 0;
}

/* Both must be there, but of a host. */
static bool may_have(const struct kb_bench *bench, struct kb_span name, struct kb_span values)
{
	int i = kb_param_index(bench, name);

	return i >= 0 && (values.length > 0 || bench->params[i].kind == KB_HOST);
}

/* Only parameters of selected benchmarks are offered: another one would be refused again. */
static int unknown_set(struct selection *selection, struct kb_span name)
{
	char typed[64];
	struct kb_nearest nearest = { .typed = typed };

	snprintf(typed, sizeof typed, "%.*s", (int)name.length, name.at);
	for (const struct kb_bench *const *bench = selection->benches; *bench; bench++) {
		for (int i = 0; is_selected(selection, *bench) && i < KB_PARAM_MAX && (*bench)->params[i].name; i++)
			kb_nearest_offer(&nearest, (*bench)->params[i].name);
	}
	return refuse(selection, -EINVAL, "no selected benchmark has a parameter '%s'%s", typed,
		      kb_nearest_hint(&nearest, "; see 'kbench list --verbose'"));
}

/* Likewise each -p must have something to set; that its values fit is checked where they are used. */
static int check_sets(struct selection *selection)
{
	for (size_t s = 0; s < selection->set_count; s++) {
		struct kb_span name, values;
		bool found = false, is_pair = split_set(selection->sets[s], &name, &values);

		for (const struct kb_bench *const *bench = selection->benches; is_pair && *bench; bench++)
			found |= is_selected(selection, *bench) && may_have(*bench, name, values);
		if (!is_pair || (!found && values.length == 0))
			return refuse(selection, -EINVAL, "-p '%.64s': not name=value[,value...]", selection->sets[s]);
		if (!found)
			return unknown_set(selection, name);
	}
	return 0;
}

/* ---- values ---------------------------------------------------------------------------------------- */

/* Checks one value and adds its one spelling; 64K and 65536 are the same and are measured once. */
static int axis_add(struct selection *selection, struct axis *axis, const struct kb_bench *bench, int param,
		    struct kb_span value)
{
	struct kb_settings settings;
	const char *name = bench->params[param].name;
	char problem[200] = "";
	struct kb_text text = kb_text_in(problem, sizeof problem);

	kb_settings_default(&settings, bench);

	int result = kb_settings_set(&settings, kb_span_of(name), value, &text);

	if (result)
		return refuse(selection, result, "%.40s: %s", bench->name, problem);
	/* By the one spelling that kb_settings_set leaves, not by what was typed. */
	for (unsigned i = 0; i < axis->count; i++) {
		if (strcmp(axis->text[i], settings.text[param]) == 0)
			return 0;
	}
	if (axis->count == ROWS_MAX)
		return refuse(selection, -ERANGE, "parameter %s: more than %d values", name, ROWS_MAX);
	if (!KB_GROW(axis->text, axis->count))
		return refuse(selection, -ENOMEM, "%s", kb_lack(ENOMEM));
	memcpy(axis->text[axis->count++], settings.text[param], KB_PARAM_VALUE_MAX);
	return 0;
}

/* Splits at commas. An empty piece is a value like any other, and is refused as one. */
static int axis_add_list(struct selection *selection, struct axis *axis, const struct kb_bench *bench, int param,
			 struct kb_span list)
{
	int result = 0;

	while (!result) {
		const char *comma = memchr(list.at, ',', list.length);
		size_t length = comma ? (size_t)(comma - list.at) : list.length;

		result = axis_add(selection, axis, bench, param, (struct kb_span){ list.at, length });
		if (!comma)
			break;
		list.at += length + 1;
		list.length -= length + 1;
	}
	return result;
}

/* What is measured where no -p says: with lmbench's selection the values that it measures. */
static struct kb_span standard_values(const struct selection *selection, const struct kb_bench *bench, int param)
{
	struct kb_span named = { NULL, 0 };

	if (selection->suite == KB_SELECT_LMBENCH && bench->lmbench_with)
		named = kb_params_value(bench->lmbench_with, kb_span_of(bench->params[param].name));
	return named.length > 0 ? named : kb_span_of(bench->params[param].values);
}

/* Values from all -p of that name, in the order typed; the standard ones only if there is none. */
static int axis_fill(struct selection *selection, struct axis *axis, const struct kb_bench *bench, int param)
{
	*axis = (struct axis){ 0 };
	for (size_t s = 0; s < selection->set_count; s++) {
		struct kb_span name, values;

		if (!split_set(selection->sets[s], &name, &values) || kb_param_index(bench, name) != param)
			continue;

		int result = axis_add_list(selection, axis, bench, param, values);

		if (result)
			return result;
	}
	axis->typed = axis->count > 0;
	if (axis->typed)
		return 0;

	struct kb_span list = standard_values(selection, bench, param);
	const char *full = memchr(list.at, ';', list.length);
	size_t standard = full ? (size_t)(full - list.at) : list.length;
	int result = axis_add_list(selection, axis, bench, param, (struct kb_span){ list.at, standard });

	axis->standard = axis->count;
	return result || !full ? result : axis_add_list(selection, axis, bench, param, kb_span_of(full + 1));
}

/* ---- combinations ---------------------------------------------------------------------------------- */

/* As KB_GROW; but the results in the rows, which are most of them, are zero yet: what is not copied takes no memory. */
static bool grow_rows(struct selection *selection)
{
	size_t count = selection->count;
	struct kb_row *larger;

	if (count & (count - 1))
		return true;
	larger = calloc(count ? 2 * count : 1, sizeof *larger);
	for (size_t i = 0; larger && i < count; i++) {
		larger[i].settings = selection->rows[i].settings;
		larger[i].reach = selection->rows[i].reach;
		kb_row_set_key(&larger[i]);
	}
	if (larger) {
		free(selection->rows);
		selection->rows = larger;
	}
	return larger;
}

/* What is there moves meanwhile, so nothing may point at it before the selection is done. */
static int add_row(struct selection *selection, const struct kb_bench *bench, const struct axis *axes,
		   const unsigned *at)
{
	if (selection->count == ROWS_MAX)
		return refuse(selection, -ERANGE, "more than %d results; select fewer benchmarks or values", ROWS_MAX);
	if (!grow_rows(selection))
		return refuse(selection, -ENOMEM, "%s", kb_lack(ENOMEM));

	struct kb_row *row = &selection->rows[selection->count++];
	char problem[200];
	bool is_again = false;          /* it differs by nothing from the one of the first value */

	kb_settings_default(&row->settings, bench);
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++) {
		struct kb_text error = kb_text_in(problem, sizeof problem);
		enum kb_reach reach = axes[i].typed || at[i] == 0 ? KB_REACH_FIRST : at[i] < axes[i].standard ? KB_REACH_STANDARD : KB_REACH_FULL;

		int result = kb_settings_set(&row->settings, kb_span_of(bench->params[i].name), kb_span_of(axes[i].text[at[i]]), &error);

		/* Each value alone is right: a host, behind which the other parameter means nothing. */
		if (result && axes[i].typed)
			return refuse(selection, result, "%.40s: %s", bench->name, problem);
		if (!result)
			row->reach = reach > row->reach ? reach : row->reach;
		else if (at[i] > 0)
			is_again = true;
	}
	if (is_again)
		selection->count--;
	else
		kb_row_set_key(row);
	return 0;
}

/* Turns the odometer of values, the last parameter fastest; false after the last combination. */
static bool next_values(const struct axis *axes, int params, unsigned *at)
{
	for (int i = params - 1; i >= 0; i--) {
		if (++at[i] < axes[i].count)
			return true;
		at[i] = 0;
	}
	return false;
}

void kb_row_set_key(struct kb_row *row)
{
	struct kb_text key = kb_text_in(row->key, sizeof row->key);

	kb_text_str(&key, row->settings.bench->name);

	size_t name = key.used;

	kb_text_str(&key, " ");
	kb_settings_format(&key, &row->settings);
	if (key.used == name + 1)
		row->key[name] = '\0';
}

/* The product of all values of all parameters; a benchmark without parameters has the one empty product. */
static int add_bench(struct selection *selection, const struct kb_bench *bench)
{
	struct axis axes[KB_PARAM_MAX] = { { 0 } };
	unsigned at[KB_PARAM_MAX] = { 0 };
	int params = 0, result = 0;

	for (; !result && params < KB_PARAM_MAX && bench->params[params].name; params++)
		result = axis_fill(selection, &axes[params], bench, params);
	while (!result) {
		result = add_row(selection, bench, axes, at);
		if (!next_values(axes, params, at))
			break;
	}
	for (int i = 0; i < KB_PARAM_MAX; i++)
		free(axes[i].text);
	return result;
}

int kb_select(enum kb_selection suite, const struct kb_bench *const *benches, const char *const *patterns, size_t pattern_count,
	      const char *const *sets, size_t set_count, struct kb_row **rows, size_t *count, char error[256])
{
	struct selection selection = { suite, benches, patterns, sets, pattern_count, set_count, .error = error };
	int result;

	error[0] = '\0';
	*rows = NULL;
	*count = 0;
	result = check_patterns(&selection) ?: check_sets(&selection);
	for (; !result && *benches; benches++) {
		if (is_selected(&selection, *benches))
			result = add_bench(&selection, *benches);
	}
	if (result) {
		free(selection.rows);
		return result;
	}
	*rows = selection.rows;
	*count = selection.count;
	return 0;
}

/* ---- selections ------------------------------------------------------------------------------------------ */

static const char *const names[KB_SELECTIONS] = {
	[KB_SELECT_QUICK] = "quick", [KB_SELECT_STANDARD] = "standard", [KB_SELECT_FULL] = "full", [KB_SELECT_LMBENCH] = "lmbench",
};

const char *kb_selection_name(enum kb_selection selection)
{
	return names[selection];
}

bool kb_selection_has(enum kb_selection selection, const struct kb_bench *bench, const char *const *patterns, size_t count)
{
	if (bench->suite == KB_MANUAL) {
		while (count > 0 && strcmp(patterns[count - 1], bench->name) != 0)
			count--;
		return count > 0;
	}
	switch (selection) {
	case KB_SELECT_QUICK: return bench->suite == KB_QUICK;
	case KB_SELECT_STANDARD: return bench->suite == KB_QUICK || bench->suite == KB_STANDARD;
	case KB_SELECT_LMBENCH: return bench->lmbench != NULL;
	default: return true;
	}
}

size_t kb_selection_keep(enum kb_selection selection, enum kb_reach reach, const char *const *patterns, size_t pattern_count,
			 struct kb_row *rows, size_t count)
{
	bool brief = selection == KB_SELECT_QUICK || selection == KB_SELECT_STANDARD;
	size_t kept = 0;

	if (brief && reach > KB_REACH_STANDARD)
		reach = KB_REACH_STANDARD;
	for (size_t i = 0; i < count; i++) {
		if (kb_selection_has(selection, rows[i].settings.bench, patterns, pattern_count) && rows[i].reach <= reach)
			rows[kept++] = rows[i];
	}
	return kept;
}

/* By default alone: who has both as standard values, or was asked for huge ones, is about them. */
static bool is_huge_by_default(const struct kb_row *row)
{
	int i = kb_param_index(row->settings.bench, kb_span_of(PAGES));

	return i >= 0 && !strcmp(row->settings.bench->params[i].values, "huge") && !strcmp(row->settings.text[i], "huge");
}

size_t kb_pages_small(struct kb_row *rows, size_t count)
{
	size_t made = 0;
	char ignored[128];

	for (size_t i = 0; i < count; i++) {
		struct kb_text error = kb_text_in(ignored, sizeof ignored);

		if (!is_huge_by_default(&rows[i]))
			continue;
		kb_settings_set(&rows[i].settings, kb_span_of(PAGES), kb_span_of("small"), &error);
		kb_row_set_key(&rows[i]);
		made++;
	}
	return made;
}

int kb_cross_select(const struct kb_collectors *collectors, bool emulate, const char *const *patterns, size_t pattern_count,
                    const struct kb_bench **benches, unsigned *count, char error[320])
{
	char why[256];

	for (const struct kb_cross_bench *cross = kb_cross_benches(); cross->bench; cross++) {
		if (kb_collector_measures(kb_collectors_of(collectors, cross->bench), emulate, why))
			benches[(*count)++] = cross->bench;
	}
	/* Of a pattern that means more, such as a domain, what runs is measured; of one that means nothing else, the reason is told: by a
	   result that is skipped, or by an error. None comes twice: once it is there, a pattern that means it means something. */
	for (size_t i = 0; i < pattern_count; i++) {
		if (find_match(patterns[i], benches, *count) < *count)
			continue;
		for (const struct kb_cross_bench *cross = kb_cross_benches(); cross->bench; cross++) {
			const struct kb_collector *collector = kb_collectors_of(collectors, cross->bench);

			if (!kb_pattern_match(patterns[i], cross->bench->name) || kb_collector_measures(collector, emulate, why))
				continue;
			if (!collector->skips) {
				snprintf(error, 320, "%s is not available here: %s", cross->bench->name, why);
				return -ENODEV;
			}
			benches[(*count)++] = cross->bench;
		}
	}
	return 0;
}
