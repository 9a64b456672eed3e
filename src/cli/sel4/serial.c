/*
 * See serial.h. The line is made raw for as long as it is read: an echo would talk to the board, and a terminal line cuts lines at
 * 4096 bytes. Its speed is left as it is (stty).
 */
#define _GNU_SOURCE
#include "cli/sel4/serial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli/print.h"

#define SILENCE_MS 60000        /* a board that says nothing for so long will say nothing more */
#define AFTER_MS 2000           /* behind an end: the table follows the record at once */
#define LARGEST (1ull << 30)

struct line {
	int fd;
	struct termios before;
	bool changed, echo;
	char *text;
	size_t used, room;
};

bool kb_serial_is(const char *file)
{
	int fd = strcmp(file, "-") == 0 ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	bool result = fd >= 0 && isatty(fd);

	if (fd >= 0)
		close(fd);
	return result;
}

static void open_line(const struct kb_command *command, const char *file, struct line *line)
{
	struct termios raw;

	line->fd = strcmp(file, "-") == 0 ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (line->fd < 0)
		kb_die(command, KB_EXIT_USAGE, "cannot read %.200s: %s", file, strerror(errno));
	line->changed = tcgetattr(line->fd, &line->before) == 0;
	raw = line->before;
	cfmakeraw(&raw);
	/* Ctrl-C still ends the program where the line is somebody's keyboard. */
	raw.c_lflag |= ISIG;
	if (line->changed)
		tcsetattr(line->fd, TCSANOW, &raw);
}

static void close_line(struct line *line)
{
	if (line->changed)
		tcsetattr(line->fd, TCSANOW, &line->before);
	close(line->fd);
}

/* Whether a line begins so, anywhere in what came. */
static bool has_line(const struct line *line, const char *start)
{
	size_t length = strlen(start);

	for (const char *at = line->text; (at = memmem(at, line->used - (size_t)(at - line->text), start, length)) != NULL; at++) {
		if (at == line->text || at[-1] == '\n' || at[-1] == '\r')
			return memchr(at, '\n', line->used - (size_t)(at - line->text)) != NULL;
	}
	return false;
}

static bool is_complete(const struct line *line)
{
	bool record = has_line(line, "kbench-record ") && (has_line(line, "end o=") || has_line(line, "fail stage="));

	return record || has_line(line, "Done!") || memmem(line->text, line->used, "END JSON OUTPUT", 15) != NULL;
}

/* Bytes that came; 0: none within the time, or the line is closed. */
static size_t read_some(struct line *line, int timeout_ms)
{
	struct pollfd ready = { .fd = line->fd, .events = POLLIN };
	ssize_t got;

	if (poll(&ready, 1, timeout_ms) <= 0)
		return 0;
	got = read(line->fd, line->text + line->used, line->room - line->used - 1);
	/* EIO: the other end of a pseudo terminal went away. */
	if (got <= 0)
		return 0;
	if (line->echo)
		kb_print_lines(stderr, line->text + line->used, (size_t)got);
	line->used += (size_t)got;
	return (size_t)got;
}

char *kb_serial_read(const struct kb_command *command, const char *file, bool echo, size_t *length)
{
	struct line line = { .echo = echo };
	size_t got;

	open_line(command, file, &line);
	do {
		if (line.used + 4096 >= line.room) {
			line.room = line.room ? 2 * line.room : 65536;
			line.text = line.room < LARGEST ? realloc(line.text, line.room) : NULL;
			if (!line.text) {
				close_line(&line);
				kb_no_memory(command);
			}
		}
		got = read_some(&line, line.used > 0 && is_complete(&line) ? AFTER_MS : SILENCE_MS);
	} while (got > 0);
	close_line(&line);
	line.text[line.used] = '\0';
	*length = line.used;
	return line.text;
}
