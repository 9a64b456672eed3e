#include "collect/common/plan_input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int kb_plan_line(int fd, struct kb_span *line)
{
	static char buffer[4 * KB_PLAN_LINE_MAX];
	static size_t start, end;
	const char *newline;

	while (!(newline = memchr(buffer + start, '\n', end - start))) {
		memmove(buffer, buffer + start, end - start);
		end -= start;
		start = 0;
		if (end == sizeof buffer)
			return -EINVAL;
		ssize_t got = read(fd, buffer + end, sizeof buffer - end);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		end += (size_t)got;
	}
	*line = (struct kb_span){ buffer + start, (size_t)(newline - buffer) - start };
	start = (size_t)(newline - buffer) + 1;
	return 1;
}
