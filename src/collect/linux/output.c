/* The record's way out; see context.h. */
#include "collect/linux/context.h"

#include <string.h>

#include "io.h"

static char buffer[1 << 16];
static size_t used;
static int out;

int kb_output_flush(void)
{
	size_t count = used;

	used = 0;
	return kb_write_all(out, buffer, count);
}

void kb_output_drop(void)
{
	used = 0;
}

static int append(void *context, const char *bytes, size_t count)
{
	(void)context;
	if (count > sizeof buffer - used) {
		int error = kb_output_flush();

		if (error)
			return error;
	}
	if (count > sizeof buffer)
		return kb_write_all(out, bytes, count);
	memcpy(buffer + used, bytes, count);
	used += count;
	return 0;
}

struct kb_sink kb_output_sink(int fd)
{
	out = fd;
	return (struct kb_sink){ append, NULL };
}
