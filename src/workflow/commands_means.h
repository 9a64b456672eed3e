/* What all runs of commands together tell besides their results: means of what they used, effects of order and clock. Parts of commands.h. */
#ifndef KB_WORKFLOW_COMMANDS_MEANS_H
#define KB_WORKFLOW_COMMANDS_MEANS_H

#include "workflow/commands.h"

/* Fills means, effects and shell_ns from the uses. margin: ln of a ratio. 0 or -ENOMEM. */
int kb_commands_find_means(struct kb_commands *, double margin);

#endif
