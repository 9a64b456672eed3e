#include "collect/linux/plan_input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static char buffer[4 * KB_PLAN_LINE_MAX];
static size_t start, end;

/* Reads more behind what is there. 1: something came, 0: end of input. */
static int refill(int fd)
{
	memmove(buffer, buffer + start, end - start);
	end -= start;
	start = 0;
	if (end == sizeof buffer)
		return -EINVAL;

	ssize_t got;

	do {
		got = read(fd, buffer + end, sizeof buffer - end);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	end += (size_t)got;
	return got > 0;
}

int kb_plan_next(int fd, struct kb_block *block)
{
	const char *newline;

	while (!(newline = memchr(buffer + start, '\n', end - start))) {
		int more = refill(fd);

		if (more <= 0)
			return more;
	}

	struct kb_span line = { buffer + start, (size_t)(newline - buffer) - start };
	int error = kb_plan_parse(line, block);

	start = (size_t)(newline - buffer) + 1;
	return error ? error : 1;
}
