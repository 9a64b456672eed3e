/* A file that is there whole or not at all. */
#ifndef KB_CLI_OUTPUT_FILE_H
#define KB_CLI_OUTPUT_FILE_H

#include "cli/cli.h"

/*
 * Writes the bytes under this name, standard output for NULL and "-". What was there stays until the new file is complete;
 * a pipe or a device is written as it is. Trouble is one line and the end of the program, and leaves no part behind.
 */
void kb_output_write(const struct kb_command *, const char *path, const char *bytes, size_t length);

#endif
