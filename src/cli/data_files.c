/* See data_files.h. */
#define _GNU_SOURCE
#include "cli/data_files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "places.h"
#include "run/process/trust.h"
#include "suite/nearest.h"

#define BYTES_MAX (64u << 10)

/* ---- where ----------------------------------------------------------------------------------------------- */

/* In the order in which a later one goes before an earlier one; the last is the user's. */
static void places(const char *kind, char folders[KB_DATA_FOLDERS][PATH_MAX])
{
	char own[KB_OWN_FOLDER_MAX];

	kb_own_folder(own);
	snprintf(folders[0], PATH_MAX, "%s/../share/kbench/%s", own, kind);
	snprintf(folders[1], PATH_MAX, "%s/%s", own, kind);
	kb_data_folder(folders[2], kind);
}

/* The length of NAME in NAME.KIND; 0: the file is of another kind. */
static size_t stem(const char *base, const char *kind)
{
	size_t length = strlen(base), suffix = strlen(kind) + 1;

	if (length <= suffix || base[length - suffix] != '.' || strcmp(base + length - suffix + 1, kind) != 0)
		return 0;
	return length - suffix;
}

/* A name that is there already is replaced: folders are looked through from the installed one to the user's. */
static void add(struct kb_data_files *files, const char *path, bool asked)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = stem(base, files->kind);
	char *name = strndup(base, length ? length : strlen(base)), *copy = strdup(path);

	if (!name || !copy)
		kb_no_memory(files->command);
	for (size_t i = 0; i < files->count; i++) {
		if (strcmp(files->found[i].name, name) == 0) {
			free(name);
			free(files->found[i].path);
			files->found[i].path = copy;
			files->found[i].asked = asked;
			return;
		}
	}
	files->found = reallocarray(files->found, files->count + 1, sizeof *files->found);
	if (!files->found)
		kb_no_memory(files->command);
	files->found[files->count++] = (struct kb_data_file){ copy, name, asked };
}

/* A folder that is not there has no files, and from one that others can write to none is taken. */
static void add_folder(struct kb_data_files *files, const char *folder, enum kb_trusted trusted)
{
	char real[PATH_MAX], why[KB_TRUST_WHY];
	int error = folder[0] ? kb_trust(folder, trusted, real, why) : -ENOENT;
	DIR *entries = error ? NULL : opendir(real);
	struct dirent *entry;
	char *path;

	if (error == -EPERM)
		kb_complain(files->command, "left out: %s", why);
	while (entries && (entry = readdir(entries)) != NULL) {
		if (stem(entry->d_name, files->kind) == 0)
			continue;
		if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			kb_no_memory(files->command);
		if (kb_trust(path, trusted, real, why))
			kb_complain(files->command, "left out: %s", why);
		else
			add(files, path, false);
		free(path);
	}
	if (entries)
		closedir(entries);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kb_data_file *)a)->name, ((const struct kb_data_file *)b)->name);
}

/* Before anything is read: a slip in a name should not cost a run. */
static void check_name(const struct kb_data_files *files, const char *name)
{
	struct kb_nearest nearest = { .typed = name };

	for (size_t i = 0; i < files->count; i++) {
		if (fnmatch(name, files->found[i].name, 0) == 0)
			return;
		kb_nearest_offer(&nearest, files->found[i].name);
	}
	kb_usage(files->command, "no %s '%.60s'%s%s%s", files->kind, name, nearest.best ? ", did you mean " : "; see --list",
		 nearest.best ? nearest.best : "", nearest.best ? "?" : "");
}

void kb_data_files_find(struct kb_data_files *files, const char *const *names, size_t name_count, const char *const *paths,
			size_t path_count)
{
	char folders[KB_DATA_FOLDERS][PATH_MAX];

	places(files->kind, folders);
	/* Files alone are what their author wants to see. */
	for (size_t i = 0; i < KB_DATA_FOLDERS && (path_count == 0 || name_count > 0); i++)
		add_folder(files, folders[i], i < KB_DATA_FOLDERS - 1 ? KB_TRUST_OWNER : KB_TRUST_US);
	for (size_t i = 0; i < path_count; i++)
		add(files, paths[i], true);
	if (files->count == 0)
		kb_die(files->command, KB_EXIT_USAGE, "no file NAME.%s in %s, %s or %s", files->kind, folders[0], folders[1], folders[2]);
	for (size_t i = 0; i < name_count; i++)
		check_name(files, names[i]);
	qsort(files->found, files->count, sizeof *files->found, by_name);
}

bool kb_data_file_wanted(const struct kb_data_file *file, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (fnmatch(names[i], file->name, 0) == 0)
			return true;
	}
	return count == 0;
}

void kb_data_files_free(struct kb_data_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->found[i].path);
		free(files->found[i].name);
	}
	free(files->found);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/* Bounded, for a device or a wrong file has no end. */
char *kb_data_file_read(const struct kb_data_files *files, const char *path, size_t *length)
{
	const struct kb_command *command = files->command;
	FILE *file = fopen(path, "r");
	char *text = malloc(BYTES_MAX + 1);

	if (!text)
		kb_no_memory(command);
	if (!file)
		kb_die(command, KB_EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
	*length = fread(text, 1, BYTES_MAX + 1, file);
	if (ferror(file))
		kb_die(command, KB_EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
	fclose(file);
	if (*length > BYTES_MAX)
		kb_die(command, KB_EXIT_USAGE, "%s is no %s: it has more than %u KB", path, files->kind, BYTES_MAX >> 10);
	return text;
}

void kb_data_file_wrong(const struct kb_command *command, const char *path, struct kb_span text,
			const struct kb_model_error *error)
{
	static char message[2048];
	struct kb_text out = kb_text_in(message, sizeof message);

	kb_model_error_format(&out, path, text, error);
	/* Not kb_die, which makes everything one line: the source line and the caret below it are the message. */
	fflush(stdout);
	fprintf(stderr, "kbench %s: ", command->name);
	kb_print_lines(stderr, message, strlen(message));
	fputc('\n', stderr);
	exit(KB_EXIT_USAGE);
}
