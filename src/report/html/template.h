/* What the build puts into the program for the page (tools/page-text). */
#ifndef KB_REPORT_HTML_TEMPLATE_H
#define KB_REPORT_HTML_TEMPLATE_H

/* web/page.html, with the marker of KB_PAGE_MARKER in it. */
extern const char kb_page_template[];

/* What a code of a verdict means, in a sentence of doc/method.md; the last one has no code. */
struct kb_page_reason { const char *code, *text; };
extern const struct kb_page_reason kb_page_reasons[];

#endif
