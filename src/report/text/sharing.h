/* Who else uses the core that measures, for people and as JSON. */
#ifndef KB_REPORT_TEXT_SHARING_H
#define KB_REPORT_TEXT_SHARING_H

#include <jansson.h>

#include "report/text/table.h"
#include "run/sharing.h"

/* What was seen, and what follows from it for results. */
void kb_sharing_print(const struct kb_style *, const struct kb_sharing *);

/* `sharing` of kbench-doctor/1. */
json_t *kb_sharing_json(const struct kb_sharing *);

#endif
