/* Words of kbench-result/1 that writer and reader share. */
#ifndef KB_REPORT_JSON_NAMES_H
#define KB_REPORT_JSON_NAMES_H

#include "run/result.h"

extern const char *const kb_json_quantiles[KB_QUANTILES];

#endif
