/* kbench new: writes the beginning of a benchmark, which works as it is. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/files.h"

#define PLACE "NAME"            /* where the name goes in the text */

extern const char kb_text_new_benchmark[];      /* doc/new-benchmark.c */

struct request { const char *output; };

static const struct kb_option options[] = {
	{ 'o', "output", "FILE", "write this file; -: standard output", "NAME.c", KB_OPTION(WORD, struct request, output) },
	{ 0 }
};

static void write_text(FILE *out, const char *text, const char *name)
{
	for (const char *found; (found = strstr(text, PLACE)); text = found + strlen(PLACE))
		fprintf(out, "%.*s%s", (int)(found - text), text, name);
	fputs(text, out);
}

static int new_main(const struct kb_command *command, int argc, char **argv)
{
	static const char *const kinds[] = { "benchmark", NULL };
	struct request request = { NULL };
	struct kb_output output;
	const char *name;
	char path[80];

	kb_read_options(command, argc, argv, &request);
	kb_subcommand(command, kinds, optind < argc ? argv[optind++] : NULL);
	if (optind == argc)
		kb_usage(command, "missing NAME");
	name = argv[optind++];
	kb_no_more(command, argc, argv);
	if (!kb_is_bench_name(name))
		kb_usage(command, "'%.100s': is no name for a benchmark; use at most 63 letters, digits, _ - and .", name);
	snprintf(path, sizeof path, "%s.c", name);
	request.output = request.output ?: path;
	if (access(request.output, F_OK) == 0)
		kb_die(command, KB_EXIT_USAGE, "'%.200s' exists and is not overwritten; -o names another file", request.output);

	write_text(kb_output_begin(command, &output), kb_text_new_benchmark, name);
	kb_output_put(command, request.output, &output);
	if (strcmp(request.output, "-"))
		printf("%1$s: cc -O2 %1$s $(pkg-config --cflags --libs kbench) -o %2$s && ./%2$s\n", request.output, name);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_new = {
	.name = "new",
	.arguments = "benchmark NAME",
	.summary = "Write a benchmark of your own to begin with",
	.text = "A C program that measures a function and works as it is: put yours in its place.\n",
	.options = options,
	.examples = "  kbench new benchmark parse\n"
		    "  kbench new benchmark parse -o bench/parse.c\n",
	.exits = "  0 done; 2 usage, the file exists or cannot be written\n",
	.main = new_main,
};
