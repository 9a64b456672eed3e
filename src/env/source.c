/* Reading small files below a root. Files in /proc and /sys come in pieces and may vanish between two reads. */
#include "env/source.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"

static bool locate(const struct kb_fact_source *source, const char *path, char full[PATH_MAX])
{
	int length = snprintf(full, PATH_MAX, "%s%s", source->root, path);

	return length > 0 && length < PATH_MAX;
}

bool kb_source_text(const struct kb_fact_source *source, const char *path, char *buffer, size_t room)
{
	char full[PATH_MAX];

	if (locate(source, path, full) && kb_read_file(full, buffer, room) >= 0)
		return true;
	buffer[0] = '\0';
	return false;
}

/* Moves the text between the blanks at both ends of [from, from + length) to the start of buffer. */
static void trim_into(char *buffer, size_t room, const char *from, size_t length)
{
	while (length && isspace((unsigned char)*from)) {
		from++;
		length--;
	}
	while (length && isspace((unsigned char)from[length - 1]))
		length--;
	if (length > room - 1)
		length = room - 1;
	memmove(buffer, from, length);
	buffer[length] = 0;
}

bool kb_source_line(const struct kb_fact_source *source, const char *path, char *buffer, size_t room)
{
	if (!kb_source_text(source, path, buffer, room))
		return false;
	trim_into(buffer, room, buffer, strcspn(buffer, "\n"));
	return true;
}

bool kb_source_number(const struct kb_fact_source *source, const char *path, int64_t *value)
{
	char line[KB_SOURCE_LINE], *end;

	if (!kb_source_line(source, path, line, sizeof(line)))
		return false;
	errno = 0;
	long long number = strtoll(line, &end, 10);

	if (end == line || *end || errno)
		return false;
	*value = number;
	return true;
}

bool kb_source_choice(const struct kb_fact_source *source, const char *path, char *buffer, size_t room)
{
	char line[KB_SOURCE_LINE];

	if (!kb_source_line(source, path, line, sizeof(line)))
		return false;
	const char *open = strchr(line, '[');
	const char *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return false;
	trim_into(buffer, room, open + 1, (size_t)(close - open - 1));
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

size_t kb_source_names(const struct kb_fact_source *source, const char *path, const char *prefix,
		       char (**names)[KB_SOURCE_NAME])
{
	char full[PATH_MAX];
	size_t count = 0;
	DIR *directory = locate(source, path, full) ? opendir(full) : NULL;
	size_t wanted = strlen(prefix);
	struct dirent *entry;

	*names = directory ? calloc(KB_SOURCE_NAMES, sizeof(**names)) : NULL;
	while (*names && count < KB_SOURCE_NAMES && (entry = readdir(directory))) {
		size_t length = strlen(entry->d_name);

		if (entry->d_name[0] == '.' || length >= KB_SOURCE_NAME || strncmp(entry->d_name, prefix, wanted))
			continue;
		memcpy((*names)[count++], entry->d_name, length + 1);
	}
	if (directory)
		closedir(directory);
	if (count)
		qsort(*names, count, sizeof(**names), by_name);
	return count;
}

bool kb_source_field(const char *text, const char *name, char *buffer, size_t room)
{
	size_t length = strlen(name);

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, name, length))
			continue;
		const char *colon = line + length;

		/* "model" must not find "model name". */
		colon += strspn(colon, " \t");
		if (*colon != ':')
			continue;
		trim_into(buffer, room, colon + 1, strcspn(colon + 1, "\n"));
		return true;
	}
	return false;
}
