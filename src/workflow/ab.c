/* See ab.h. */
#define _GNU_SOURCE
#include "workflow/ab.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "io.h"
#include "result/json/comparison.h"
#include "result/json/json.h"
#include "workflow/machine.h"

enum { A, B };

static const char *const names[] = { [A] = "a", [B] = "b" };

/* ---- what the text of a side means ------------------------------------------------------------------------- */

/* NAME=VALUE with a name that a shell would take; what else has a '=' is a strange path. */
static bool is_variable(const char *word)
{
	if (!isalpha((unsigned char)*word) && *word != '_')
		return false;
	while (isalnum((unsigned char)*word) || *word == '_')
		word++;
	return *word == '=';
}

/* A kbench stands for its collector, which is next to it, or where it is installed. */
static int find_collector(const char *option, char path[PATH_MAX], struct kb_failure *failure)
{
	static const char *const places[] = { "kbench-collect", "../libexec/kbench/kbench-collect" };
	char *slash = strrchr(path, '/'), from[PATH_MAX + 40], why[KB_TRUST_WHY];
	int length = (int)(slash - path), error = -ENOENT;

	if (strcmp(slash, "/kbench") != 0)
		return 0;
	for (unsigned i = 0; i < 2 && error == -ENOENT; i++) {
		snprintf(from, sizeof from, "%.*s/%s", length, path, places[i]);
		error = access(from, F_OK) ? -ENOENT : kb_trust(from, KB_TRUST_OWNER, path, why);
	}
	if (error == -ENOENT)
		return kb_refuse(failure, KB_EXIT_USAGE, "--%s: no kbench-collect next to %.200s", option, path);
	return error ? kb_refuse(failure, KB_EXIT_USAGE, "--%s: %s", option, why) : 0;
}

static int take_path(const char *option, const char *word, struct kb_ab_side *side, struct kb_failure *failure)
{
	size_t length = strlen(word);
	bool plugin = length > 3 && strcmp(word + length - 3, ".so") == 0;
	char *place = plugin ? side->w.plugin_path : side->collector, why[KB_TRUST_WHY];
	int error;

	if (place[0])
		return kb_refuse_typed(failure, "--%s: unexpected path '%.100s': a side has one collector and one plug-in", option, word);
	error = kb_trust(word, KB_TRUST_OWNER, place, why);
	if (error == -EPERM)
		return kb_refuse(failure, KB_EXIT_USAGE, "--%s: %s", option, why);
	if (error)
		return kb_refuse_typed(failure, "--%s '%.100s': neither NAME=VALUE nor a file (%s)", option, word, strerror(-error));
	if (place == side->collector && find_collector(option, place, failure))
		return failure->code;
	if (place == side->collector && access(place, X_OK))
		return kb_refuse_typed(failure, "--%s '%.100s': neither a plug-in FILE.so nor a program", option, word);
	return 0;
}

static int read_side(const char *option, const char *text, struct kb_ab_side *side, struct kb_failure *failure)
{
	size_t count = 0;

	side->words = strdup(text);
	side->environment = calloc(strlen(text) / 2 + 2, sizeof *side->environment);
	if (!side->words || !side->environment)
		return kb_refuse_memory(failure);
	for (char *rest = side->words, *word; (word = strsep(&rest, " \t\n")) != NULL;) {
		if (is_variable(word))
			side->environment[count++] = word;
		else if (*word && take_path(option, word, side, failure))
			return failure->code;
	}
	return 0;
}

/* What one side has, the other has, too, unless it has its own. */
static void share(char *a, char *b, size_t room)
{
	memcpy(a[0] ? b : a, a[0] ? a : b, room);
}

