/* See words.h. */
#include "report/text/words.h"

#include <string.h>

#include "report/text/columns.h"
#include "report/text/figure.h"

#define WIDTH_USUAL 110
#define INDENT 4

/* A width of 0 prints nothing, too. */
static void blanks(FILE *out, unsigned count)
{
	fprintf(out, "%*s", (int)count, "");
}

void kb_words_wrap(FILE *out, const struct kb_look *look, unsigned indent, const char *text)
{
	unsigned width = look->width ? look->width : WIDTH_USUAL;
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

void kb_words_plain(char *text, const struct kb_look *look)
{
	char *to = text;

	for (const char *from = text; !look->utf8 && *from; from++) {
		if (!strncmp(from, "\u00b1", 2) && *++from) /* two bytes, and two characters in their place */
			memcpy(to, "+-", 2), to += 2;
		else if (((unsigned char)*from & 0xc0) != 0x80)
			*to++ = (unsigned char)*from < 0x80 ? *from : '?';
	}
	if (!look->utf8)
		*to = '\0';
}

/* "noisy: the 95 % CI is too wide (±17.8 %, limit ±5 %)": what it does to the number, what it is, what was seen. */
static void one_reason(FILE *out, const struct kb_look *look, const struct kb_reason *reason)
{
	const char *hint = look->notes && reason->code < KB_CODE_COUNT ? kb_code_hint(reason->code) : "";
	char text[512];

	snprintf(text, sizeof text, "%s: %s%s%s%s%s%s", kb_severity_word(kb_reason_severity(reason)),
		 kb_reason_words(reason), reason->detail[0] ? " (" : "", reason->detail,
		 reason->detail[0] ? ")" : "", hint[0] ? "; " : "", hint);
	kb_words_plain(text, look);
	kb_words_wrap(out, look, INDENT, text);
}

void kb_words_reasons_from(FILE *out, const struct kb_look *look, const struct kb_verdict *verdict, enum kb_severity least)
{
	/* The worst first: what decided the verdict must not drown among notes. */
	for (int severity = KB_MAKES_SKIPPED; severity >= (int)least; severity--) {
		for (unsigned i = 0; i < verdict->count && i < KB_REASONS_MAX; i++) {
			if ((int)kb_reason_severity(&verdict->reasons[i]) == severity)
				one_reason(out, look, &verdict->reasons[i]);
		}
	}
}

void kb_words_reasons(FILE *out, const struct kb_look *look, const struct kb_verdict *verdict)
{
	kb_words_reasons_from(out, look, verdict, look->notes ? KB_NOTE : KB_MAKES_NOISY);
}
