/*
 * Any bytes as what a client sends, over a real connection, to a server's session: behind the token nothing is believed either. The session ends
 * with a status, holds no descriptor, and counts no message that was not whole. Seconds of a session are milliseconds here.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>

#include "serve/session.h"

static bool serving;

/* The session's clock, a thousand times as fast; libFuzzer's own goes on as it was. */
int setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *old)
{
	static int (*real)(__itimer_which_t, const struct itimerval *, struct itimerval *);
	struct itimerval fast = *new;

	if (!real)
		real = (int (*)(__itimer_which_t, const struct itimerval *, struct itimerval *))dlsym(RTLD_NEXT, "setitimer");
	if (serving && (fast.it_value.tv_sec || fast.it_value.tv_usec))
		fast = (struct itimerval){ { 0, 1000 }, { 0, 1000 } };
	return real(which, &fast, old);
}

/* After a million connections there may be no free port for a moment, which is no matter of the server's. */
static int connect_to(const struct sockaddr_in *at)
{
	for (int try = 0; try < 1000; try++) {
		int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		require(end >= 0);
		if (connect(end, (const struct sockaddr *)at, sizeof *at) == 0)
			return end;
		require(errno == EADDRNOTAVAIL || errno == EINTR || errno == EAGAIN);
		close(end);
		usleep(10000);
	}
	return -1;
}

/* A connection of this machine with itself: ends[0] is the client's. */
static void connect_both(int ends[2])
{
	static struct sockaddr_in at;
	static int listener = -1;
	socklen_t bytes = sizeof at;

	if (listener < 0) {
		listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		require(listener >= 0 && bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 8) == 0);
		require(getsockname(listener, (struct sockaddr *)&at, &bytes) == 0);
	}
	ends[0] = connect_to(&at);
	require(ends[0] >= 0);
	ends[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	require(ends[1] >= 0);
	/* Without it each would leave its port to wait. */
	setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 }, sizeof(struct linger));
}

static unsigned count_files(void)
{
	DIR *list = opendir("/proc/self/fd");
	unsigned count = 0;

	require(list != NULL);
	while (readdir(list))
		count++;
	closedir(list);
	return count;
}

static enum kb_partner_status serve(int control, struct kb_partner_counts *counts)
{
	struct kb_session session = { .control = control, .counts = counts, .idle_s = 20, .data_s = 5 };
	struct sigaction own;
	struct itimerval own_time;
	enum kb_partner_status status;

	sigaction(SIGALRM, NULL, &own);
	getitimer(ITIMER_REAL, &own_time);
	serving = true;
	status = kb_session_serve(&session);
	serving = false;
	sigaction(SIGALRM, &own, NULL);
	setitimer(ITIMER_REAL, &own_time, NULL);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_partner_counts counts = { 0 };
	unsigned before;
	int ends[2];

	if (size > 1 << 16)
		return 0;
	connect_both(ends);
	before = count_files();
	require(send(ends[0], data, size, MSG_NOSIGNAL) == (ssize_t)size && shutdown(ends[0], SHUT_WR) == 0);
	require(serve(ends[1], &counts) < KB_PARTNER_STATUSES);
	require(count_files() == before);
	/* Nobody sent data: what a round would count has not come. */
	require(counts.connections == 0 && counts.aborted == 0);
	close(ends[0]);
	close(ends[1]);
	return 0;
}
