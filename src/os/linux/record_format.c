/* See record_format.h. */
#define _GNU_SOURCE
#include "record_format.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

static int format_in_c(char *text, size_t room, const char *format, va_list arguments)
{
	static locale_t c;
	locale_t before;
	int length;

	if (!c)
		c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	before = uselocale(c);
	length = vsnprintf(text, room, format, arguments);
	uselocale(before);
	return length;
}

int kb_format(char *text, size_t room, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = format_in_c(text, room, format, arguments);
	va_end(arguments);
	return length;
}

void kb_record_format(struct kb_record_writer *writer, const char *word, const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	format_in_c(line, sizeof line, format, arguments);
	va_end(arguments);
	kb_record_line(writer, word, line);
}

int kb_put_to_file(void *file, const char *bytes, size_t count)
{
	return fwrite(bytes, 1, count, file) == count ? 0 : -errno;
}
