/* What terminals and serial lines put into text. A wrong guess here costs a launch, never a digit: records have a CRC. */
#include <string.h>

#include "import/log.h"

#define ESCAPE 0x1b
#define BELL 0x07

/* A control sequence ends with its first letter or sign; a title with BEL or ESC \. No one goes over the end of its line. */
static size_t sequence(const char *at, size_t left)
{
	size_t i = 2;

	if (left < 2 || at[1] == '\n')
		return 1;
	if (at[1] == '[') {
		while (i < left && at[i] != '\n' && (at[i] < 0x40 || at[i] > 0x7e))
			i++;
		return i < left && at[i] != '\n' ? i + 1 : i;
	}
	if (at[1] == ']') {
		while (i < left && at[i] != '\n' && at[i] != BELL && at[i] != ESCAPE)
			i++;
		if (i < left && at[i] == ESCAPE && i + 1 < left && at[i + 1] == '\\')
			i++;
		return i < left && at[i] != '\n' ? i + 1 : i;
	}
	/* A character set is one byte more. */
	return (at[1] == '(' || at[1] == ')') && left > 2 && at[2] != '\n' ? 3 : 2;
}

size_t kb_log_clean(char *text, size_t length)
{
	size_t used = 0, line = 0;

	for (size_t i = 0; i < length;) {
		if (text[i] == ESCAPE) {
			i += sequence(text + i, length - i);
			continue;
		}
		if (text[i] == '\r' && used == line) {
			i++;
			continue;
		}
		if (text[i] == '\n') {
			while (used > line && text[used - 1] == '\r')
				used--;
		}
		text[used++] = text[i];
		if (text[i++] == '\n')
			line = used;
	}
	return used;
}