/* The run's options with the side's own program, plug-in and environment. */
static int select_side(const struct kb_workflow_request *request, struct kb_ab_side *side, struct kb_failure *failure)
{
	struct kb_workflow *w = &side->w;
	bool plugin = w->plugin_path[0];
	struct kb_selected wanted = {
		.collectors = &w->collectors, .plugin = plugin ? &w->plugin : NULL, .plugin_file = w->plugin_path,
		.patterns = request->patterns, .pattern_count = request->pattern_count, .sets = request->sets,
		.set_count = request->set_count, .suite = request->pattern_count || plugin ? KB_SELECT_NAMED : KB_SELECT_STANDARD,
		.reach = KB_REACH_FULL,
	};
	char real[PATH_MAX];

	if (plugin && kb_load_plugin(w->plugin_path, w->run.timeout_ns, real, &w->plugin, failure))
		return failure->code;
	if (side->collector[0])
		w->run.collector = side->collector;
	w->run.plugin = plugin ? w->plugin_path : NULL;
	w->run.plugin_name = w->plugin.name;
	w->run.environment = side->environment;
	w->own_rows = true;
	return kb_select_rows(&wanted, &request->notes, &w->rows, &w->count, failure) ?:
	       kb_exclude_rows(request->excludes, request->exclude_count, w->rows, &w->count, failure);
}

static int select_sides(const struct kb_ab_request *ab, struct kb_ab_workflow *job, struct kb_failure *failure)
{
	struct kb_workflow *a = &job->side[A].w, *b = &job->side[B].w;

	for (int i = A; i <= B; i++) {
		struct kb_ab_side *side = &job->side[i];

		if (read_side(names[i], ab->sides[i], side, failure))
			return failure->code;
		kb_collectors_find(&side->w.collectors, side->collector[0] ? side->collector : NULL);
		for (unsigned k = 0; k < KB_COLLECTORS; k++)
			kb_collector_take_turns(&side->w.collectors.each[k]);
	}
	/* A plug-in of one side serves both. What cannot be measured with the collectors of one side, neither measures. */
	if (!a->plugin_path[0] || !b->plugin_path[0])
		share(a->plugin_path, b->plugin_path, sizeof a->plugin_path);
	for (unsigned i = 0; i < KB_COLLECTORS; i++)
		share(a->collectors.each[i].unavailable_reason, b->collectors.each[i].unavailable_reason, KB_BACKEND_WHY);
	for (int i = A; i <= B; i++) {
		if (select_side(ab->request, &job->side[i], failure))
			return failure->code;
	}
	if (a->count != b->count)
		return kb_refuse_typed(failure, "the sides select %zu and %zu rows", a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const char *key_a = a->rows[i].key, *key_b = b->rows[i].key;

		if (strcmp(key_a + strcspn(key_a, " "), key_b + strcspn(key_b, " ")) != 0)
			return kb_refuse_typed(failure, "the sides select different rows: '%.60s' and '%.60s'", key_a, key_b);
	}
	return 0;
}

/* ---- measuring --------------------------------------------------------------------------------------------- */

static int prepare(const struct kb_ab_request *ab, struct kb_ab_workflow *job, struct kb_failure *failure)
{
	struct kb_workflow *a = &job->side[A].w, *b = &job->side[B].w;

	if (ab->request->no_store && ab->request->store)
		return kb_refuse_typed(failure, "--store and --no-store exclude each other");
	if (kb_workflow_prepare(ab->request, a, failure))
		return failure->code;
	*b = *a;
	json_incref(b->env);
	b->watch.terminal = false;
	/* `last` is to be side B and `last~1` side A. Ids sort by milliseconds, hence the pauses. */
	kb_sleep_ns(2 * KB_MS);
	if (kb_run_id(b->id))
		return kb_refuse(failure, KB_EXIT_USAGE, "no random numbers for the runs' ids");
	kb_sleep_ns(2 * KB_MS);
	return 0;
}

