/* Files that are there whole or not at all, and directories for what kbench makes and later loads by itself. */
#ifndef KB_CLI_FILES_H
#define KB_CLI_FILES_H

#include <limits.h>

#include "cli/cli.h"

/*
 * Writes the bytes under this name, standard output for NULL and "-". What was there stays until the new file is complete;
 * a pipe or a device is written as it is. Trouble is one line and the end of the program, and leaves no part behind.
 */
void kb_output_write(const struct kb_command *, const char *path, const char *bytes, size_t length);

/* Before a long measurement: ends the program where that could not make the file. */
void kb_output_check(const struct kb_command *, const char *path);

/* Text that is made before it is written: a stream into memory, which takes it up to its end. `text` is there then, to be freed, or written by
   the last one, which ends the stream itself. Without memory the program ends. */
struct kb_output { FILE *out; char *text; size_t length; };
FILE *kb_output_begin(const struct kb_command *, struct kb_output *);
char *kb_output_end(const struct kb_command *, struct kb_output *);
void kb_output_put(const struct kb_command *, const char *path, struct kb_output *);

/* A stream to this file; NULL for none. What cannot be opened ends the program. Closing it: false after a complaint, where error or the
   file system says that not all of it is there. */
FILE *kb_output_open(const struct kb_command *, const char *path);
bool kb_output_close(const struct kb_command *, const char *path, FILE *, int error);

/* Makes the directories above a path in the cache, and from now on nothing that others can write, whatever the umask was. known: there is
   a cache, and this is its path. remedy: what to do where that fails, or where others can write there; ends the program then. */
void kb_cache_make(const struct kb_command *, bool known, char *path, const char *remedy);

/* Where a build goes: the directory that --output names, or else this one of the cache, without slashes at its end; those above it are
   made. known: as of kb_cache_make. */
void kb_build_target(const struct kb_command *, const char *into, bool known, char path[PATH_MAX]);

#endif
