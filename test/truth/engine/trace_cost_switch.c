/* Points with a switch for test_trace_cost.c. */
#define KB_TRACE_SWITCH 1
#include "truth/trace_cost.h"

uint64_t pairs_switch(void);
uint64_t readings_switch(void);

uint64_t pairs_switch(void)
{
	return pairs();
}

uint64_t readings_switch(void)
{
	return readings();
}
