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
	static const char bytes[] = "\"\\\n\r\t", names[] = "\"\\nrt";
	char escape[5] = { '\\', 'x' };
	struct kb_text digits = kb_text_in(escape + 2, 3);

	for (size_t i = 0; bytes[i]; i++) {
		if (c == bytes[i]) {
			escape[1] = names[i];
			put_whole(text, escape, 2);
			return;
		}
	}
	if ((unsigned char)c >= ' ' && c != 0x7f) {
		kb_text_bytes(text, &c, 1);
		return;
	}
	kb_text_hex(&digits, (unsigned char)c, 2);
	put_whole(text, escape, 4);
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

size_t kb_clipped(const char *text, size_t most)
{
	size_t length = kb_strlen(text);

	if (length <= most)
		return length;
	while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80)
		most--;
	return most;
}

bool kb_streq(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && a[i] == b[i])
		i++;
	return a[i] == b[i];
}

/* ---- what a terminal shows ------------------------------------------------------------------------- */

/* By the first byte; 0: a continuation byte, or one that UTF-8 does not have. */
static unsigned length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	return first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
}

/* The shortest form alone is UTF-8: with a longer one, what looks for ESC would not find it. Surrogates are of UTF-16. */
static bool is_proper(uint32_t code, unsigned length)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

/*
 * Not: C0 and C1 controls and DEL, which begin escape sequences (8-bit terminals read U+009B as ESC [); marks, embeddings,
 * overrides and isolates of the bidirectional algorithm (Unicode Standard Annex 9), which show text in another order than it
 * has; line and paragraph separators.
 */
static bool is_visible(uint32_t code)
{
	if (code < ' ' || (code >= 0x7f && code < 0xa0))
		return false;
	return code != 0x061c && code != 0x200e && code != 0x200f && !(code >= 0x2028 && code <= 0x202e) &&
	       !(code >= 0x2066 && code <= 0x2069);
}

struct kb_character kb_character_at(struct kb_span text)
{
	unsigned char first = (unsigned char)text.at[0];
	unsigned length = length_of(first);
	uint32_t code = length > 1 ? first & (0x7fu >> length) : first;

	if (length > text.length)
		length = 0;
	for (unsigned i = 1; i < length; i++) {
		unsigned char next = (unsigned char)text.at[i];

		if ((next & 0xc0) != 0x80)
			length = 0;
		code = code << 6 | (next & 0x3f);
	}
	if (length == 0 || !is_proper(code, length))
		return (struct kb_character){ .length = 1, .code = first, .visible = false };
	return (struct kb_character){ .length = length, .code = code, .visible = is_visible(code) };
}

void kb_make_visible(char *text, char instead)
{
	/* Most text is plain, and a query reads a lot of it. */
	while (*text >= ' ' && *text <= '~')
		text++;

	struct kb_span rest = { text, kb_strlen(text) };
	char *to = text;

	while (rest.length > 0) {
		struct kb_character c = kb_character_at(rest);

		for (unsigned i = 0; c.visible && i < c.length; i++)
			*to++ = rest.at[i];
		if (!c.visible)
			*to++ = instead;
		rest = (struct kb_span){ rest.at + c.length, rest.length - c.length };
	}
	*to = '\0';
}

const char *kb_visible_copy(char *buffer, size_t room, const char *text)
{
	struct kb_text copy = kb_text_in(buffer, room);

	kb_text_str(&copy, text);
	/* A character that the room cut in two is no UTF-8 any more. */
	kb_make_visible(buffer, '?');
	return buffer;
}

bool kb_span_is_visible(struct kb_span text)
{
	while (text.length > 0) {
		struct kb_character c = kb_character_at(text);

		if (!c.visible)
			return false;
		text = (struct kb_span){ text.at + c.length, text.length - c.length };
	}
	return true;
}

bool kb_is_visible(const char *text)
{
	return kb_span_is_visible((struct kb_span){ text, kb_strlen(text) });
}

bool kb_is_bench_name(const char *name)
{
	size_t length = 0;

	for (; name[length]; length++) {
		char c = name[length];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.'))
			return false;
	}
	return length > 0 && length <= KB_BENCH_NAME_MAX && name[length - 1] != '.';
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
