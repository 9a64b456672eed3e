/* Folders for what kbench makes and later loads by itself. */
#ifndef KB_CLI_CACHE_H
#define KB_CLI_CACHE_H

#include <stdbool.h>

#include "cli/cli.h"

/* Makes the folders above the path, and from now on nothing that others can write, whatever the umask was. remedy: what to do where
   that fails. Ends the program then. */
void kb_make_folders(const struct kb_command *, char *path, const char *remedy);

/* The same for a path in the cache; known: there is a cache, and this is its path. Ends the program also where others can write there. */
void kb_cache_make(const struct kb_command *, bool known, char *path, const char *remedy);

#endif
