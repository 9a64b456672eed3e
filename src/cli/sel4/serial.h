/* The console of a board: a terminal line that never ends by itself. */
#ifndef KB_CLI_SEL4_SERIAL_H
#define KB_CLI_SEL4_SERIAL_H

#include "cli/cli.h"

/* Whether that file is a terminal line, also behind "-". */
bool kb_serial_is(const char *file);

/* Reads it up to the end of what an import can use: a record's end and, if more comes, the table's or the JSON's; or until
   nothing came for a minute. Terminated text, which the caller frees; trouble ends the program. echo: shows it on standard error
   while it comes. */
char *kb_serial_read(const struct kb_command *, const char *file, bool echo, size_t *length);

#endif
