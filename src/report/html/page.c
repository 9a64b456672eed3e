/* See document.h: the document as text, alone and inside the page. */
#include "report/html/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/json/json.h"

#define MARKER "@KBENCH_DATA@"

int kb_page_print_json(FILE *out, const json_t *document)
{
	int error = kb_json_write(out, document, KB_PAGE_FORMAT);

	return error || fputc('\n', out) == EOF ? -EIO : 0;
}

/* In a page, data must not end the element that it stands in, nor begin another one. These characters stand only in strings, where an
   escape means the same. Line separators (U+2028, U+2029) are escaped already, as all that is not visible. */
static void print_escaped(FILE *out, const char *text)
{
	for (size_t length; text[0]; text += length) {
		length = strcspn(text, "<>&");
		fwrite(text, 1, length, out);
		if (text[length])
			fprintf(out, "\\u%04X", (unsigned)text[length++]);
	}
}

int kb_page_print(FILE *out, const char *page_template, const json_t *document)
{
	const char *marker = strstr(page_template, MARKER);
	char *text = NULL;
	size_t length;
	FILE *memory = marker ? open_memstream(&text, &length) : NULL;
	int error = memory ? kb_json_write(memory, document, KB_PAGE_FORMAT) : marker ? -ENOMEM : -EINVAL;

	if (memory && fclose(memory))
		error = -ENOMEM;
	if (!error) {
		fwrite(page_template, 1, (size_t)(marker - page_template), out);
		print_escaped(out, text);
		fputs(marker + strlen(MARKER), out);
	}
	free(text);
	return error ? error : ferror(out) ? -EIO : 0;
}
