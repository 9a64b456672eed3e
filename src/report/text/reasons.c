/* See reasons.h. */
#include "report/text/reasons.h"

#include <stdio.h>

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
