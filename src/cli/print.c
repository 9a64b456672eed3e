/* See print.h. */
#include "cli/print.h"


#include "base/text.h"
#include "result/json/json.h"

struct kb_shown kb_shown(const char *text)
{
	struct kb_shown shown;

	kb_visible_copy(shown.text, sizeof shown.text, text);
	return shown;
}

void kb_print_lines(FILE *out, const char *text, size_t length)
{
	struct kb_span rest = { text, length };

	while (rest.length > 0) {
		struct kb_character c = kb_character_at(rest);
		bool returned = c.code == '\r' && rest.length > 1 && (rest.at[1] == '\n' || rest.at[1] == '\r');

		if (c.visible || c.code == '\n' || c.code == '\t')
			fwrite(rest.at, 1, c.length, out);
		else if (!returned)
			fputc('?', out);
		rest = (struct kb_span){ rest.at + c.length, rest.length - c.length };
	}
}

void kb_print_json(json_t *json)
{
	if (!json)
		kb_no_memory(NULL);
	kb_json_print(stdout, json);
	json_decref(json);
}
