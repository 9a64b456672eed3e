/* Appending to a vector that doubles: every so many operations a dearer one comes. */
#include <errno.h>
#include <stdlib.h>

#include <kbench.h>

#define LENGTH 4096u

static uint32_t *words;
static uint64_t length, room, appended;

static int append(uint32_t word)
{
	if (length == LENGTH) {
		free(words);
		words = NULL;
		length = room = 0;
	}
	if (length == room) {
		uint32_t *more = realloc(words, (room ? 2 * room : 16) * sizeof *words);

		if (!more)
			return -ENOMEM;
		words = more;
		room = room ? 2 * room : 16;
	}
	words[length++] = word;
	appended += word;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	appended = 0;
	for (uint64_t i = 0; i < n && !error; i++)
		error = append(1);
	return error ? kb_fail(run, -error, "no memory") : 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return appended == n ? 0 : kb_fail(run, EILSEQ, "not all words were appended");
}

KB_BENCHMARK(
	.summary = "appending to a vector", .per = "word", .bound = KB_LATENCY, .period = LENGTH,
	.op = op, .check = check,
);
