/* See criterion.h. criterion keeps what it measured last in GROUP/FUNCTION/VALUE/new, and older results beside it, which are no part of it. */
#define _GNU_SOURCE
#include "import/criterion.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/reader.h"

#define DEPTH 8                 /* directories; criterion makes four */
#define FILE_MOST (16u << 20)   /* bytes */

const char *const kb_criterion_names[KB_CRITERION_FILES] = {
	[KB_CRITERION_BENCHMARK] = "benchmark.json", [KB_CRITERION_ESTIMATES] = "estimates.json", [KB_CRITERION_SAMPLE] = "sample.json",
};

/* ---- reading ---------------------------------------------------------------------------------------- */

/* A line "START DIRECTORY/benchmark.json", and what follows up to the next such line. */
static bool next_file(struct kb_span text, size_t *at, struct kb_span *path, struct kb_span *content)
{
	size_t end;
	const char *newline = *at < text.length ? memchr(text.at + *at, '\n', text.length - *at) : NULL;

	if (!newline || !kb_span_starts((struct kb_span){ text.at + *at, text.length - *at }, KB_CRITERION_START))
		return false;
	path->at = text.at + *at + strlen(KB_CRITERION_START);
	path->length = (size_t)(newline - path->at);
	*at = (size_t)(newline + 1 - text.at);
	end = kb_import_find_line(text, *at, KB_CRITERION_START);
	*content = (struct kb_span){ text.at + *at, end - *at };
	*at = end;
	return true;
}

bool kb_criterion_next(struct kb_span text, size_t *at, struct kb_criterion_files *files)
{
	struct kb_span path, content;
	size_t next = *at;

	*files = (struct kb_criterion_files){ .directory = "" };
	while (next_file(text, &next, &path, &content)) {
		const char *slash = memrchr(path.at, '/', path.length);
		int length = slash ? (int)(slash - path.at) : 0, room = (int)sizeof files->directory - 1;
		char directory[sizeof files->directory];

		snprintf(directory, sizeof directory, "%.*s", length < room ? length : room, path.at);
		if (files->directory[0] && strcmp(directory, files->directory) != 0)
			return true;
		memcpy(files->directory, directory, sizeof directory);
		for (int i = 0; i < KB_CRITERION_FILES; i++) {
			if (slash && kb_span_is((struct kb_span){ slash + 1, (size_t)(path.at + path.length - slash) - 1 }, kb_criterion_names[i]))
				files->text[i] = content;
		}
		*at = next;
	}
	return files->directory[0] != '\0';
}

/* ---- writing ---------------------------------------------------------------------------------------- */

/* 1: written, 0: there is no such file, or -errno. */
static int copy_file(int directory, const char *path, const char *name, FILE *out)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), result;
	struct stat status;
	char buffer[65536];
	ssize_t got = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	result = fstat(fd, &status) ? -errno : !S_ISREG(status.st_mode) ? 0 : status.st_size > FILE_MOST ? -EFBIG : 1;
	if (result == 1)
		fprintf(out, KB_CRITERION_START "%s/%s\n", path, name);
	while (result == 1 && (got = read(fd, buffer, sizeof buffer)) > 0)
		fwrite(buffer, 1, (size_t)got, out);
	if (result == 1)
		fputc('\n', out);
	close(fd);
	return got < 0 ? -errno : result;
}

static int copy_files(int directory, const char *path, FILE *out)
{
	int found = 0;

	for (int i = 0; i < KB_CRITERION_FILES; i++) {
		int result = copy_file(directory, path, kb_criterion_names[i], out);

		if (result < 0)
			return result;
		found |= result;
	}
	return found;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && !strchr(entry->d_name, '\n');
}

/* Links are not followed: one of them may lead back. 1: it has some, 0: none, or -errno. */
static int walk(int parent, const char *name, const char *path, unsigned depth, FILE *out)
{
	int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (depth > 0 ? O_NOFOLLOW : 0)), found = 0, count;
	struct dirent **entries;

	if (directory < 0)
		return depth > 0 && (errno == ENOTDIR || errno == ELOOP) ? 0 : -errno;
	if (depth == 0 || strcmp(name, "new") == 0)
		found = copy_files(directory, depth == 0 ? "." : path, out);
	count = found == 0 && depth < DEPTH ? scandirat(directory, ".", &entries, is_visible, alphasort) : 0;
	if (count < 0)
		found = -errno;
	for (int i = 0; i < count; i++) {
		char *below = NULL;
		int result = found < 0 ? 0 : asprintf(&below, "%s%s%s", path, path[0] ? "/" : "", entries[i]->d_name) < 0 ? -ENOMEM :
			     walk(directory, entries[i]->d_name, below, depth + 1, out);

		found = result < 0 ? result : found < 0 ? found : found | result;
		free(below);
		free(entries[i]);
	}
	if (count > 0)
		free(entries);
	close(directory);
	return found;
}

int kb_criterion_write(const char *directory, FILE *out)
{
	int found = walk(AT_FDCWD, directory, "", 0, out);

	return found == 0 ? -ENOENT : found < 0 ? found : 0;
}
