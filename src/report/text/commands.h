/* Commands that were run in turn, as a table for people. */
#ifndef KB_REPORT_TEXT_COMMANDS_H
#define KB_REPORT_TEXT_COMMANDS_H

#include <stdio.h>

#include "report/text/style.h"
#include "workflow/commands/commands.h"

/* A line a command, reasons below it, what order and clock have to do with a difference, and the shell. unit: ms s us ns; NULL: the one that
   fits the first command. With style->notes all that is known of each. */
void kb_commands_print(FILE *out, const struct kb_commands *, const char *unit, const struct kb_style *);

#endif
