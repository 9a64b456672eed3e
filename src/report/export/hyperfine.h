/* Commands in the formats of hyperfine, so that its scripts read them: JSON with the times of all runs, CSV, and a Markdown table. Times are
   seconds, less the shell's start-up, as there. */
#ifndef KB_REPORT_EXPORT_HYPERFINE_H
#define KB_REPORT_EXPORT_HYPERFINE_H

#include <jansson.h>
#include <stdio.h>

#include "workflow/commands/commands.h"

/* {"results": [...]}. Commands without a run have no result. 0 or -EIO: there was no memory, or trouble with the file. */
int kb_hyperfine_json(FILE *, const struct kb_commands *);

void kb_hyperfine_csv(FILE *, const struct kb_commands *);

/* unit: s, ms or us; NULL: the one that fits the first command. */
void kb_hyperfine_markdown(FILE *, const struct kb_commands *, const char *unit);

#endif
