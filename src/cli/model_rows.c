/* See model_rows.h. The run is an ordinary one: kept as any other, `kbench show` prints it. */
#include "cli/floor.h"
#include "cli/model_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/saved.h"
#include "cli/stamp.h"
#include "cli/start.h"
#include "cli/watch.h"
#include "result/json/json.h"
#include "store/document.h"
#include "suite/nearest.h"
#include "suite/select.h"

/* ---- from a model's words to a row ----------------------------------------------------------------------- */

static const struct kb_bench *find_bench(const char *name, char why[160])
{
	struct kb_nearest nearest = { .typed = name };

	for (unsigned i = 0; i < kb_bench_count; i++) {
		if (strcmp(kb_benches[i]->name, name) == 0)
			return kb_benches[i];
		kb_nearest_offer(&nearest, kb_benches[i]->name);
	}
	snprintf(why, 160, "no benchmark '%.60s'%s%.60s", name, nearest.best ? ", did you mean " : "; see 'kbench list'",
		 nearest.best ? nearest.best : "");
	return NULL;
}

/* Words behind the name are settings; what they do not say has its default, the first of the standard values. */
static bool make_row(char *text, struct kb_row *row, char why[160])
{
	struct kb_span left = { text, strlen(text) }, w = kb_span_word(&left), name, value;
	char bench_name[80] = "";
	struct kb_text key = kb_text_in(row->key, sizeof row->key), error = kb_text_in(why, 160);
	const struct kb_bench *bench;

	memset(row, 0, sizeof *row);
	memcpy(bench_name, w.at, w.length < sizeof bench_name ? w.length : sizeof bench_name - 1);
	bench = find_bench(bench_name, why);
	if (!bench)
		return false;
	kb_settings_default(&row->settings, bench);
	while ((w = kb_span_word(&left)).length > 0) {
		if (!kb_span_pair(w, &name, &value) || kb_settings_set(&row->settings, name, value, &error))
			return false;
	}
	kb_text_str(&key, bench->name);
	if (bench->params[0].name) {
		kb_text_str(&key, " ");
		kb_settings_format(&key, &row->settings);
	}
	return true;
}

size_t kb_model_rows_add(const struct kb_command *command, struct kb_model_rows *rows, const struct kb_model *model,
			 unsigned quantity, unsigned instance)
{
	char words[320], why[160] = "";
	struct kb_text text = kb_text_in(words, sizeof words);
	struct kb_row row;

	kb_model_row(&text, model, quantity, instance);
	if (text.cut || !make_row(words, &row, why))
		kb_model_row_wrong(command, model, quantity, text.cut ? "a row of too many words" : why);
	for (size_t i = 0; i < rows->count; i++) {
		if (strcmp(rows->rows[i].key, row.key) == 0)
			return i;
	}
	rows->rows = reallocarray(rows->rows, rows->count + 1, sizeof *rows->rows);
	rows->found = reallocarray(rows->found, rows->count + 1, sizeof *rows->found);
	if (!rows->rows || !rows->found)
		kb_no_memory(command);
	rows->rows[rows->count] = row;
	rows->found[rows->count] = false;
	return rows->count++;
}

/* ---- measuring ------------------------------------------------------------------------------------------- */

/* As of `kbench run`, for `kbench analyze` and `kbench show` read it. */
static char *settings_text(const struct kb_model_rows *rows, const struct kb_run_options *run)
{
	json_t *keys = json_array();

	for (size_t i = 0; i < rows->count; i++)
		json_array_append_new(keys, json_string(rows->rows[i].key));

	json_t *json = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:[o, o], s:s, s:s, s:o}",
				 "tool", "kbench " KB_VERSION,
				 "seed", kb_json_whole(run->seed),
				 "precision", kb_json_real(run->precision),
				 "budget_ns", kb_json_whole(run->budget_ns),
				 "timeout_ns", kb_json_whole(run->timeout_ns),
				 "processes", kb_json_whole(run->launches),
				 "cpus", kb_json_whole(run->cpus.measure), kb_json_whole(run->cpus.other),
				 "clock", "auto",
				 "method", "auto",
				 "rows", keys);
	char *text = kb_json_text(json);

	json_decref(json);
	return text;
}

