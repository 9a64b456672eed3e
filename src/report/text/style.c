/* See style.h. */
#define _GNU_SOURCE
#include "report/text/style.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/text/columns.h"

#define WIDTH_MIN 40
#define WIDTH_MAX 500
#define WIDTH_OF_SENTENCES 110

unsigned kb_terminal_width(FILE *out)
{
	const char *columns = getenv("COLUMNS");
	unsigned long width = columns ? strtoul(columns, NULL, 10) : 0;
	struct winsize size;

	if (width == 0 && isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	return width == 0 ? 0 : width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : (unsigned)width;
}

struct kb_style kb_style_here(bool notes)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
	/* See no-color.org: set and not empty means none. */
	bool colour = isatty(STDOUT_FILENO) && !(none && none[0]) && terminal && strcmp(terminal, "dumb") != 0;

	return (struct kb_style){ .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0, .notes = notes, .colour = colour,
				 .width = kb_terminal_width(stdout) };
}

/* A width of 0 prints nothing, too. */
static void blanks(FILE *out, unsigned count)
{
	fprintf(out, "%*s", (int)count, "");
}

void kb_print_wrapped(FILE *out, const struct kb_style *style, unsigned indent, const char *text)
{
	unsigned width = style->width ? style->width : WIDTH_OF_SENTENCES;
	unsigned column = indent;
	bool fresh = true;

	blanks(out, indent);
	while (*(text += strspn(text, " \n"))) {
		char word[256];
		size_t length = strcspn(text, " \n");

		/* A longer word than the buffer is no word of ours; it is broken rather than lost, between two characters. */
		if (length >= sizeof word) {
			length = sizeof word - 1;
			while (length > 1 && ((unsigned char)text[length] & 0xc0) == 0x80)
				length--;
		}
		memcpy(word, text, length);
		word[length] = '\0';
		text += length;

		unsigned columns = kb_text_width(word);

		if (!fresh && column + 1 + columns > width) {
			fputc('\n', out);
			blanks(out, indent + 2);
			column = indent + 2;
		} else if (!fresh) {
			fputc(' ', out);
			column++;
		}
		fputs(word, out);
		column += columns;
		fresh = false;
	}
	fputc('\n', out);
}

void kb_print_sentence(FILE *out, const struct kb_style *style, unsigned indent, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	kb_print_wrapped(out, style, indent, text);
}

void kb_text_plain(char *text, const struct kb_style *style)
{
	char *to = text;

	for (const char *from = text; !style->utf8 && *from; from++) {
		if (!strncmp(from, "\u00b1", 2) && *++from) /* two bytes, and two characters in their place */
			memcpy(to, "+-", 2), to += 2;
		else if (((unsigned char)*from & 0xc0) != 0x80)
			*to++ = (unsigned char)*from < 0x80 ? *from : '?';
	}
	if (!style->utf8)
		*to = '\0';
}

#define INDENT 4

void kb_print_reasons_from(FILE *out, const struct kb_style *style, const struct kb_verdict *verdict, enum kb_severity least)
{
	/* The worst first: what decided the verdict must not drown among notes. */
	for (int severity = KB_MAKES_SKIPPED; severity >= (int)least; severity--) {
		for (unsigned i = 0; i < verdict->count && i < KB_REASONS_MAX; i++) {
			const struct kb_reason *reason = &verdict->reasons[i];
			const char *hint = style->notes && reason->code < KB_CODE_COUNT ? kb_code_hint(reason->code) : "";
			char text[512];

			if ((int)kb_reason_severity(reason) != severity)
				continue;
			/* "noisy: the 95 % CI is too wide (±17.8 %, limit ±5 %)": what it does to the number, what it is, what was seen. */
			snprintf(text, sizeof text, "%s: %s%s%s%s%s%s", kb_severity_word(kb_reason_severity(reason)),
				 kb_reason_words(reason), reason->detail[0] ? " (" : "", reason->detail,
				 reason->detail[0] ? ")" : "", hint[0] ? "; " : "", hint);
			kb_text_plain(text, style);
			kb_print_wrapped(out, style, INDENT, text);
		}
	}
}

void kb_print_reasons(FILE *out, const struct kb_style *style, const struct kb_verdict *verdict)
{
	kb_print_reasons_from(out, style, verdict, style->notes ? KB_NOTE : KB_MAKES_NOISY);
}
