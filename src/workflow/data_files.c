/* See data_files.h. */
#define _GNU_SOURCE
#include "workflow/data_files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "grown.h"
#include "io.h"
#include "places.h"
#include "run/process/trust.h"

#define BYTES_MAX (64u << 10)

/* ---- where ----------------------------------------------------------------------------------------------- */

/* In the order in which a later one goes before an earlier one; the last is the user's. */
static void places(const char *kind, char directories[KB_DATA_DIRECTORIES][PATH_MAX])
{
	char own[KB_EXE_DIRECTORY_MAX];

	kb_exe_directory(own);
	snprintf(directories[0], PATH_MAX, "%s/../share/kbench/%s", own, kind);
	snprintf(directories[1], PATH_MAX, "%s/%s", own, kind);
	kb_data_directory(directories[2], kind);
}

/* The length of NAME in NAME.KIND; 0: the file is of another kind. */
static size_t stem(const char *base, const char *kind)
{
	size_t length = strlen(base), suffix = strlen(kind) + 1;

	if (length <= suffix || base[length - suffix] != '.' || strcmp(base + length - suffix + 1, kind) != 0)
		return 0;
	return length - suffix;
}

static void free_file(struct kb_data_file *file)
{
	free(file->path);
	free(file->name);
}

/* A name that is there already is replaced: directories are looked through from the installed one to the user's. */
static int add(struct kb_data_files *files, const char *path, bool asked)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = stem(base, files->kind), at = 0;
	char *name = strndup(base, length ? length : strlen(base)), *copy = strdup(path);

	if (!name || !copy || !KB_GROW(files->found, files->count)) {
		free(name);
		free(copy);
		return -ENOMEM;
	}
	while (at < files->count && strcmp(files->found[at].name, name) != 0)
		at++;
	if (at < files->count)
		free_file(&files->found[at]);
	files->count += at == files->count;
	files->found[at] = (struct kb_data_file){ copy, name, asked };
	return 0;
}

/* A directory that is not there has no files, and from one that others can write to none is taken. */
static int add_directory(struct kb_data_files *files, const char *directory, enum kb_trusted trusted,
			 const struct kb_notes *notes)
{
	char real[PATH_MAX], why[KB_TRUST_WHY];
	int error = directory[0] ? kb_trust(directory, trusted, real, why) : -ENOENT, result = 0;
	DIR *entries = error ? NULL : opendir(real);
	struct dirent *entry;
	char *path;

	if (error == -EPERM)
		kb_note(notes, "left out: %s", why);
	while (entries && !result && (entry = readdir(entries)) != NULL) {
		if (stem(entry->d_name, files->kind) == 0)
			continue;
		if (asprintf(&path, "%s/%s", directory, entry->d_name) < 0) {
			result = -ENOMEM;
			break;
		}
		if (kb_trust(path, trusted, real, why))
			kb_note(notes, "left out: %s", why);
		else
			result = add(files, path, false);
		free(path);
	}
	if (entries)
		closedir(entries);
	return result;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kb_data_file *)a)->name, ((const struct kb_data_file *)b)->name);
}

/* Before anything is read: a slip in a name should not cost a run. */
static int check_name(const struct kb_data_files *files, const char *name, struct kb_failure *failure)
{
	struct kb_nearest nearest = { .typed = name };

	for (size_t i = 0; i < files->count; i++) {
		if (fnmatch(name, files->found[i].name, 0) == 0)
			return 0;
		kb_nearest_offer(&nearest, files->found[i].name);
	}
	return kb_refuse_typed(failure, "no %s '%.60s'%s%s%s", files->kind, name, nearest.best ? ", did you mean " : "; see --list",
			       nearest.best ? nearest.best : "", nearest.best ? "?" : "");
}

