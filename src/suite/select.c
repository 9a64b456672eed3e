/*
 * See select.h. Everything is checked before the first row is made: a typing error must not cost a minute of
 * measuring, and a parameter that silently applies to nothing would be a wrong answer.
 */
#include "suite/select.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/nearest.h"

/* More values or rows than this is a mistake at the keyboard; at 5 processes a row it would measure for hours. */
#define AXIS_MAX 64
#define ROWS_MAX 4096

/* The values of one parameter that a selected benchmark takes, in their one spelling. */
struct axis {
	unsigned count, standard;       /* the first so many are of the standard selection */
	bool typed;
	char text[AXIS_MAX][KB_PARAM_VALUE_MAX];
};

struct selection {
	const char *const *sets;
	size_t set_count;
	struct kb_row *rows;
	size_t count, room;
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

/* Without patterns everything is meant. */
static bool selected(const struct kb_bench *bench, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (kb_pattern_match(patterns[i], bench->name))
			return true;
	}
	return count == 0;
}

/* ---- what was typed must mean something ------------------------------------------------------------ */

/* A domain or a glob that matches nothing has no near name, mostly; then only the list helps. */
static int unknown_pattern(struct selection *selection, const struct kb_bench *const *benches, const char *pattern)
{
	struct kb_nearest nearest = { .typed = pattern };

	for (size_t i = 0; benches[i]; i++)
		kb_nearest_offer(&nearest, benches[i]->name);
	if (nearest.best) {
		return refuse(selection, -ENOENT, "no benchmark '%.64s' (did you mean %s?); see 'kbench list'",
			      pattern, nearest.best);
	}
	return refuse(selection, -ENOENT, "no benchmark '%.64s'; see 'kbench list'", pattern);
}

/* Each pattern must match something: of three names with one mistyped, the two others are not what was asked. */
static int check_patterns(struct selection *selection, const struct kb_bench *const *benches,
			  const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t b = 0;

		while (benches[b] && !kb_pattern_match(patterns[i], benches[b]->name))
			b++;
		if (!benches[b])
			return unknown_pattern(selection, benches, patterns[i]);
	}
	return 0;
}

/* Splits "name=values"; both must be there. */
static bool split_set(const char *set, struct kb_span *name, struct kb_span *values)
{
	return kb_span_pair((struct kb_span){ set, strlen(set) }, name, values) && name->length > 0 &&
	       values->length > 0;
}

/* Only parameters of selected benchmarks are offered: another one would be refused again. */
static int unknown_set(struct selection *selection, const struct kb_bench *const *benches,
		       const char *const *patterns, size_t count, struct kb_span name)
{
	char typed[64];
	struct kb_nearest nearest = { .typed = typed };

	snprintf(typed, sizeof typed, "%.*s", (int)name.length, name.at);
	for (size_t b = 0; benches[b]; b++) {
		for (int i = 0; selected(benches[b], patterns, count) && i < KB_PARAM_MAX; i++) {
			if (benches[b]->params[i].name)
				kb_nearest_offer(&nearest, benches[b]->params[i].name);
		}
	}
	if (nearest.best) {
		return refuse(selection, -EINVAL, "no selected benchmark has a parameter '%s' (did you mean %s?)",
			      typed, nearest.best);
	}
	return refuse(selection, -EINVAL, "no selected benchmark has a parameter '%s'; see 'kbench list --verbose'",
		      typed);
}

/* Likewise each -p must have somebody to set; that its values fit is checked where they are used. */
static int check_sets(struct selection *selection, const struct kb_bench *const *benches,
		      const char *const *patterns, size_t count)
{
	for (size_t s = 0; s < selection->set_count; s++) {
		struct kb_span name, values;
		bool found = false;

		if (!split_set(selection->sets[s], &name, &values))
			return refuse(selection, -EINVAL, "-p '%.64s': not name=value[,value...]", selection->sets[s]);
		for (size_t b = 0; benches[b]; b++)
			found |= selected(benches[b], patterns, count) && kb_param_index(benches[b], name) >= 0;
		if (!found)
			return unknown_set(selection, benches, patterns, count, name);
	}
	return 0;
}

/* ---- values ---------------------------------------------------------------------------------------- */

/* By the one spelling that kb_settings_set leaves, not by what was typed. */
static bool axis_has(const struct axis *axis, const char *text)
{
	for (unsigned i = 0; i < axis->count; i++) {
		if (strcmp(axis->text[i], text) == 0)
			return true;
	}
	return false;
}

