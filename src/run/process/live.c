/* See live.h. A name in the abstract namespace of Unix sockets: no file, and no number that another process may get later. */
#include "run/process/live.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int kb_live_mark(const char *run_id)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	/* The null byte before it makes it abstract. */
	int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "kbench-run-%s", run_id);
	int mark = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), error;

	if (mark < 0)
		return -errno;
	if (bind(mark, (const struct sockaddr *)&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0)
		return mark;
	error = errno;
	close(mark);
	return -error;
}

bool kb_live_is_marked(const char *run_id)
{
	int mark = kb_live_mark(run_id);

	if (mark >= 0)
		close(mark);
	return mark == -EADDRINUSE;
}