static int keep(const struct kb_ab_request *ab, struct kb_ab_workflow *job, struct kb_failure *failure)
{
	for (int i = A; i <= B; i++) {
		struct kb_workflow_request request = *ab->request;
		char label[128];

		snprintf(label, sizeof label, "%.100s-%s", request.label ? request.label : "ab", names[i]);
		request.label = label;
		/* What one could not open, the other cannot: one line is enough. */
		request.no_store = request.no_store || job->side[A].w.watch.lost;
		if (kb_workflow_keep(&request, &job->side[i].w, json_pack("{s:{s:s, s:s, s:o}}", "ab", "batch", job->side[A].w.id, "side", names[i],
									   "of", kb_json_string(ab->sides[i])), failure))
			return failure->code;
	}
	return 0;
}

static int measure(const struct kb_ab_request *ab, struct kb_ab_workflow *job, struct kb_failure *failure)
{
	struct kb_workflow *a = &job->side[A].w, *b = &job->side[B].w;
	struct kb_ab rows = { .rows = { a->rows, b->rows }, .count = a->count, .margin = ab->margin };
	struct kb_run_options run[] = { a->run, b->run };
	struct kb_run_observer observers[] = { kb_watch_observer(&a->watch), kb_watch_observer(&b->watch) };
	char error[256] = "";
	int result;

	a->watch.pair = &b->watch;
	b->watch.pair = &a->watch;
	job->count = a->watch.results = a->count;
	job->pairs = calloc(job->count + 1, sizeof *job->pairs);
	job->rows = calloc(job->count + 1, sizeof *job->rows);
	if (!job->pairs || !job->rows)
		return kb_refuse_memory(failure);
	result = kb_ab_rows(&rows, run, observers, job->pairs, &job->outcome, error);
	a->outcome = b->outcome = job->outcome;
	/* Both saw one floor. */
	a->outcome.k = 0;
	return kb_workflow_finish(a, result, error, failure) | kb_workflow_finish(b, result, error, failure);
}

bool kb_ab_kept(const struct kb_ab_workflow *job)
{
	return kb_workflow_kept(&job->side[A].w) && !job->side[B].w.watch.lost;
}

/* With the newer side. The runs are safe already: a comparison that cannot be kept is noted, and can be made again. */
static void keep_comparison(const struct kb_ab_request *ab, struct kb_ab_workflow *job)
{
	struct kb_workflow *b = &job->side[B].w;
	struct kb_store *store;
	int error;

	if (!kb_ab_kept(job))
		return;
	error = kb_store_open(&store, ab->request->store, KB_STORE_WRITE);
	for (size_t i = 0; i < job->count && !error; i++) {
		char *text = kb_json_take_text(kb_comparison_to_stored(&job->rows[i], job->side[A].w.id));

		error = text ? kb_store_put_comparison(store, b->id, b->rows[i].key, text) : -ENOMEM;
		free(text);
	}
	if (error)
		kb_note(&ab->request->notes, "the comparison is not kept: %s", error == -ENOMEM ? "out of memory" : kb_store_error(store));
	kb_store_close(store);
}

int kb_ab_measure(const struct kb_ab_request *ab, struct kb_ab_workflow *job, struct kb_failure *failure)
{
	const struct kb_compare_rules rules = { .margin = ab->margin };

	memset(job, 0, sizeof *job);
	if (prepare(ab, job, failure) || select_sides(ab, job, failure) || keep(ab, job, failure) || measure(ab, job, failure))
		return failure->code;
	for (size_t i = 0; i < job->count; i++)
		kb_compare_pairs(&job->side[A].w.rows[i].result, &job->side[B].w.rows[i].result, &job->pairs[i].pairs, &rules, &job->rows[i]);
	if (kb_compare_family(job->rows, job->count))
		return kb_refuse_memory(failure);
	keep_comparison(ab, job);
	return 0;
}

void kb_ab_release(struct kb_ab_workflow *job)
{
	for (size_t i = 0; job->pairs && i < job->count; i++)
		kb_pairs_free(&job->pairs[i].pairs);
	for (int i = A; i <= B; i++) {
		kb_workflow_release(&job->side[i].w);
		free(job->side[i].environment);
		free(job->side[i].words);
	}
	free(job->pairs);
	free(job->rows);
}
