/*
 * proc.command: any command, started and waited for: argv=ls:-l:/ is `ls -l /`, words apart by colons, since spaces and
 * commas have other meanings on the command line. It must leave with exit code `status`, and see no input. What it
 * writes goes nowhere.
 */
#include <errno.h>
#include <string.h>

#include <kbench_parties.h>

#define WORDS_MAX 32

static char words[64], *argv[WORDS_MAX + 1];
static int status;

static int setup(struct kb_run *run)
{
	char *at = words, *word;

	strncpy(words, kb_param_text(run, "argv"), sizeof words - 1);
	status = (int)kb_param_number(run, "status");
	for (int i = 0; i < WORDS_MAX && (word = strsep(&at, ":")); i++)
		argv[i] = word;
	if (at)
		return kb_fail(run, E2BIG, "a command has %d words at most", WORDS_MAX);
	return kb_execute(run, argv, status);
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++) {
		error = kb_execute(run, argv, status);
		kb_count(run, KB_SEEN, !error);
	}
	return error;
}

KB_BENCHMARK(
	.summary = "a given command: start it and wait for it", .per = "command",
	.suite = KB_FULL, .portability = KB_ASSUMING, .lmbench = "lat_cmd", .assumes = "the command does the same each time",
	.params = {
		{ "argv", "the command, a colon between words", KB_TEXT, "true", .choices = NULL },
		{ "status", "its exit code", KB_NUMBER, "0", 0, KB_EXECUTE_FAILED - 1, NULL },
	},
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_NVCSW, .per_op = 1, .tolerance = 0.9 }, { KB_MINFLT, .per_op = 8, .tolerance = 8 } },
	.setup = setup, .op = op,
);
