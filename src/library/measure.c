/* kb_measure: one benchmark, measured from inside a running program, which is left as it was. */
#define _GNU_SOURCE
#include "library/library.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "io.h"

#define PARAMS_MAX 1024

struct kb_workflow_request kb_library_request(const struct kb_bench *const *benches)
{
	static char collector[] = KB_COLLECTOR_VARIABLE "=1", *environment[] = { collector, NULL };
	struct kb_workflow_request request = kb_workflow_defaults();

	request.benches = benches;
	/* Not its path: the file may have been built anew since. */
	request.run.collector = "/proc/self/exe";
	request.run.environment = environment;
	return request;
}

/* ---- this program, as it was ------------------------------------------------------------------------------- */

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };

#define SIGNALS (sizeof signals / sizeof signals[0])

struct before { struct sigaction actions[SIGNALS]; int subreaper; };

static void keep_before(struct before *before)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], NULL, &before->actions[i]);
	prctl(PR_GET_CHILD_SUBREAPER, &before->subreaper);
}

static void restore(const struct before *before)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before->actions[i], NULL);
	prctl(PR_SET_CHILD_SUBREAPER, before->subreaper);
}

/* ---- the request ------------------------------------------------------------------------------------------- */

static const struct kb_bench *only[2];  /* what is measured */

static void collect_in_fork(int argc, char **argv)
{
	kb_measurable(argc, argv, only);
}

/* "size=64K order=local" to words, in words[], whose texts are in text. */
static size_t split(char text[PARAMS_MAX], const char *params, const char *words[KB_PARAM_MAX])
{
	size_t count = 0;
	char *rest;

	snprintf(text, PARAMS_MAX, "%s", params);
	for (char *word = strtok_r(text, " ", &rest); word && count < KB_PARAM_MAX; word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	return count;
}

static void apply(const struct kb_measure_options *options, struct kb_workflow_request *request)
{
	if (options->budget > 0)
		request->run.budget_ns = (uint64_t)(options->budget * 1e9);
	request->run.precision = options->precision > 0 ? options->precision : request->run.precision;
	request->run.processes = options->processes ?: request->run.processes;
	request->cpus = options->cpus;
	request->label = options->label;
	request->no_store = options->store && !options->store[0];
	request->store = request->no_store ? NULL : options->store;
}

/* ---- the answer -------------------------------------------------------------------------------------------- */

static void add_reason(void *context, const char *text)
{
	struct kb_measured *found = context;
	size_t used = strlen(found->reasons);

	snprintf(found->reasons + used, sizeof found->reasons - used, "%s%s", used ? "\n" : "", text);
}

static void add_reasons(struct kb_measured *found, const struct kb_verdict *verdict)
{
	const struct kb_notes notes = { add_reason, found };

	for (unsigned i = 0; i < verdict->count && i < KB_REASONS_MAX; i++) {
		const struct kb_reason *reason = &verdict->reasons[i];

		if (kb_reason_severity(reason) >= KB_CAUSE)
			kb_note(&notes, "%s: %s: %s; %s", kb_severity_word(kb_reason_severity(reason)), kb_reason_name(reason),
				kb_reason_words(reason), reason->detail);
	}
}

static int answer(const struct kb_workflow *w, struct kb_measured *found)
{
	const struct kb_result *result = &w->rows[0].result;
	const struct kb_estimate *estimate = &result->estimate;

	found->value = estimate->known ? estimate->value : NAN;
	found->low = estimate->known && estimate->bounded ? estimate->low : NAN;
	found->high = estimate->known && estimate->bounded ? estimate->high : NAN;
	found->unit = kb_time_unit(result);
	found->verdict = kb_status_name(result->verdict.status);
	found->processes = result->processes;
	if (kb_workflow_kept(w))
		memcpy(found->run, w->id, sizeof found->run);
	add_reasons(found, &result->verdict);
	return result->verdict.status >= KB_INVALID || !estimate->known ? -ENODATA : 0;
}

/* What makes no sense, before anything is begun. */
static const char *find_wrong(const struct kb_measure_options *options)
{
	if (getenv(KB_COLLECTOR_VARIABLE))
		return "this process was started to measure, and has not come to KB_MEASURABLE";
	return options && options->params && strchr(options->params, ',') ? "params: one value of each parameter" : NULL;
}

/* A signal that ended the run is for the program, too. */
static int measure(struct kb_workflow_request *request, struct kb_measured *found)
{
	static struct kb_workflow w;
	struct kb_failure failure = { 0 };
	struct before before = { .subreaper = 0 };

	keep_before(&before);
	kb_ignore_file_limit();
	int result = kb_workflow_measure(request, &w, &failure);

	if (result)
		add_reason(found, failure.text);
	result = !result ? answer(&w, found) : result == KB_EXIT_USAGE ? -EINVAL : -EIO;
	kb_workflow_release(&w);
	restore(&before);
	if (w.outcome.interrupted)
		raise(w.outcome.signal);
	return w.outcome.interrupted ? -EINTR : result;
}

int kb_measure(const struct kb_bench *bench, const struct kb_measure_options *options, struct kb_measured *found)
{
	struct kb_workflow_request request = kb_library_request(only);
	const char *words[KB_PARAM_MAX], *wrong = find_wrong(options);
	char text[PARAMS_MAX];

	*found = (struct kb_measured){ .value = NAN, .low = NAN, .high = NAN, .unit = "ns", .verdict = kb_status_name(KB_SKIPPED) };
	if (wrong) {
		add_reason(found, wrong);
		return -EINVAL;
	}
	only[0] = bench;
	request.patterns = &bench->name;
	request.pattern_count = 1;
	request.defaults = true;
	request.program = program_invocation_name;
	request.notes = (struct kb_notes){ add_reason, found };
	request.run.fork = kb_is_measurable(bench) ? NULL : collect_in_fork;
	if (options)
		apply(options, &request);
	request.sets = words;
	request.set_count = options && options->params ? split(text, options->params, words) : 0;
	return measure(&request, found);
}
