/* As much of HTTP/1.1 as a server of one page and its client need; see kbench_channel.h. */
#define _GNU_SOURCE
#include "kbench_channel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DIGITS 20
#define PATH "GET /page/"

static char text[KB_PAGE_MAX + 512], answer[KB_PAGE_MAX + 512];

/* Until the empty line, and as much more as Content-Length says. 0, -EPIPE at the end, -errno. */
static int read_message(int fd, const char **body)
{
	unsigned since = kb_wait_begin();
	size_t got = 0, wanted = 0;

	for (*body = NULL; !*body || got < wanted;) {
		ssize_t more = read(fd, text + got, sizeof text - 1 - got);
		const char *length;
		int error = more > 0 ? 0 : more == 0 ? -EPIPE : errno == EINTR ? kb_wait_over(since) : -errno;

		if (error)
			return error;
		got += more > 0 ? (size_t)more : 0;
		text[got] = '\0';
		if (*body || !(*body = strstr(text, "\r\n\r\n")))
			continue;
		*body += 4;
		length = strstr(text, "\r\nContent-Length: ");
		wanted = (size_t)(*body - text) + (length ? strtoull(length + 18, NULL, 10) : 0);
	}
	return got == wanted ? 0 : -EBADMSG;
}

/* The page: the number of the request at both ends, letters between. */
static int reply(int fd, uint64_t number, uint64_t page_bytes)
{
	int head = snprintf(answer, 256, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %llu\r\n\r\n",
			    (unsigned long long)page_bytes);
	char digits[DIGITS + 1];

	snprintf(digits, sizeof digits, "%020llu", (unsigned long long)number);
	memset(answer + head, 'x', page_bytes);
	memcpy(answer + head, digits, DIGITS);
	memcpy(answer + head + page_bytes - DIGITS, digits, DIGITS);
	return send(fd, answer, (size_t)head + page_bytes, MSG_NOSIGNAL) == head + (ssize_t)page_bytes ? 0 : -EPIPE;
}

int kb_http_serve(struct kb_channel *c, int listener, uint64_t page_bytes, bool once)
{
	const char *body;

	for (;;) {
		int fd = accept(listener, NULL, NULL), error = fd < 0 ? -errno : 0;

		while (!error && !(error = read_message(fd, &body)))
			error = strncmp(text, PATH, strlen(PATH))
				? -EBADMSG
				: reply(fd, strtoull(text + strlen(PATH), NULL, 10), page_bytes);
		close(fd);
		if (error != -EPIPE || once || kb_channel_is_over(c))
			return error;
	}
}

int kb_http_get(int fd, uint64_t number, uint64_t page_bytes)
{
	char line[128];
	const char *body;
	int length = snprintf(
		line, sizeof line, PATH "%llu HTTP/1.1\r\nHost: localhost\r\n\r\n", (unsigned long long)number);
	int error = send(fd, line, (size_t)length, MSG_NOSIGNAL) == length ? read_message(fd, &body) : -EPIPE;

	if (error)
		return error;
	return !strncmp(text, "HTTP/1.1 200 ", 13) && strlen(body) == page_bytes &&
			strtoull(body, NULL, 10) == number && strtoull(body + page_bytes - DIGITS, NULL, 10) == number
		? 0
		: -EBADMSG;
}
