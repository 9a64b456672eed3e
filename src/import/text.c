/*
 * Where the text of an import comes from: a file, standard input, or a terminal line, which a board's console is and which never ends by itself.
 * A line is made raw for as long as it is read: an echo would talk to the board, and a terminal line cuts lines at 4096 bytes. Its speed is
 * left as it is (stty).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "import/criterion.h"
#include "import/reader.h"

#define SILENCE_MS 60000        /* a board that says nothing for so long will say nothing more */
#define AFTER_MS 2000           /* behind an end: the table follows the record at once */
#define LARGEST (1ull << 30)    /* bytes; /dev/zero has no end */

struct source {
	int fd;
	bool terminal;
	struct termios before;
	char *text;
	size_t used, room;
};

/* Whether a line that begins so has come whole. */
static bool has_line(const struct source *source, const char *start)
{
	struct kb_span text = { source->text, source->used };
	size_t at = kb_import_find_line(text, 0, start);

	return at < text.length && memchr(text.at + at, '\n', text.length - at) != NULL;
}

/* What an import can use is there. */
static bool is_complete(const struct source *source)
{
	bool record = has_line(source, "kbench-record ") && (has_line(source, "end o=") || has_line(source, "fail stage="));

	return record || has_line(source, "Done!") || memmem(source->text, source->used, "END JSON OUTPUT", 15) != NULL;
}

static void make_raw(struct source *source)
{
	struct termios raw;

	source->terminal = tcgetattr(source->fd, &source->before) == 0;
	if (!source->terminal)
		return;
	raw = source->before;
	cfmakeraw(&raw);
	/* Ctrl-C still ends the program where the line is somebody's keyboard. */
	raw.c_lflag |= ISIG;
	tcsetattr(source->fd, TCSANOW, &raw);
}

/* 1: bytes came, 0: the end, or -errno. */
static int read_some(struct source *source)
{
	int timeout_ms = source->used > 0 && source->terminal && is_complete(source) ? AFTER_MS : SILENCE_MS;
	struct pollfd ready = { .fd = source->fd, .events = POLLIN };
	ssize_t got;

	/* One byte more, for the end of a string. */
	if (source->used + 1 >= source->room) {
		size_t room = source->room ? 2 * source->room : 65536;
		char *text = realloc(source->text, room);

		if (!text)
			return -ENOMEM;
		source->text = text;
		source->room = room;
	}
	if (source->terminal && poll(&ready, 1, timeout_ms) <= 0)
		return 0;
	do {
		got = read(source->fd, source->text + source->used, source->room - source->used - 1);
	} while (got < 0 && errno == EINTR);
	/* A terminal: the other end of a pseudo terminal went away. */
	if (got < 0)
		return source->terminal ? 0 : -errno;
	source->used += (size_t)got;
	return got > 0;
}

static const char *name_of(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

bool kb_import_directory(const char *path, char directory[4096])
{
	static const char *const names[] = { "benchmark.json", "estimates.json", "sample.json" };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct stat status;
	char beside[4200];
	bool known = false;

	snprintf(directory, 4096, "%s", path);
	if (strcmp(path, "-") == 0 || stat(path, &status))
		return false;
	if (S_ISDIR(status.st_mode))
		return true;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		known |= strcmp(name, names[i]) == 0;
	snprintf(directory, 4096, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	/* Others call a file of theirs benchmark.json, too. */
	snprintf(beside, sizeof beside, "%s/estimates.json", directory);
	return known && stat(beside, &status) == 0;
}

/* The directory that criterion keeps its files in, as one text. */
static int load_directory(const char *path, char **text, size_t *length, char error[KB_IMPORT_ERROR])
{
	struct kb_import_reader reader = { .name = path, .error = error };
	FILE *memory = open_memstream(text, length);
	int result = memory ? kb_criterion_write(path, memory) : -ENOMEM;

	/* open_memstream puts a null byte behind it. */
	if (memory && fclose(memory) && !result)
		result = -ENOMEM;
	if (result == 0)
		return 0;
	free(*text);
	*text = NULL;
	if (result == -ENOMEM)
		return result;
	if (result == -ENOENT)
		return kb_import_refuse_at(&reader, 0, "a directory without results of criterion (new/estimates.json): name the file");
	return kb_import_refuse_at(&reader, 0, "cannot read it: %s", strerror(-result));
}

int kb_import_load(const char *path, void (*echo)(const char *bytes, size_t length), char **text, size_t *length,
		   char error[KB_IMPORT_ERROR])
{
	char directory[4096];

	if (kb_import_directory(path, directory))
		return load_directory(directory, text, length, error);

	struct source source = { .fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC) };
	struct kb_import_reader reader = { .name = name_of(path), .error = error };
	int result = source.fd < 0 ? -errno : 1;

	if (result > 0)
		make_raw(&source);
	while (result > 0) {
		size_t before = source.used;

		result = source.used > LARGEST ? -EFBIG : read_some(&source);
		if (source.terminal && echo)
			echo(source.text + before, source.used - before);
	}
	if (source.terminal)
		tcsetattr(source.fd, TCSANOW, &source.before);
	if (source.fd >= 0)
		close(source.fd);
	*text = source.text;
	*length = source.used;
	if (result == 0) {
		source.text[source.used] = '\0';
		return 0;
	}
	free(source.text);
	*text = NULL;
	if (result == -ENOMEM)
		return result;
	if (result == -EFBIG)
		return kb_import_refuse_at(&reader, 0, "larger than 1 GiB");
	snprintf(error, KB_IMPORT_ERROR, "cannot read %.200s: %s", reader.name, strerror(-result));
	kb_make_visible(error, '?');
	return -EINVAL;
}

int kb_import_file(struct kb_import *import, const struct kb_import_options *options, const char *path,
		   void (*echo)(const char *bytes, size_t length), char error[KB_IMPORT_ERROR])
{
	size_t length;
	char *text;
	int result = kb_import_load(path, echo, &text, &length, error);

	if (result == 0)
		result = kb_import_text(import, options, name_of(path), text, length, error);
	free(text);
	return result;
}
