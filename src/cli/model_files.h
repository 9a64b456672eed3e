/* Finding and reading models: one a file, NAME.model, whose name is that of the model. */
#ifndef KB_CLI_MODEL_FILES_H
#define KB_CLI_MODEL_FILES_H

#include "cli/cli.h"
#include "suite/model/model.h"

struct kb_model_set {
	struct kb_model **models;       /* in order of names; owned, with the texts they point into */
	size_t count;
};

/*
 * The models of these names or globs, without any all of them; and those of `files`, which go before what has the same
 * name, and without names stand alone. The user's folder goes before the installed one. What is unknown, unreadable or
 * wrong ends the program; a wrong file with its line and a caret.
 */
void kb_models_load(const struct kb_command *, const char *const *names, size_t name_count, const char *const *files,
                    size_t file_count, struct kb_model_set *);

/* Leaves those that predict a whole. */
void kb_models_drop_counts(struct kb_model_set *);

/* Ends the program: this row of a model is wrong, and why. */
_Noreturn void kb_model_row_wrong(const struct kb_command *, const struct kb_model *, unsigned quantity, const char *why);

void kb_models_free(struct kb_model_set *);

#endif