struct measuring {
	const struct kb_command *command;
	struct kb_model_rows *rows;
	struct kb_model_run *options;
	struct kb_stored_run stored;
	struct kb_watch watch;
	struct kb_run_outcome outcome;
	char collector[PATH_MAX], finished[21];
	char *env_text, *command_line, *settings;
	bool unfit;
};

/* Everything that may refuse comes before the first launch. */
static void prepare(struct measuring *m, int argc, char **argv)
{
	struct kb_run_options *run = &m->options->run;

	kb_start_cpus(m->command, m->options->cpus, &run->cpus);
	kb_start_collector(m->command, m->collector);
	run->collector = m->collector;
	m->unfit = kb_start_look(m->command, m->options->strict, &m->rows->env, &m->env_text);
	kb_floor_start(m->rows->env, m->options->store, run);
	if (kb_stamp_id(run->id))
		kb_die(m->command, KB_EXIT_USAGE, "no random numbers for the run's id: %s", strerror(errno));
	kb_stamp_now(m->rows->started);
	m->command_line = kb_start_command_line(argc, argv);
	m->settings = settings_text(m->rows, run);
	if (!m->command_line || !m->settings || !m->env_text)
		kb_die(m->command, KB_EXIT_USAGE, "out of memory, or a path that is not UTF-8");
	m->stored = (struct kb_stored_run){
		.id = run->id, .started = m->rows->started, .finished = "", .label = m->options->label,
		.command = m->command_line, .env = m->env_text, .settings = m->settings,
		.env_class = kb_json_env_id(m->rows->env),
	};
	m->watch = (struct kb_watch){ .command = m->command, .terminal = isatty(STDERR_FILENO), .run_id = run->id };
	if (!m->options->no_store)
		kb_watch_open(&m->watch, m->options->store, &m->stored);
}

/* A row that failed is no failure of the model: it says that it has no number. */
static void conclude(struct measuring *m)
{
	struct kb_model_rows *rows = m->rows;
	bool kept = m->watch.place[0] && !m->watch.lost;

	if (m->watch.lost)
		rows->code = KB_EXIT_USAGE;
	else if (m->outcome.interrupted)
		rows->code = KB_EXIT_SIGNAL + m->outcome.signal;
	else if (m->unfit)
		rows->code = KB_EXIT_UNFIT;
	m->stored.finished = m->finished;
	rows->run = kb_stored_run_to_json(&m->stored);
	snprintf(rows->where, sizeof rows->where, "%u processes for %zu result%s in %.1f s, seed %llu%s; %s%s", m->outcome.launches,
		 rows->count, rows->count == 1 ? "" : "s", (double)m->outcome.elapsed_ns / 1e9,
		 (unsigned long long)m->options->run.seed, m->outcome.interrupted ? ", stopped by a signal" : "",
		 kept ? "run " : "not saved", kept ? m->stored.id : "");
}

