/*
 * Finding and reading files of text that a user may add to: NAME.KIND in a directory KIND, such as model/copy.model. A directory of
 * the user's goes before the one beside the program, and that before the installed one.
 */
#ifndef KB_WORKFLOW_DATA_FILES_H
#define KB_WORKFLOW_DATA_FILES_H

#include <limits.h>

#include "base/text.h"
#include "suite/model/model.h"
#include "workflow/exit.h"

#define KB_DATA_DIRECTORIES 3

/* Both strings are owned; asked: the file was named, not found. */
struct kb_data_file { char *path, *name; bool asked; };

struct kb_data_files {
	const char *kind;               /* name of the directory, and behind the dot of its files */
	struct kb_data_file *found;     /* in order of names, each once */
	size_t count;
};

/* Of those of the directories, unless `files` are given without names, and `files`, which go before what has the same name, all that the
   names (globs) mean, without names all. Nothing at all is a failure, and so is a name that means none. What others can write to is left
   out, and noted. */
int kb_data_files_find(struct kb_data_files *, const char *const *names, size_t name_count, const char *const *files, size_t file_count,
		       const struct kb_notes *, struct kb_failure *);
void kb_data_files_free(struct kb_data_files *);

/* Its text, owned by the caller; at most 64 KB. */
int kb_data_file_read(const struct kb_data_files *, const char *path, char **text, size_t *length, struct kb_failure *);

/* This line of the text is wrong: the failure has it, with a caret below. */
int kb_data_file_wrong(const char *path, struct kb_span text, const struct kb_model_error *error, struct kb_failure *);

/* ---- models: one a file, whose name is that of the model ----------------------------------------------------- */

struct kb_model_set {
	struct kb_model **models;       /* in order of names; owned, with the texts they point into */
	size_t count;
};

/* The models that kb_data_files_find finds. */
int kb_models_load(struct kb_model_set *, const char *const *names, size_t name_count, const char *const *files, size_t file_count,
		   const struct kb_notes *, struct kb_failure *);
void kb_models_free(struct kb_model_set *);

/* What kb_model_choose or kb_model_rows_add returned, as a failure that shows the line of the model. */
int kb_refuse_model(const struct kb_model *, int result, const struct kb_model_error *, struct kb_failure *);

/* Leaves those that predict a whole. */
void kb_models_drop_counts(struct kb_model_set *);

#endif
