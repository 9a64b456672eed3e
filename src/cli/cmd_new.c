/* kbench new: writes the beginning of a benchmark, which works as it is. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

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

/* Never over another file, and no part of one. */
static void write_file(const struct kb_command *command, const char *path, const char *name)
{
	FILE *out = fopen(path, "wxe");
	int failed;

	if (!out)
		kb_die(command, KB_EXIT_USAGE, "cannot write '%.200s': %s", path, errno == EEXIST ? "it exists; -o names another file" : strerror(errno));
	write_text(out, kb_text_new_benchmark, name);
	failed = ferror(out);
	if (fclose(out) || failed) {
		unlink(path);
		kb_die(command, KB_EXIT_USAGE, "cannot write '%.200s': %s", path, strerror(errno));
	}
	printf("%s: cc -O2 %s $(pkg-config --cflags --libs kbench) -o %s && ./%s\n", path, path, name, name);
}

static int new_main(const struct kb_command *command, int argc, char **argv)
{
	static const char *const kinds[] = { "benchmark", NULL };
	struct request request = { NULL };
	char path[80];
	const char *name;

	kb_read_options(command, argc, argv, &request);
	kb_subcommand(command, kinds, optind < argc ? argv[optind++] : NULL);
	if (optind == argc)
		kb_usage(command, "missing NAME");
	name = argv[optind++];
	kb_no_more(command, argc, argv);
	if (!kb_is_bench_name(name))
		kb_usage(command, "'%.100s': is no name for a benchmark; use at most 63 letters, digits, _ - and .", name);
	snprintf(path, sizeof path, "%s.c", name);
	if (request.output && strcmp(request.output, "-") == 0)
		write_text(stdout, kb_text_new_benchmark, name);
	else
		write_file(command, request.output ? request.output : path, name);
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
