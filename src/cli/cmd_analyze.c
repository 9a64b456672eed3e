/* kbench analyze: statistics of files that were not measured here, of runs of the store, and of published tables. */
#include "cli/cli.h"

#include <getopt.h>
#include <string.h>

#include "cli/analyze.h"
#include "cli/print.h"
#include "cli/values.h"
#include "study/published.h"

enum { METHOD, SKIP, CONFIDENCE, HALF_WIDTH, PUBLISHED, REBUILD, STORE, JSON, OPTIONS };

static const struct kb_option options[] = {
	[METHOD] = { 0, "method", "kanata|slope|single", "how to read the file", "what its content says", KB_BY_HAND },
	[SKIP] = { 0, "skip", "K", "leave out the first K tests of each group", "0", KB_BY_HAND },
	[CONFIDENCE] = { 0, "confidence", "PERCENT", "of the confidence intervals", "90%", KB_BY_HAND },
	[HALF_WIDTH] = { 0, "half-width", "PERCENT", "that is wanted, of the mean", "2%", KB_BY_HAND },
	[PUBLISHED] = { 0, "published", NULL, "recompute the published tables; exit with 5 if one differs", NULL, KB_BY_HAND },
	[REBUILD] = { 0, "rebuild", NULL, "make the results of stored runs again", NULL, KB_BY_HAND },
	[STORE] = { 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", KB_BY_HAND },
	[JSON] = { 0, "json", NULL, "print kbench-analyze/1", NULL, KB_BY_HAND },
	{ 0 }
};

/* A confidence of 100 % has no end, and one below a half says nothing. */
static double confidence(const struct kb_command *command, const char *value)
{
	double result = kb_value_percent(command, "confidence", value);

	if (result < .5 || result > .9999)
		kb_usage(command, "--confidence '%.40s': must be between 50%% and 99.99%%", value);
	return result;
}

static enum kb_analysis_method method(const struct kb_command *command, const char *value)
{
	for (int i = 0; i < KB_ANALYSIS_METHODS; i++) {
		if (strcmp(value, kb_analysis_methods[i]) == 0)
			return (enum kb_analysis_method)i;
	}
	kb_usage(command, "--method '%.40s': must be kanata, slope or single", value);
}

static void set(struct kb_analyze_request *request, int option, const char *value)
{
	switch (option) {
	case METHOD: request->method = method(request->command, value); break;
	case SKIP: request->options.skip = kb_value_number(request->command, "skip", value, 0, UINT32_MAX); break;
	case CONFIDENCE: request->options.confidence = confidence(request->command, value); break;
	case HALF_WIDTH:
		request->options.half_width = kb_value_percent(request->command, "half-width", value);
		break;
	case JSON: request->json = true; break;
	}
	if (option >= SKIP && option <= HALF_WIDTH)
		request->tuned = options[option].name;
}

static int published(bool json)
{
	struct kb_published_check check = kb_published_check();
	struct kb_style look = kb_style_here(true);

	if (json)
		kb_print_json(
			json_pack("{s:s, s:o}", "schema", "kbench-analyze/1", "published", kb_published_json(&check)));
	else
		kb_published_print(stdout, &check, &look);
	return check.ok ? KB_EXIT_DONE : KB_EXIT_FAILED;
}

/* Which of several things was meant, only the user knows. */
static void check_choice(const struct kb_command *command, const bool *chosen)
{
	int alone = chosen[REBUILD] ? REBUILD : chosen[PUBLISHED] ? PUBLISHED : OPTIONS;

	if (chosen[STORE] && alone != REBUILD)
		kb_usage(command, "--store goes with --rebuild");
	for (int i = 0; i < OPTIONS && alone != OPTIONS; i++) {
		if (chosen[i] && i != alone && i != JSON && !(i == STORE && alone == REBUILD))
			kb_usage(command, "--%s and --%s exclude each other", options[alone].name, options[i].name);
	}
}

static int analyze_main(const struct kb_command *command, int argc, char **argv)
{
	struct kb_analyze_request request = {
		.command = command, .method = KB_ANALYSIS_METHODS, .options = { .confidence = .9, .half_width = .02 },
	};
	bool chosen[OPTIONS] = { false };
	const char *value, *path = NULL, *name = NULL;
	int option;

	while ((option = kb_next_option(command, argc, argv, &value)) >= 0) {
		chosen[option] = true;
		if (option == STORE)
			path = value;
		set(&request, option, value);
	}
	check_choice(command, chosen);
	if (chosen[REBUILD] && optind < argc)
		name = argv[optind++];
	if (chosen[REBUILD] || chosen[PUBLISHED])
		kb_no_more(command, argc, argv);
	if (chosen[REBUILD])
		return kb_analyze_rebuild(command, path, name, request.json);
	if (chosen[PUBLISHED])
		return published(request.json);
	if (optind == argc)
		kb_usage(command, "nothing to do without --rebuild, --published or a FILE");
	request.files = argv + optind;
	request.file_count = (size_t)(argc - optind);
	return kb_analyze_files(&request);
}

const struct kb_command kb_command_analyze = {
	.name = "analyze",
	.arguments = "[FILE...]",
	.summary = "Print the statistics of measurements from a file, without storing them",
	.text = "FILE is a table or console output of the KBench application (s, one column a test size), CSV with "
		"one\n"
		"column of values or with n and ticks, CSV with names, x and y, or a record; the content decides.\n"
		"Several files are also analyzed together. --rebuild [RUN] makes the results of stored runs again "
		"from\n"
		"their records instead, RUN as for 'kbench show', without it all runs.\n",
	.options = options,
	.examples = "  kbench analyze console.log\n"
		    "  kbench analyze small.csv large.csv --skip 2 --confidence 95%\n"
		    "  kbench analyze --published\n"
		    "  kbench analyze --rebuild last\n",
	.exits = "  0 done; 2 usage, unreadable or malformed file, unknown run, unreadable or unwritable store, "
		 "unwritable\n"
		 "  output; 5 a published table differs\n",
	.main = analyze_main,
};
