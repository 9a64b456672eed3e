/* Light stamps for test_trace_cost.c. */
#define KB_TRACE_LIGHT 1
#include "truth/trace_cost.h"

uint64_t pairs_light(void);
uint64_t readings_light(void);

uint64_t pairs_light(void)
{
	return pairs();
}

uint64_t readings_light(void)
{
	return readings();
}
