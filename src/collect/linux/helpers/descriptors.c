/*
 * Many descriptors to wait on, each an object of its own: copies of one would share its wait queue and its cache lines.
 * With many of them the far ends lie above, because select() takes no number beyond 1023.
 */
#define _GNU_SOURCE
#include "kbench_channel.h"
#include "kbench_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define FAR_FIRST 1100          /* lowest number of a far end that is out of the way */
#define FEW 500u                /* pairs that fit below 1024 with what else is open: each step of set-up is slow under ptrace */

static int put_away(int fd, bool high)
{
	int away = high ? fcntl(fd, F_DUPFD_CLOEXEC, FAR_FIRST) : fd;

	if (high)
		close(fd);
	return away;
}

/* The far end stays open: a pipe without a writer would be ready for ever, to say that it ended. */
static int open_pipe(bool high, bool ready)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	ends[1] = put_away(ends[1], high);
	return ends[1] < 0 || (ready && write(ends[1], "", 1) != 1) ? -1 : ends[0];
}

static int listener = -1;
static uint16_t port;

/* Connections inherit the reset from it: they leave no port in TIME_WAIT behind, in the way of others for a minute. */
static int listen_once(struct kb_run *run)
{
	struct linger reset = { 1, 0 };

	if (listener < 0)
		listener = kb_listen(run, &port);
	if (listener < 0)
		return listener;
	return setsockopt(listener, SOL_SOCKET, SO_LINGER, &reset, sizeof reset) ? kb_fail(run, errno, "SO_LINGER") : 0;
}

static int open_tcp(bool high, bool ready)
{
	int near, far = kb_connect(port);

	if (far < 0) {
		errno = -far;
		return -1;
	}
	near = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	far = put_away(far, high);
	return near < 0 || far < 0 || (ready && send(far, "", 1, 0) != 1) ? -1 : near;
}

/* For this process alone; a far end and a near one each, and what the collector itself has open. */
static int allow(struct kb_run *run, unsigned count)
{
	struct rlimit limit;
	rlim_t needed = (count > FEW ? FAR_FIRST + count : 2 * count) + 24;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return kb_fail(run, errno, "asking for the limit of descriptors");
	if (limit.rlim_cur >= needed)
		return 0;
	if (limit.rlim_max < needed)
		return kb_skip(run, "%u descriptors are allowed, %u are needed (ulimit -n)", (unsigned)limit.rlim_max,
			       (unsigned)needed);
	limit.rlim_cur = needed;
	return setrlimit(RLIMIT_NOFILE, &limit) ? kb_fail(run, errno, "raising the limit of descriptors") : 0;
}

int kb_descriptors(struct kb_run *run, const char *kind, unsigned count, unsigned ready, int *fd)
{
	bool file = !strcmp(kind, "file"), tcp = !strcmp(kind, "tcp");
	int error = allow(run, count);

	if (!error && tcp)
		error = listen_once(run);
	if (!error && file && ready != count)
		return kb_skip(run, "files are always ready; ask for ready=100, or for another kind");
	for (unsigned i = 0; i < count && !error; i++) {
		fd[i] = file ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : (tcp ? open_tcp : open_pipe)(count > FEW, i < ready);
		if (fd[i] < 0)
			error = kb_fail(run, errno, "opening %s %u of %u", kind, i + 1, count);
	}
	return error;
}
