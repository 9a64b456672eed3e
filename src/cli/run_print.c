/* See run.h: what `kbench run` prints. */
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/text/changes.h"
#include "report/text/records.h"
#include "result/summary/kernel.h"
#include "run/engine.h"

/* So much of an id, the milliseconds, names a run. */
#define ID_START 13

const char *kb_run_selection(const struct kb_workflow_request *request, enum kb_selection selection, char text[KB_SELECTION_ROOM])
{
	const char *suite = kb_selection_name(selection), *file = request->program ?: request->plugin, *slash = file ? strrchr(file, '/') : NULL;
	struct kb_text title = kb_text_in(text, KB_SELECTION_ROOM);

	if (suite)
		kb_text_str(&title, suite);
	for (size_t i = 0; i < request->pattern_count; i++) {
		kb_text_str(&title, i == 0 && suite ? ": " : i > 0 ? " " : "");
		kb_text_str(&title, request->patterns[i]);
	}
	if (file) {
		kb_text_str(&title, title.used > 0 ? " " : "");
		kb_text_str(&title, slash ? slash + 1 : file);
	}
	if (title.cut)
		snprintf(text, KB_SELECTION_ROOM, "selection");
	return text;
}

/* What ended it, as far as its results came; how to repeat it (the seed), where it is kept, and what to do with it. Results whose cost
   must be nothing have no relative precision. */
static void print_end(const struct kb_workflow *w, const struct kb_result *const *results, const struct kb_baseline *baseline)
{
	const struct kb_run_options *run = &w->run;
	const struct kb_run_outcome *outcome = &w->outcome;
	const char *sign = kb_style_here(false).utf8 ? "\u00b1" : "+-";
	size_t reached = 0, all = 0;

	for (size_t i = 0; i < w->count; i++) {
		all += results[i]->bound != KB_NOTHING;
		reached += kb_verdict_has(&results[i]->verdict, KB_CODE_target_met);
	}
	if (outcome->interrupted)
		printf("stopped by signal %d (%s)", outcome->signal, strsignal(outcome->signal));
	else if (outcome->processes == 0)
		printf("nothing was measured");
	else if (outcome->precision_met)
		printf("precision reached: %zu of %zu results within %s%.4g %%", reached, all, sign, 100 * run->precision);
	else if (outcome->tried_out)
		printf("precision not reached with as many processes as a result gets: %zu of %zu results within %s%.4g %%", reached, all, sign,
		       100 * run->precision);
	else
		printf("time budget (%.4g s) used up: %zu of %zu results reached %s%.4g %%", (double)run->budget_ns / 1e9, reached, all,
		       sign, 100 * run->precision);
	printf("; %u processes in %.1f s, seed %llu\n", outcome->processes, (double)outcome->elapsed_ns / 1e9,
	       (unsigned long long)w->run.seed);
	if (!kb_workflow_kept(w)) {
		printf("not saved%s\n", w->watch.lost ? "" : " (--no-store)");
		return;
	}
	printf("run %s in %s\n", w->id, w->watch.place);
	printf("next: kbench show %s   what stands behind a result", kb_print_example(results, w->count));
	if (baseline->rows)
		printf("    kbench compare %.*s last", ID_START, baseline->id);
	putchar('\n');
}

static void print_tables(const struct kb_command *command, const struct kb_run_request *request, const struct kb_workflow *w,
			 const struct kb_result *const *results)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct kb_row_state *state = w->rows[i].state;
		struct kb_failure failure;

		struct kb_process_text *texts = state ? kb_kept_unpack(state->texts, state->text_count) : NULL;

		if (texts)
			kb_die_if(command, kb_records_tables(results[i], texts, state->text_count, w->run.kanata.half_width, false, &failure),
				  &failure);
		if (texts && (request->verbose || (w->count == 1 && !request->quiet)))
			fputs(kb_kernel_summary(results[i], texts, state->text_count, kb_style_here(false).utf8), stdout);
		kb_kept_release(texts, state ? state->text_count : 0);
	}
}

void kb_run_print_end(const struct kb_command *command, const struct kb_run_request *request, const struct kb_workflow *w,
		      const struct kb_result *const *results, const struct kb_baseline *baseline)
{
	struct kb_style style = kb_style_here(false);

	print_tables(command, request, w, results);
	/* Whoever wants only numbers wants to know that they are none. */
	if (!w->outcome.clock.ladder_ok && w->outcome.ladder[0])
		kb_complain(command, "the clock fails its self-test: %s", w->outcome.ladder);
	if (request->quiet)
		return;
	if (baseline->rows)
		kb_changes_print(stdout, baseline, w->started, &style);
	print_end(w, results, baseline);
}

