/* What may stand where the cursor is, for the completion of shells: from the descriptors of the commands, so that it cannot go stale. */
#ifndef KB_CLI_COMPLETE_H
#define KB_CLI_COMPLETE_H

#include "cli/cli.h"

/*
 * words: those of the command line after "kbench", the last one as far as it is typed, perhaps "". Prints one candidate a line, with a tab and
 * what it is behind it where that is known; not only those that begin as the word does. Lines that begin with a tab name what the shell
 * itself knows: files, directories, commands. Returns the exit code.
 */
int kb_complete(int count, char **words);

/* The commands in their order; NULL behind the last. */
const struct kb_command *kb_command_at(unsigned index);
const struct kb_command *kb_command_find(const char *name);

#endif
