/* Makes of the selected rows the variants that `kbench run` was asked for. */
#ifndef KB_CLI_VARIANTS_H
#define KB_CLI_VARIANTS_H

#include "cli/request.h"

/* Rows are replaced where --interfere or --parallel asks for it. Ends the program if that cannot be. */
void kb_variants_ask(const struct kb_command *, struct kb_request *, struct kb_row **rows, size_t *count);

#endif
