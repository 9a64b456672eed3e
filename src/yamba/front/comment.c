/* See comment.h. */
#include "yamba/front/comment.h"

static bool is_mark(char c)
{
	return c == '/' || c == '*' || c == ' ' || (c >= '\t' && c <= '\r');
}

/* "/" and "*" go only where a line or the comment begins or ends: a/b stays. */
const char *kb_comment_text(struct kb_arena *arena, struct kb_span comment, bool first)
{
	char *text = kb_arena_take(arena, comment.length + 1);
	size_t length = 0;
	bool start = true;

	while (comment.length && is_mark(comment.at[comment.length - 1]))
		comment.length--;
	for (size_t i = 0; i < comment.length; i++) {
		char c = comment.at[i];

		if (start && is_mark(c))
			continue;
		start = c == '\n';
		if ((unsigned char)c <= ' ') {
			if (length && text[length - 1] != ' ')
				text[length++] = ' ';
			continue;
		}
		text[length++] = c;
		if (first && c == '.' && (i + 1 == comment.length || (unsigned char)comment.at[i + 1] <= ' '))
			break;
	}
	while (length && (text[length - 1] == ' ' || text[length - 1] == '.'))
		length--;
	text[length] = '\0';
	return text;
}
