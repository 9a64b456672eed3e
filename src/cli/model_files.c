/* See model_files.h. */
#include "cli/model_files.h"

#include <stdlib.h>

#include "cli/data_files.h"

void kb_model_row_wrong(const struct kb_command *command, const struct kb_model *model, unsigned quantity, const char *why)
{
	struct kb_model_error error = { .line = model->quantities[quantity].line, .column = model->quantities[quantity].column };

	snprintf(error.what, sizeof error.what, "%s", why);
	kb_data_file_wrong(command, model->path, model->text, &error);
}

/* Takes over the path. */
static struct kb_model *load(const struct kb_data_files *files, struct kb_data_file *file)
{
	struct kb_model *model = malloc(sizeof *model);
	struct kb_model_error error;
	size_t length;
	char *text = kb_data_file_read(files, file->path, &length);

	if (!model)
		kb_no_memory(files->command);
	if (kb_model_parse(model, file->name, file->path, text, length, &error))
		kb_data_file_wrong(files->command, file->path, (struct kb_span){ text, length }, &error);
	file->path = NULL;
	return model;
}

void kb_models_load(const struct kb_command *command, const char *const *names, size_t name_count, const char *const *paths,
		    size_t path_count, struct kb_model_set *set)
{
	struct kb_data_files files = { .command = command, .kind = "model" };

	*set = (struct kb_model_set){ 0 };
	kb_data_files_find(&files, names, name_count, paths, path_count);
	set->models = calloc(files.count, sizeof *set->models);
	if (!set->models)
		kb_no_memory(command);
	for (size_t i = 0; i < files.count; i++) {
		if (files.found[i].asked || kb_data_file_wanted(&files.found[i], names, name_count))
			set->models[set->count++] = load(&files, &files.found[i]);
	}
	kb_data_files_free(&files);
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