/* Checks one value and adds its one spelling; 64K and 65536 are the same row and are measured once. */
static int axis_add(struct selection *selection, struct axis *axis, const struct kb_bench *bench, int param,
		    struct kb_span value)
{
	struct kb_settings settings;
	const char *name = bench->params[param].name;
	char problem[200] = "";
	struct kb_text text = kb_text_in(problem, sizeof problem);

	kb_settings_default(&settings, bench);

	int result = kb_settings_set(&settings, (struct kb_span){ name, strlen(name) }, value, &text);

	if (result)
		return refuse(selection, result, "%.40s: %s", bench->name, problem);
	if (axis_has(axis, settings.text[param]))
		return 0;
	if (axis->count == AXIS_MAX)
		return refuse(selection, -ERANGE, "parameter %s: more than %d values", name, AXIS_MAX);
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

	const char *list = bench->params[param].values;
	size_t standard = strcspn(list, ";");
	int result = axis_add_list(selection, axis, bench, param, (struct kb_span){ list, standard });

	axis->standard = axis->count;
	if (result || !list[standard])
		return result;
	list += standard + 1;
	return axis_add_list(selection, axis, bench, param, (struct kb_span){ list, strlen(list) });
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static enum kb_reach reach_of(const struct axis *axis, unsigned at)
{
	return axis->typed || at == 0 ? KB_REACH_FIRST : at < axis->standard ? KB_REACH_STANDARD : KB_REACH_FULL;
}

/* Grows by doubling. The rows move while they grow, so nothing may point at one before the selection is done. */
static int add_row(struct selection *selection, const struct kb_bench *bench, const struct axis *axes,
		   const unsigned *at)
{
	if (selection->count == ROWS_MAX)
		return refuse(selection, -ERANGE, "more than %d rows; select fewer benchmarks or values", ROWS_MAX);
	if (selection->count == selection->room) {
		size_t room = selection->room ? 2 * selection->room : 16;
		struct kb_row *rows = realloc(selection->rows, room * sizeof *rows);

		if (!rows)
			return refuse(selection, -ENOMEM, "out of memory");
		selection->rows = rows;
		selection->room = room;
	}

	struct kb_row *row = &selection->rows[selection->count++];
	struct kb_text key = kb_text_in(row->key, sizeof row->key);
	char ignored[200];

	memset(row, 0, sizeof *row);
	kb_settings_default(&row->settings, bench);
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++) {
		struct kb_text error = kb_text_in(ignored, sizeof ignored);
		const char *name = bench->params[i].name, *value = axes[i].text[at[i]];

		enum kb_reach reach = reach_of(&axes[i], at[i]);

		row->reach = reach > row->reach ? reach : row->reach;
		kb_settings_set(&row->settings, (struct kb_span){ name, strlen(name) },
				(struct kb_span){ value, strlen(value) }, &error);
	}
	kb_text_str(&key, bench->name);
	if (bench->params[0].name)
		kb_text_str(&key, " ");
	kb_settings_format(&key, &row->settings);
	return 0;
}

/* Turns the odometer of values, the last parameter fastest; false after the last row. */
static bool next_values(const struct axis *axes, int params, unsigned *at)
{
	for (int i = params - 1; i >= 0; i--) {
		if (++at[i] < axes[i].count)
			return true;
		at[i] = 0;
	}
	return false;
}

/* The product of all values of all parameters; a benchmark without parameters has the one empty product. */
static int add_bench(struct selection *selection, const struct kb_bench *bench)
{
	struct axis axes[KB_PARAM_MAX];
	unsigned at[KB_PARAM_MAX] = { 0 };
	int params = 0, result = 0;

	for (; !result && params < KB_PARAM_MAX && bench->params[params].name; params++)
		result = axis_fill(selection, &axes[params], bench, params);
	if (result)
		return result;
	do {
		result = add_row(selection, bench, axes, at);
	} while (!result && next_values(axes, params, at));
	return result;
}

int kb_select(const struct kb_bench *const *benches, const char *const *patterns, size_t pattern_count,
	      const char *const *sets, size_t set_count, struct kb_row **rows, size_t *count, char error[256])
{
	struct selection selection = { .sets = sets, .set_count = set_count, .error = error };
	int result;

	error[0] = '\0';
	*rows = NULL;
	*count = 0;
	result = check_patterns(&selection, benches, patterns, pattern_count);
	if (!result)
		result = check_sets(&selection, benches, patterns, pattern_count);
	for (size_t b = 0; !result && benches[b]; b++) {
		if (selected(benches[b], patterns, pattern_count))
			result = add_bench(&selection, benches[b]);
	}
	if (result) {
		free(selection.rows);
		return result;
	}
	*rows = selection.rows;
	*count = selection.count;
	return 0;
}
