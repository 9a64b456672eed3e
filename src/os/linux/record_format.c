/* See record_format.h. */
#include "record_format.h"

#include <stdarg.h>
#include <stdio.h>

void kb_record_format(struct kb_record_writer *writer, const char *word, const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	kb_record_line(writer, word, line);
}