int kb_data_files_find(struct kb_data_files *files, const char *const *names, size_t name_count, const char *const *paths,
		       size_t path_count, const struct kb_notes *notes, struct kb_failure *failure)
{
	char directories[KB_DATA_DIRECTORIES][PATH_MAX];
	size_t kept = 0;
	int error = 0;

	places(files->kind, directories);
	/* Files alone are what their author wants to see. */
	for (size_t i = 0; i < KB_DATA_DIRECTORIES && (path_count == 0 || name_count > 0) && !error; i++)
		error = add_directory(files, directories[i], i < KB_DATA_DIRECTORIES - 1 ? KB_TRUST_OWNER : KB_TRUST_US, notes);
	for (size_t i = 0; i < path_count && !error; i++)
		error = add(files, paths[i], true);
	if (error)
		return kb_refuse_memory(failure);
	if (files->count == 0)
		return kb_refuse(failure, KB_EXIT_USAGE, "no file NAME.%s in %s, %s or %s%s", files->kind, directories[0],
				 directories[1], directories[2], access("/proc/self/exe", F_OK) ? "; mount /proc: it tells where kbench lies" : "");
	for (size_t i = 0; i < name_count; i++) {
		if (check_name(files, names[i], failure))
			return failure->code;
	}
	for (size_t i = 0; i < files->count; i++) {
		bool wanted = name_count == 0 || files->found[i].asked;

		for (size_t k = 0; k < name_count; k++)
			wanted |= fnmatch(names[k], files->found[i].name, 0) == 0;
		if (wanted)
			files->found[kept++] = files->found[i];
		else
			free_file(&files->found[i]);
	}
	files->count = kept;
	qsort(files->found, kept, sizeof *files->found, by_name);
	return 0;
}

void kb_data_files_free(struct kb_data_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free_file(&files->found[i]);
	free(files->found);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/* Bounded, for a device or a wrong file has no end. */
int kb_data_file_read(const struct kb_data_files *files, const char *path, char **text, size_t *length, struct kb_failure *failure)
{
	long got;

	*text = malloc(BYTES_MAX + 2);
	if (!*text)
		return kb_refuse_memory(failure);
	got = kb_read_file(path, *text, BYTES_MAX + 2);
	*length = (size_t)got;
	if (got >= 0 && got <= BYTES_MAX)
		return 0;
	if (got < 0)
		kb_refuse(failure, KB_EXIT_USAGE, "cannot read %s: %s", path, strerror((int)-got));
	else
		kb_refuse(failure, KB_EXIT_USAGE, "%s is no %s: it has more than %u KB", path, files->kind, BYTES_MAX >> 10);
	free(*text);
	*text = NULL;
	return failure->code;
}

int kb_data_file_wrong(const char *path, struct kb_span text, const struct kb_model_error *error, struct kb_failure *failure)
{
	struct kb_text out = kb_text_in(failure->text, sizeof failure->text);

	kb_model_error_format(&out, path, text, error);
	failure->typed_wrong = false;
	failure->lines = true;
	return failure->code = KB_EXIT_USAGE;
}

/* ---- models ------------------------------------------------------------------------------------------------ */

/* The path and the text are const to all that read the model, and ours. */
static void free_model(struct kb_model *model)
{
	free((char *)(uintptr_t)model->path);
	free((char *)(uintptr_t)model->text.at);
	free(model);
}

/* Takes over the path. */
static int load(const struct kb_data_files *files, struct kb_data_file *file, struct kb_model_set *set, struct kb_failure *failure)
{
	struct kb_model *model = malloc(sizeof *model);
	struct kb_model_error error;
	size_t length;
	char *text = NULL;
	int code = model ? kb_data_file_read(files, file->path, &text, &length, failure) : kb_refuse_memory(failure);

	if (!code && kb_model_parse(model, file->name, file->path, text, length, &error))
		code = kb_data_file_wrong(file->path, (struct kb_span){ text, length }, &error, failure);
	if (code) {
		free(text);
		free(model);
		return code;
	}
	file->path = NULL;
	set->models[set->count++] = model;
	return 0;
}

int kb_models_load(struct kb_model_set *set, const char *const *names, size_t name_count, const char *const *paths, size_t path_count,
		   const struct kb_notes *notes, struct kb_failure *failure)
{
	struct kb_data_files files = { .kind = "model" };
	int code = kb_data_files_find(&files, names, name_count, paths, path_count, notes, failure);

	*set = (struct kb_model_set){ .models = calloc(files.count + 1, sizeof *set->models) };
	if (!code && !set->models)
		code = kb_refuse_memory(failure);
	for (size_t i = 0; i < files.count && !code; i++)
		code = load(&files, &files.found[i], set, failure);
	kb_data_files_free(&files);
	return code;
}

int kb_refuse_model(const struct kb_model *model, int result, const struct kb_model_error *error, struct kb_failure *failure)
{
	if (result == -ENOMEM)
		return kb_refuse_memory(failure);
	return result ? kb_data_file_wrong(model->path, model->text, error, failure) : 0;
}

void kb_models_drop_counts(struct kb_model_set *set)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->count; i++) {
		if (set->models[i]->count_count > 0)
			free_model(set->models[i]);
		else
			set->models[kept++] = set->models[i];
	}
	set->count = kept;
}

void kb_models_free(struct kb_model_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free_model(set->models[i]);
	free(set->models);
}
