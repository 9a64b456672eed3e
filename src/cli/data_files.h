/*
 * Finding and reading files of text that a user may add to: NAME.KIND in a folder KIND, such as model/copy.model. A folder of
 * the user's goes before the one beside the program, and that before the installed one.
 */
#ifndef KB_CLI_DATA_FILES_H
#define KB_CLI_DATA_FILES_H

#include <limits.h>

#include "base/text.h"
#include "cli/cli.h"
#include "suite/model/model.h"

#define KB_DATA_FOLDERS 3

/* Both strings are owned; asked: the file was named, not found. */
struct kb_data_file { char *path, *name; bool asked; };

struct kb_data_files {
	const struct kb_command *command;
	const char *kind;               /* name of the folder, and behind the dot of its files */
	struct kb_data_file *found;     /* in order of names, each once */
	size_t count;
};

/* Those of the folders, unless `files` are given without names; and `files`, which go before what has the same name. Nothing
   at all ends the program, and so does a name (a glob) that means none. */
void kb_data_files_find(struct kb_data_files *, const char *const *names, size_t name_count, const char *const *files,
			size_t file_count);
void kb_data_files_free(struct kb_data_files *);

/* Whether one of the names means it; without names all are meant. */
bool kb_data_file_wanted(const struct kb_data_file *, const char *const *names, size_t name_count);

/* Its text, owned by the caller; at most 64 KB. An unreadable file ends the program. */
char *kb_data_file_read(const struct kb_data_files *, const char *path, size_t *length);

/* Ends the program: this line of the text is wrong; prints it with a caret. */
_Noreturn void kb_data_file_wrong(const struct kb_command *, const char *path, struct kb_span text,
				  const struct kb_model_error *error);

#endif
