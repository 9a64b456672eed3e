/* See sides.h. */
#define _GNU_SOURCE
#include "cli/sides.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/rows.h"
#include "cli/start.h"

/* NAME=VALUE with a name that a shell would take; what else has a '=' is a strange path. */
static bool is_variable(const char *word)
{
	if (!isalpha((unsigned char)*word) && *word != '_')
		return false;
	while (isalnum((unsigned char)*word) || *word == '_')
		word++;
	return *word == '=';
}

static bool is_plugin(const char *path)
{
	size_t length = strlen(path);

	return length > 3 && strcmp(path + length - 3, ".so") == 0;
}

static void take_path(const struct kb_command *command, const char *option, const char *word, struct kb_side *side)
{
	char *place = is_plugin(word) ? side->plugin : side->collector, why[KB_TRUST_WHY];
	int error;

	if (place[0])
		kb_usage(command, "--%s: '%.100s' is one path too many", option, word);
	error = kb_trust(word, KB_TRUST_OWNER, place, why);
	if (error == -EPERM)
		kb_die(command, KB_EXIT_USAGE, "--%s: %s", option, why);
	if (error)
		kb_usage(command, "--%s '%.100s': neither NAME=VALUE nor a file (%s)", option, word, strerror(-error));
	if (place == side->collector && access(place, X_OK))
		kb_usage(command, "--%s '%.100s': neither a plug-in FILE.so nor a program", option, word);
}

static void load_plugin(const struct kb_command *command, uint64_t limit_ns, struct kb_side *side)
{
	char real[PATH_MAX];

	if (side->plugin[0])
		kb_start_plugin(command, side->plugin, limit_ns, real, &side->bench);
}

void kb_side_read(const struct kb_command *command, const char *option, const char *text, struct kb_side *side)
{
	size_t count = 0;

	side->text = text;
	side->words = strdup(text);
	side->environment = calloc(strlen(text) / 2 + 2, sizeof *side->environment);
	if (!side->words || !side->environment)
		kb_no_memory(command);
	for (char *rest = side->words, *word; (word = strsep(&rest, " \t\n")) != NULL;) {
		if (is_variable(word))
			side->environment[count++] = word;
		else if (*word)
			take_path(command, option, word, side);
	}
}

static void find_platforms(struct kb_side *side)
{
	kb_collectors_find(&side->collectors, side->collector[0] ? side->collector : NULL);
	for (unsigned i = 0; i < KB_COLLECTORS; i++)
		kb_collector_take_turns(&side->collectors.each[i]);
}

/* What one side lacks, both do; each has its own collector of it. */
static void share_platforms(struct kb_side *a, struct kb_side *b)
{
	find_platforms(a);
	find_platforms(b);
	for (unsigned i = 0; i < KB_COLLECTORS; i++) {
		char *of_a = a->collectors.each[i].unavailable_reason, *of_b = b->collectors.each[i].unavailable_reason;

		memcpy(of_a[0] ? of_b : of_a, of_a[0] ? of_a : of_b, KB_BACKEND_WHY);
	}
}

void kb_sides_share(const struct kb_command *command, uint64_t limit_ns, struct kb_side *a, struct kb_side *b)
{
	struct kb_side *poor = a->plugin[0] ? b : a, *rich = a->plugin[0] ? a : b;

	share_platforms(a, b);
	if (!poor->plugin[0])
		memcpy(poor->plugin, rich->plugin, sizeof poor->plugin);
	load_plugin(command, limit_ns, a);
	load_plugin(command, limit_ns, b);
}

void kb_side_select(const struct kb_command *command, struct kb_side *side, const char *const *patterns,
		    size_t pattern_count, const char *const *sets, size_t set_count, struct kb_row **rows, size_t *count)
{
	struct kb_rows_request wanted = {
		.collectors = &side->collectors, .plugin = side->plugin[0] ? &side->bench : NULL,
		.plugin_file = side->plugin, .patterns = patterns, .pattern_count = pattern_count, .sets = sets,
		.set_count = set_count, .suite = pattern_count || side->plugin[0] ? KB_SELECT_NAMED : KB_SELECT_STANDARD,
		.reach = KB_REACH_FULL,
	};

	kb_rows_select(command, &wanted, rows, count);
}

void kb_side_release(struct kb_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		kb_row_release(&side->rows[i]);
	free(side->rows);
	free(side->environment);
	free(side->words);
}
