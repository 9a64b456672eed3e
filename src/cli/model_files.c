/* See model_files.h. */
#define _GNU_SOURCE
#include "cli/model_files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/own_folder.h"
#include "suite/nearest.h"

#define SUFFIX ".model"
#define BYTES_MAX (64u << 10)
#define FOLDERS 3

/* A file that was found: its path and the name of its model, both owned; whether it was named on the command line. */
struct found { char *path, *name; bool asked; };

struct search {
	const struct kb_command *command;
	struct found *found;
	size_t count;
	char folders[FOLDERS][PATH_MAX];
};

/* ---- where ----------------------------------------------------------------------------------------------- */

/* In the order in which a later one goes before an earlier one. */
static void places(struct search *search)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	char own[KB_OWN_FOLDER_MAX];

	kb_own_folder(own);
	snprintf(search->folders[0], PATH_MAX, "%s/../share/kbench/model", own);
	snprintf(search->folders[1], PATH_MAX, "%s/model", own);
	if (data && data[0])
		snprintf(search->folders[2], PATH_MAX, "%s/kbench/model", data);
	else if (home && home[0])
		snprintf(search->folders[2], PATH_MAX, "%s/.local/share/kbench/model", home);
}

static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = strlen(base);

	if (length > sizeof SUFFIX - 1 && strcmp(base + length - (sizeof SUFFIX - 1), SUFFIX) == 0)
		length -= sizeof SUFFIX - 1;
	return strndup(base, length);
}

/* A name that is there already is replaced: folders are looked through from the installed one to the user's. */
static void add(struct search *search, const char *path, bool asked)
{
	char *name = name_of(path), *copy = strdup(path);

	if (!name || !copy)
		kb_no_memory(search->command);
	for (size_t i = 0; i < search->count; i++) {
		if (strcmp(search->found[i].name, name) == 0) {
			free(name);
			free(search->found[i].path);
			search->found[i].path = copy;
			search->found[i].asked = asked;
			return;
		}
	}
	search->found = reallocarray(search->found, search->count + 1, sizeof *search->found);
	if (!search->found)
		kb_no_memory(search->command);
	search->found[search->count++] = (struct found){ copy, name, asked };
}

/* A folder that is not there has no models. */
static void add_folder(struct search *search, const char *folder)
{
	DIR *entries = folder[0] ? opendir(folder) : NULL;
	struct dirent *entry;
	char path[PATH_MAX + 260];

	while (entries && (entry = readdir(entries)) != NULL) {
		size_t length = strlen(entry->d_name);

		if (length > sizeof SUFFIX - 1 && strcmp(entry->d_name + length - (sizeof SUFFIX - 1), SUFFIX) == 0) {
			snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
			add(search, path, false);
		}
	}
	if (entries)
		closedir(entries);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct found *)a)->name, ((const struct found *)b)->name);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/* Bounded, for a device or a wrong file has no end. */
static char *read_text(const struct kb_command *command, const char *path, size_t *length)
{
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
		kb_die(command, KB_EXIT_USAGE, "%s is no model: it has more than %u KB", path, BYTES_MAX >> 10);
	return text;
}

static _Noreturn void wrong(const struct kb_command *command, const char *path, struct kb_span text,
			    const struct kb_model_error *error)
{
	static char message[2048];
	struct kb_text out = kb_text_in(message, sizeof message);

	kb_model_error_format(&out, path, text, error);
	/* Not kb_die, which makes everything one line: the source line and the caret below it are the message. */
	fflush(stdout);
	fprintf(stderr, "kbench %s: %s\n", command->name, message);
	exit(KB_EXIT_USAGE);
}

void kb_model_row_wrong(const struct kb_command *command, const struct kb_model *model, unsigned quantity, const char *why)
{
	struct kb_model_error error = { .line = model->quantities[quantity].line, .column = model->quantities[quantity].column };

	snprintf(error.what, sizeof error.what, "%s", why);
	wrong(command, model->path, model->text, &error);
}

/* Takes over the strings of `found`. */
static struct kb_model *load(const struct kb_command *command, struct found *found)
{
	struct kb_model *model = malloc(sizeof *model);
	struct kb_model_error error;
	size_t length;
	char *text = read_text(command, found->path, &length);

	if (!model)
		kb_no_memory(command);
	if (kb_model_parse(model, found->name, found->path, text, length, &error))
		wrong(command, found->path, (struct kb_span){ text, length }, &error);
	free(found->name);
	found->name = found->path = NULL;
	return model;
}

/* ---- choosing -------------------------------------------------------------------------------------------- */

/* Before anything is read: a slip in a name should not cost a run. */
static void check_name(const struct search *search, const char *name)
{
	struct kb_nearest nearest = { .typed = name };

	for (size_t i = 0; i < search->count; i++) {
		if (fnmatch(name, search->found[i].name, 0) == 0)
			return;
		kb_nearest_offer(&nearest, search->found[i].name);
	}
	kb_usage(search->command, "no model '%.60s'%s%s%s", name, nearest.best ? ", did you mean " : "; see 'kbench model --list'",
		 nearest.best ? nearest.best : "", nearest.best ? "?" : "");
}

static bool wanted(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (fnmatch(names[i], name, 0) == 0)
			return true;
	}
	return count == 0;
}

static void free_found(struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		free(search->found[i].path);
		free(search->found[i].name);
	}
	free(search->found);
}

void kb_models_load(const struct kb_command *command, const char *const *names, size_t name_count, const char *const *files,
		    size_t file_count, struct kb_model_set *set)
{
	struct search search = { .command = command };

	*set = (struct kb_model_set){ 0 };
	places(&search);
	/* Files alone are what their author wants to see. */
	for (size_t i = 0; i < FOLDERS && (file_count == 0 || name_count > 0); i++)
		add_folder(&search, search.folders[i]);
	for (size_t i = 0; i < file_count; i++)
		add(&search, files[i], true);
	if (search.count == 0)
		kb_die(command, KB_EXIT_USAGE, "no models in %s, %s or %s", search.folders[0], search.folders[1], search.folders[2]);
	for (size_t i = 0; i < name_count; i++)
		check_name(&search, names[i]);
	qsort(search.found, search.count, sizeof *search.found, by_name);
	set->models = calloc(search.count, sizeof *set->models);
	if (!set->models)
		kb_no_memory(command);
	for (size_t i = 0; i < search.count; i++) {
		if (search.found[i].asked || wanted(search.found[i].name, names, name_count))
			set->models[set->count++] = load(command, &search.found[i]);
	}
	free_found(&search);
}

/* The path and the text are const to all that read the model, and ours. */
static void free_model(struct kb_model *model)
{
	free((char *)(uintptr_t)model->path);
	free((char *)(uintptr_t)model->text.at);
	free(model);
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