void kb_model_rows_measure(const struct kb_command *command, struct kb_model_rows *rows, struct kb_model_run *options, int argc,
			   char **argv)
{
	struct measuring m = { .command = command, .rows = rows, .options = options };
	char error[256] = "";

	prepare(&m, argc, argv);
	kb_start_signals();

	struct kb_run_observer observer = kb_watch_observer(&m.watch);
	int result = kb_run_rows(rows->rows, rows->count, &options->run, &observer, &m.outcome, error);

	for (size_t i = 0; i < rows->count; i++) {
		kb_saved_settle(&rows->rows[i].result, rows->rows[i].key, options->run.launches);
		rows->found[i] = true;
		if (!result)
			kb_watch_save(&m.watch, &rows->rows[i], i);
	}
	kb_stamp_now(m.finished);
	kb_watch_close(&m.watch, m.finished);
	if (result)
		kb_die(command, KB_EXIT_FAILED, "%s", error[0] ? error : strerror(-result));
	conclude(&m);
	free(m.command_line);
	free(m.settings);
	free(m.env_text);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

struct reading {
	const struct kb_command *command;
	struct kb_model_rows *rows;
	const char *id;
};

/* Results of rows that nobody asked for are passed over unread. */
static int take_row(void *context, const char *key, const char *text)
{
	struct reading *reading = context;
	struct kb_model_rows *rows = reading->rows;

	for (size_t i = 0; i < rows->count; i++) {
		if (strcmp(rows->rows[i].key, key) != 0)
			continue;

		json_t *json = json_loads(text, 0, NULL);

		if (kb_result_from_json(&rows->rows[i].result, json)) {
			kb_die(reading->command, KB_EXIT_USAGE, "the result of '%s' is damaged; 'kbench analyze --rebuild %s' makes "
			       "it again from its records", key, reading->id);
		}
		rows->found[i] = true;
		json_decref(json);
	}
	return 0;
}

void kb_model_rows_read(const struct kb_command *command, struct kb_model_rows *rows, const char *path, const char *run)
{
	struct kb_store *store = kb_saved_open(command, path, KB_STORE_READ);
	struct kb_saved saved;
	char id[37];
	struct reading reading = { command, rows, id };

	kb_saved_check(command, store, kb_store_find_run(store, run, id));
	kb_saved_load(command, store, id, &saved);
	kb_saved_check(command, store, kb_store_each_summary(store, id, take_row, &reading));
	rows->run = saved.run;
	rows->env = saved.env;
	snprintf(rows->started, sizeof rows->started, "%.20s", json_string_value(json_object_get(saved.run, "started")) ?: "");
	snprintf(rows->where, sizeof rows->where, "of run %s", id);
	kb_store_close(store);
}

/* ---- values ---------------------------------------------------------------------------------------------- */

/* What worsened the verdict most; but where several modes took the number away, that. */
static const struct kb_reason *worst_of(const struct kb_verdict *verdict)
{
	const struct kb_reason *worst = NULL;

	for (unsigned i = 0; i < verdict->count && i < KB_REASONS_MAX; i++) {
		const struct kb_reason *reason = &verdict->reasons[i];
		bool modes = reason->code == KB_CODE_multimodal && verdict->status == KB_NOISY;

		if (!worst || modes || kb_reason_severity(reason) > kb_reason_severity(worst))
			worst = reason;
		if (modes)
			return worst;
	}
	return worst;
}

static void reason_of(const struct kb_result *result, char why[200])
{
	const struct kb_reason *worst = worst_of(&result->verdict);
	bool detail = worst && worst->detail[0];

	snprintf(why, 200, "%s: %.60s%s%.70s%s", kb_status_name(result->verdict.status), worst ? kb_reason_words(worst) : "no number",
		 detail ? " (" : "", detail ? worst->detail : "", detail ? ")" : "");
}

/* Time was measured: the interval is turned over, so the upper end of the cost is the lower end of the rate. */
static struct kb_estimate inverted(const struct kb_estimate *cost, uint64_t bytes)
{
	struct kb_estimate rate = { .known = cost->known && cost->value > 0 };

	if (rate.known)
		rate.value = (double)bytes / cost->value;
	rate.bounded = rate.known && cost->bounded && cost->low > 0;
	if (rate.bounded) {
		rate.low = (double)bytes / cost->high;
		rate.high = (double)bytes / cost->low;
	}
	return rate;
}

void kb_model_rows_value(const struct kb_model_rows *rows, size_t index, enum kb_quantity_kind kind,
			 struct kb_quantity_value *value)
{
	const struct kb_result *result = &rows->rows[index].result;
	const struct kb_estimate *cost = rows->observed ? &result->observed : &result->estimate;
	enum kb_status status = result->verdict.status;

	*value = (struct kb_quantity_value){ .status = status };
	snprintf(value->row, sizeof value->row, "%s", rows->rows[index].key);
	if (!rows->found[index]) {
		snprintf(value->why, sizeof value->why, "the run does not have this row");
		value->status = KB_SKIPPED;
	} else if (status == KB_INVALID || status == KB_SKIPPED || !cost->known) {
		reason_of(result, value->why);
	} else if (result->ticks_per_ns <= 0) {
		snprintf(value->why, sizeof value->why, "its clock has no known rate");
	} else if (kind == KB_QUANTITY_RATE && result->bytes_per_op == 0) {
		snprintf(value->why, sizeof value->why, "its operation moves no bytes: the model must say time");
	} else {
		value->estimate = kind == KB_QUANTITY_RATE ? inverted(cost, result->bytes_per_op) : *cost;
	}
}

void kb_model_rows_free(struct kb_model_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		kb_row_release(&rows->rows[i]);
	free(rows->rows);
	free(rows->found);
	json_decref(rows->run);
	json_decref(rows->env);
}
