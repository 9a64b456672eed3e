/* Reading files: the one that is given, what it transcludes, the directories of shipped classes. See yamba.h. */
#define _GNU_SOURCE
#include "yamba/front/yamba.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "yamba/front/parse.h"

/* Files of one program, the library included. */
#define FILES_MAX 300

/* ---- one file -------------------------------------------------------------------------------------------- */

/* Not a pipe nor a device: reading could wait for ever. */
int kb_yamba_read_file(struct kb_arena *arena, const char *path, const char **text, size_t *length)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result = 0;
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
	struct stat status;

	if (!file || fstat(descriptor, &status))
		result = -errno;
	else if (S_ISDIR(status.st_mode))
		result = -EISDIR;
	else if (!S_ISREG(status.st_mode))
		result = -EINVAL;
	else if (status.st_size > KB_YAMBA_FILE_MAX)
		result = -EFBIG;
	if (!result) {
		char *bytes = kb_arena_take(arena, (size_t)status.st_size + 1);

		*length = fread(bytes, 1, (size_t)status.st_size, file);
		*text = bytes;
		result = ferror(file) ? -EIO : 0;
	}
	if (file)
		fclose(file);
	else if (descriptor >= 0)
		close(descriptor);
	return result;
}

/* In the arena; NULL if there is none. */
static const char *real_path(struct kb_arena *arena, const char *path)
{
	char *found = realpath(path, NULL);
	const char *kept = found ? kb_arena_string(arena, (struct kb_span){ found, strlen(found) }) : NULL;

	free(found);
	return kept;
}

static struct kb_yamba_source *add_source(struct kb_yamba *yamba, const char *path, bool shipped)
{
	struct kb_yamba_source *source = kb_arena_take(yamba->arena, sizeof *source);

	source->path = kb_arena_string(yamba->arena, (struct kb_span){ path, strlen(path) });
	source->real = real_path(yamba->arena, path);
	source->index = yamba->source_count++;
	source->shipped = shipped;
	source->wanted = !shipped;
	source->transcluded_end = &source->transcluded;
	*yamba->sources_end = source;
	yamba->sources_end = &source->next;
	return source;
}

static void transclude(struct kb_parser *parser, struct kb_place at, struct kb_span name);

static void parse(struct kb_yamba *yamba, struct kb_yamba_source *source, const char *text, size_t length)
{
	struct kb_parser parser = {
		.arena = yamba->arena,
		.diagnostics = &yamba->diagnostics,
		.source = source,
		.transclude = transclude,
		.context = yamba,
	};

	source->text = text;
	source->length = length;
	yamba->bytes += length;
	kb_parse(&parser);
}

/* ---- #transclude ----------------------------------------------------------------------------------------- */

/* The last component of what is written so far, if ".." may take it back. */
static char *component(char *path, char *end)
{
	char *at = end;

	if (end == path || (end == path + 1 && *path == '/'))
		return NULL;
	for (at = end - 1; at > path && at[-1] != '/';)
		at--;
	return end - at == 3 && at[0] == '.' && at[1] == '.' ? NULL : at;
}

/* a/./b, a//b and a/x/../b are a/b: a file is known by its path. */
static char *simplify(char *path)
{
	char *out = path, *at = path, *end, *last;

	if (*at == '/')
		*out++ = *at++;
	for (; *at; at = *end ? end + 1 : end) {
		size_t length;

		end = strchrnul(at, '/');
		length = (size_t)(end - at);
		last = component(path, out);
		if (length == 0 || (length == 1 && at[0] == '.'))
			continue;
		if (length == 2 && at[0] == '.' && at[1] == '.' && last) {
			out = last;
			continue;
		}
		memmove(out, at, length);
		out += length;
		if (*end)
			*out++ = '/';
	}
	*out = '\0';
	return path;
}

/* Read already, by this path, or by another one that links lead to the same file (real: NULL: not looked at). */
static struct kb_yamba_source *known(const struct kb_yamba *yamba, const char *path, const char *real)
{
	struct kb_yamba_source *source = yamba->sources;

	while (source && strcmp(source->path, path) != 0 && (!real || !source->real || strcmp(source->real, real) != 0))
		source = source->next;
	return source;
}

