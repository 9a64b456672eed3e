/* Points with a switch for test_trace_cost.c. */
#define KB_TRACE_SWITCH 1
#define pairs pairs_switch
#define readings readings_switch
#include "truth/trace_cost.h"
