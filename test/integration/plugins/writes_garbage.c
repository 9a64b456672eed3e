/* Writes to standard output, where the record goes: whole lines, parts of lines that look like ours, or without end. */
#include <string.h>
#include <unistd.h>

#include <kbench.h>

static char flood[65536];

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

static int op(struct kb_run *run, uint64_t n)
{
	if (kb_param_is(run, "what", "lines"))
		say("a line of the author's own\n");
	if (kb_param_is(run, "what", "bytes"))
		say("o 1 1 t=0\nend o=1 \xff\x01\n\no 77");
	while (kb_param_is(run, "what", "flood")) {
		if (write(STDOUT_FILENO, flood, sizeof flood) < 0)
			_exit(1);
	}
	for (uint64_t i = 0; i < n; i++)
		kb_keep(i);
	return 0;
}

KB_BENCHMARK(
	.summary = "writes garbage", .per = "call", .bound = KB_ISSUE,
	.params = { { "what", "", KB_CHOICE, "bytes", .choices = "lines,bytes,flood" } },
	.op = op,
);