static struct kb_yamba_source *read_transcluded(
	struct kb_yamba *yamba, const struct kb_yamba_source *from, struct kb_place at, const char *path)
{
	static const char remedy[] = "the path is relative to the file in which it stands";
	struct kb_yamba_source *source;
	const char *text = NULL;
	size_t length = 0;
	int result = yamba->source_count < FILES_MAX ? yamba->read(yamba->arena, path, &text, &length) : -EMFILE;

	if (!result && yamba->bytes + length > KB_YAMBA_ALL_MAX)
		result = -EFBIG;
	if (result) {
		kb_diagnose(&yamba->diagnostics, 105, at, remedy, "cannot read '%.200s': %s", path, strerror(-result));
		return NULL;
	}
	source = add_source(yamba, path, from->shipped);
	source->from = from;
	parse(yamba, source, text, length);
	return source;
}

static void transclude(struct kb_parser *parser, struct kb_place at, struct kb_span name)
{
	struct kb_yamba *yamba = parser->context;
	const struct kb_yamba_source *around = at.source;
	struct kb_yamba_source *source;
	const char *path;

	if (name.length == 0 || name.length > 1000 || memchr(name.at, '\0', name.length)) {
		kb_diagnose(&yamba->diagnostics, 105, at, "write the path of a file", "this names no file");
		return;
	}

	const char *slash = name.at[0] == '/' ? NULL : strrchr(at.source->path, '/');

	path = simplify(kb_arena_format(yamba->arena, "%.*s%.*s", slash ? (int)(slash + 1 - at.source->path) : 0, at.source->path,
		(int)name.length, name.at));
	source = known(yamba, path, real_path(yamba->arena, path));
	/* Whether it is being read at this moment, on the way to here. */
	while (around && around != source)
		around = around->from;
	if (!source) {
		source = read_transcluded(yamba, at.source, at, path);
	} else if (around) {
		kb_diagnose(&yamba->diagnostics, 104, at,
			"take one of the lines away; put what both need into a third file",
			"'%.200s' transcludes itself%s", path, source == at.source ? "" : " through other files");
		return;
	}
	if (source) {
		/* Its C text goes before that of `from`. */
		struct kb_transclusion *note = kb_arena_take(yamba->arena, sizeof *note);

		note->source = source;
		*parser->source->transcluded_end = note;
		parser->source->transcluded_end = &note->next;
	}
}

/* ---- for others ------------------------------------------------------------------------------------------ */

void kb_yamba_start(struct kb_yamba *yamba, struct kb_arena *arena)
{
	*yamba = (struct kb_yamba){ .arena = arena, .diagnostics = { .arena = arena }, .read = kb_yamba_read_file };
	yamba->sources_end = &yamba->sources;
}

int kb_yamba_add_file(struct kb_yamba *yamba, const char *path)
{
	const char *name = simplify(kb_arena_string(yamba->arena, (struct kb_span){ path, strlen(path) })), *text;
	size_t length;
	int result = yamba->read(yamba->arena, name, &text, &length);

	if (result)
		return result;
	kb_yamba_add_text(yamba, name, text, length, false);
	/* The one that was given is the first. */
	if (!yamba->sources->classes && !yamba->sources->texts && !yamba->sources->transcluded && yamba->diagnostics.count == 0)
		kb_diagnose(&yamba->diagnostics, 106, (struct kb_place){ yamba->sources, yamba->sources->text },
			"write yamba NAME { ... }", "there is no class in this file");
	return 0;
}

void kb_yamba_add_text(struct kb_yamba *yamba, const char *path, const char *text, size_t length, bool shipped)
{
	parse(yamba, add_source(yamba, path, shipped), text, length);
}

static int is_ours(const struct dirent *entry)
{
	const char *suffix = strrchr(entry->d_name, '.');

	return suffix && suffix > entry->d_name && strcmp(suffix, ".yamba") == 0;
}

int kb_yamba_add_directory(struct kb_yamba *yamba, const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, is_ours, alphasort), result = 0;

	if (count < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	for (int i = 0; i < count; i++) {
		const char *path = kb_arena_format(yamba->arena, "%s/%s", directory, entries[i]->d_name), *text;
		bool there = known(yamba, path, NULL);
		size_t length;
		int failed = there ? 0 : yamba->read(yamba->arena, path, &text, &length);

		if (!failed && !there)
			kb_yamba_add_text(yamba, path, text, length, true);
		result = result ? result : failed;
		free(entries[i]);
	}
	free(entries);
	return result;
}
