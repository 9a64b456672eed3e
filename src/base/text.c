/*
 * Building text in a fixed buffer, and the few string helpers of the freestanding core. What does not fit is left
 * out from there on: the buffer always holds a prefix of what was wanted.
 */
#include "base/text.h"

#define DIGITS_MAX 20 /* of 2^64 - 1 */

struct kb_text kb_text_in(char *buffer, size_t room)
{
	if (room > 0)
		buffer[0] = '\0';
	return (struct kb_text){ .at = buffer, .room = room };
}

/* Nothing once the text is cut: a short piece after a long one that did not fit would look like its end. */
static size_t bytes_left(const struct kb_text *text)
{
	return text->cut || text->room == 0 ? 0 : text->room - 1 - text->used;
}

void kb_text_bytes(struct kb_text *text, const char *bytes, size_t count)
{
	size_t left = bytes_left(text);
	size_t fits = count < left ? count : left;

	if (fits < count)
		text->cut = true;
	if (fits == 0)
		return;
	__builtin_memcpy(text->at + text->used, bytes, fits);
	text->used += fits;
	text->at[text->used] = '\0';
}

/* All or nothing: the first digits of a number would be another number. */
static void put_whole(struct kb_text *text, const char *bytes, size_t count)
{
	if (count > bytes_left(text))
		text->cut = true;
	else
		kb_text_bytes(text, bytes, count);
}

void kb_text_str(struct kb_text *text, const char *string)
{
	kb_text_bytes(text, string, kb_strlen(string));
}

static void put_decimal(struct kb_text *text, bool negative, uint64_t value)
{
	char digits[DIGITS_MAX + 1];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	if (negative)
		digits[--at] = '-';
	put_whole(text, digits + at, sizeof(digits) - at);
}

void kb_text_u64(struct kb_text *text, uint64_t value)
{
	put_decimal(text, false, value);
}

void kb_text_i64(struct kb_text *text, int64_t value)
{
	/* Negated as unsigned, because -INT64_MIN does not exist. */
	put_decimal(text, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void kb_text_hex(struct kb_text *text, uint64_t value, unsigned min_digits)
{
	char digits[16];
	size_t at = sizeof(digits);

	do
		digits[--at] = "0123456789abcdef"[value & 15];
	while ((value >>= 4) || (at > 0 && sizeof(digits) - at < min_digits));
	put_whole(text, digits + at, sizeof(digits) - at);
}

/* '=' counts as not plain: it would turn a bare word into a key and its value. */
static bool is_plain(const char *string)
{
	for (const char *c = string; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f || *c == '"' || *c == '\\' || *c == '=')
			return false;
	return *string != '\0';
}

/* One byte inside quotes. Bytes from 0x80 on pass: they are UTF-8, and escaping them would make names unreadable. */
static void put_escaped(struct kb_text *text, char c)
{
	char hex[5] = { '\\', 'x' };
	struct kb_text digits = kb_text_in(hex + 2, 3);

	switch (c) {
	case '"':
		put_whole(text, "\\\"", 2);
		return;
	case '\\':
		put_whole(text, "\\\\", 2);
		return;
	case '\n':
		put_whole(text, "\\n", 2);
		return;
	case '\r':
		put_whole(text, "\\r", 2);
		return;
	case '\t':
		put_whole(text, "\\t", 2);
		return;
	}
	if ((unsigned char)c >= ' ' && c != 0x7f) {
		kb_text_bytes(text, &c, 1);
		return;
	}
	kb_text_hex(&digits, (unsigned char)c, 2);
	put_whole(text, hex, 4);
}

void kb_text_quoted(struct kb_text *text, const char *string)
{
	if (is_plain(string)) {
		kb_text_str(text, string);
		return;
	}
	kb_text_str(text, "\"");
	/* When room ends here the closing quote is missing too, so that a reader refuses it instead of taking a half. */
	for (; *string; string++)
		put_escaped(text, *string);
	kb_text_str(text, "\"");
}

/* The C library has these two, the kernel and a boot image do not always. */
size_t kb_strlen(const char *string)
{
	size_t length = 0;

	while (string[length])
		length++;
	return length;
}

bool kb_streq(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && a[i] == b[i])
		i++;
	return a[i] == b[i];
}

void kb_make_visible(char *text, char instead)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = instead;
	}
}

bool kb_list_has(const char *list, const char *word)
{
	size_t length = kb_strlen(word);

	if (!list || length == 0)
		return false;
	for (;;) {
		size_t item = 0;

		while (list[item] && list[item] != ',')
			item++;
		if (item == length && __builtin_memcmp(list, word, length) == 0)
			return true;
		if (!list[item])
			return false;
		list += item + 1;
	}
}
