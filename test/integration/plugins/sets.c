/* Changes a setting, a file that the test made: and counts on it that it comes back. end: how the process ends. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kbench_files.h>

static int holds(struct kb_run *run, const char *text)
{
	char found[16] = "";
	int fd = open(kb_param_text(run, "file"), O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, found, sizeof found - 1);

	close(fd);
	return got >= 0 && !strcmp(found, text) ? 0 : kb_fail(run, EPROTO, "the file holds '%s', not '%s'", found, text);
}

static int setup(struct kb_run *run)
{
	int error = holds(run, "at_rest");

	if (!error && kb_setting(run, kb_param_text(run, "file"), "changed"))
		error = kb_fail(run, EPIPE, "the guardian did not take it");
	if (!error)
		error = holds(run, "changed");
	if (!error && kb_setting(run, kb_param_text(run, "file"), "anothr_"))
		error = kb_fail(run, EPIPE, "the guardian did not take it twice");
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	if (kb_param_is(run, "end", "crash"))
		abort();
	for (uint64_t i = 0; i < n; i++)
		kb_keep(i);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	return holds(run, "anothr_");
}

KB_BENCHMARK(
	.summary = "changes a setting", .per = "turn", .bound = KB_ISSUE,
	.params = { { "file", "the setting", KB_TEXT, "none", 0, 0, NULL }, { "end", "of a launch", KB_CHOICE, "well", 0, 0, "well,crash" } },
	.setup = setup, .op = op, .check = check,
);
