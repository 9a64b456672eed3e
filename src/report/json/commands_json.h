/* Commands that were run in turn, as JSON. */
#ifndef KB_REPORT_JSON_COMMANDS_JSON_H
#define KB_REPORT_JSON_COMMANDS_JSON_H

#include <jansson.h>

#include "workflow/commands/commands.h"

/* The run as kbench-result/2 has it, with three members more: `commands`, a member of each result's row; `comparisons`, as kbench-compare/2 has
   its rows, with the effects of order and clock; `shell`. NULL without memory. */
json_t *kb_commands_to_json(const struct kb_commands *);

#endif
