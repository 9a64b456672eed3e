/* Light stamps for test_trace_cost.c. */
#define KB_TRACE_LIGHT 1
#define pairs pairs_light
#define readings readings_light
#include "truth/trace_cost.h"
