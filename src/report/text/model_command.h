/* What a command cost beside what its counted operations cost. */
#ifndef KB_REPORT_TEXT_MODEL_COMMAND_H
#define KB_REPORT_TEXT_MODEL_COMMAND_H

#include "report/text/model.h"
#include "suite/model/account.h"

void kb_account_print(FILE *out, const struct kb_model_account *, const struct kb_look *);

/* "command" of kbench-model/1: a new reference, NULL without memory. */
json_t *kb_account_to_json(const struct kb_model_account *);

#endif
