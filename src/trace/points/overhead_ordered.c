/* What a pair with ordered stamps adds to its value and to the program. */
#define KB_TRACE_LIGHT 0
#include "trace/points/log.h"
#include "trace/points/nested.h"

void kb_trace_nested_ordered(uint64_t *inner, uint64_t *outer, size_t count, bool switched)
{
	nested(inner, outer, count, switched);
}
