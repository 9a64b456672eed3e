/* Names in time: ids of runs and dates. */
#ifndef KB_WORKFLOW_RUN_ID_H
#define KB_WORKFLOW_RUN_ID_H

#include "types.h"

/* A UUID of version 7 (RFC 9562): its first 48 bits are milliseconds, so ids sort by time. 0 or -errno. */
int kb_run_id(char id[37]);

/* "2026-05-04T10:00:00Z" */
void kb_date_now(char text[21]);

#endif