/* ---- before it is measured ----------------------------------------------------------------------------------- */

static void print_forecast(const struct kb_workflow *w, const struct kb_baseline *baseline)
{
	struct kb_forecast forecast = kb_baseline_forecast(baseline, w);
	struct kb_style style = kb_style_here(false);
	double budget = (double)w->run.budget_ns / 1e9;
	int places = forecast.seconds < 10;

	kb_print_sentence(stdout, &style, 0, "budget %.4g s: the run ends then at the latest, and before that when every 95 %% CI is within "
			  "\u00b1%.4g %%", budget, 100 * w->run.precision);
	if (forecast.measured)
		kb_print_sentence(stdout, &style, 0, "expected time: about %.*f s, for %zu processes (%u of a result) of %.2g s, which is what one "
				  "took in run %.*s, everything included", places, forecast.seconds, forecast.processes, w->run.processes,
				  forecast.per_process, ID_START, baseline->id);
	else
		kb_print_sentence(stdout, &style, 0, "least time: more than %.*f s, for %zu processes (%u of a result) of %.2g s at the least; no "
				  "run of this machine in the store tells more", places, forecast.seconds, forecast.processes, w->run.processes,
				  forecast.per_process);
	if (forecast.reached < w->count)
		kb_print_sentence(stdout, &style, 0, "the budget is too short: about %zu of %zu results would get a process, and the others would be "
				  "skipped", forecast.reached, w->count);
	else if (forecast.seconds > budget)
		kb_print_sentence(stdout, &style, 0, "the budget is shorter than that: there will be fewer or shorter processes, and wider CIs");
}

void kb_run_print_plan(const struct kb_run_request *request, const struct kb_workflow *w, const struct kb_baseline *baseline)
{
	char title[KB_SELECTION_ROOM];

	if (!request->quiet)
		printf("%s: %zu result%s would be measured\n", kb_run_selection(&request->w, w->suite, title), w->count, w->count == 1 ? "" : "s");
	for (size_t i = 0; i < w->count; i++) {
		const struct kb_collector *collector = w->rows[i].collector;
		const char *reason = collector ? collector->unavailable_reason : "";

		if (request->quiet)
			puts(w->rows[i].key);
		else
			printf("  %s%s%s\n", w->rows[i].key, reason[0] ? "   would be skipped: " : "", reason);
	}
	if (!request->quiet)
		print_forecast(w, baseline);
}

/* ---- what the exit code is about ------------------------------------------------------------------------------ */

#define NAMED_MOST 5            /* the table has all */

/* "2 results are noisy (--fail-on): sys.stat, mem.latency size=64M" */
static void complain_of(const struct kb_command *command, const char *what, const char *const *names, size_t count)
{
	char line[400];
	struct kb_text text = kb_text_in(line, sizeof line);

	for (size_t i = 0; i < count && i < NAMED_MOST; i++) {
		kb_text_str(&text, i == 0 ? "" : ", ");
		kb_text_str(&text, names[i]);
	}
	kb_complain(command, "%zu result%s %s %s (--fail-on): %s%s", count, count == 1 ? "" : "s", count == 1 ? "is" : "are", what, line,
		    count > NAMED_MOST ? ", ..." : "");
}

int kb_run_fail(const struct kb_command *command, unsigned fail_on, const struct kb_workflow *w, const struct kb_baseline *baseline)
{
	const char **names = kb_need_memory(command, calloc(w->count + 1, sizeof *names));
	int code = KB_EXIT_DONE;

	for (unsigned bit = KB_NOISY; bit <= KB_FAIL_ON_SLOWER; bit++) {
		size_t found = 0;

		for (size_t i = 0; i < w->count && (fail_on >> bit & 1); i++) {
			bool slower = baseline->rows && baseline->rows[i].counts && kb_baseline_decision(&baseline->rows[i]) == KB_SLOWER;

			if (bit == KB_FAIL_ON_SLOWER ? slower : w->rows[i].result.verdict.status == (enum kb_status)bit)
				names[found++] = w->rows[i].key;
		}
		if (found == 0)
			continue;
		complain_of(command, bit == KB_FAIL_ON_SLOWER ? "slower" : kb_status_name((enum kb_status)bit), names, found);
		code = kb_worse_exit(code, bit == KB_FAIL_ON_SLOWER ? KB_EXIT_REGRESSION : KB_EXIT_FAILED);
	}
	free(names);
	return code;
}
