/* What a pair with light stamps adds to its value and to the program. */
#define KB_TRACE_LIGHT 1
#include "trace/points/log.h"
#include "trace/points/nested.h"

void kb_trace_nested_light(uint64_t *inner, uint64_t *outer, size_t count, bool switched)
{
	nested(inner, outer, count, switched);
}
