/*
 * Reading text that somebody else owns and that may hold any bytes: spans are never terminated, so nothing here
 * looks beyond `length`.
 */
#include "base/text.h"

#define INT_LARGEST 0x7fffffff

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * Length of the word at the start: up to the first blank outside quotes; inside them \ hides the next byte. Quotes
 * count in the middle as well, since key="a value" is one word. An open quote runs to the end of the text, where
 * kb_span_unquote refuses it.
 */
static size_t word_length(struct kb_span text)
{
	bool quoted = false;
	size_t i = 0;

	for (; i < text.length && (quoted || !is_blank(text.at[i])); i++) {
		if (text.at[i] == '"')
			quoted = !quoted;
		else if (quoted && text.at[i] == '\\' && i + 1 < text.length)
			i++;
	}
	return i;
}

struct kb_span kb_span_word(struct kb_span *rest)
{
	struct kb_span word;

	while (rest->length > 0 && is_blank(*rest->at)) {
		rest->at++;
		rest->length--;
	}
	word = (struct kb_span){ rest->at, word_length(*rest) };
	if (word.length > 0)
		*rest = (struct kb_span){ rest->at + word.length, rest->length - word.length };
	return word;
}

bool kb_span_starts(struct kb_span span, const char *prefix)
{
	size_t i = 0;

	while (prefix[i] && i < span.length && span.at[i] == prefix[i])
		i++;
	return !prefix[i];
}

struct kb_span kb_span_of(const char *text)
{
	return (struct kb_span){ text, text ? kb_strlen(text) : 0 };
}

bool kb_span_equal(struct kb_span a, struct kb_span b)
{
	return a.length == b.length && (a.length == 0 || __builtin_memcmp(a.at, b.at, a.length) == 0);
}

bool kb_span_is(struct kb_span span, const char *word)
{
	return kb_span_starts(span, word) && span.length == kb_strlen(word);
}

/* No sign, no blanks, no 0x: whatever strtoull would forgive is damage here. */
bool kb_span_u64(struct kb_span span, uint64_t *value)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < span.length; i++) {
		unsigned digit = (unsigned)(unsigned char)span.at[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(sum, (uint64_t)10, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)digit, &sum))
			return false;
	}
	if (span.length == 0)
		return false;
	*value = sum;
	return true;
}

bool kb_span_pair(struct kb_span word, struct kb_span *key, struct kb_span *value)
{
	size_t i = 0;

	while (i < word.length && word.at[i] != '=')
		i++;
	if (i == word.length)
		return false;
	*key = (struct kb_span){ word.at, i };
	*value = (struct kb_span){ word.at + i + 1, word.length - i - 1 };
	return true;
}

struct kb_span kb_params_value(const char *params, struct kb_span name)
{
	struct kb_span rest = kb_span_of(params), word, key, value;

	while ((word = kb_span_word(&rest)).length > 0) {
		if (kb_span_pair(word, &key, &value) && kb_span_equal(key, name))
			return value;
	}
	return kb_span_of("");
}

/* Lower case only: one value has one spelling, the one that the writer makes. */
static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Takes the escape after a backslash off *in. The byte, or -1. \x00 is refused: the result is a C string. */
static int take_escape(struct kb_span *in)
{
	static const char names[] = "\"\\nrt", bytes[] = "\"\\\n\r\t";
	int high, low;

	for (size_t i = 0; names[i]; i++) {
		if (in->length > 0 && in->at[0] == names[i]) {
			*in = (struct kb_span){ in->at + 1, in->length - 1 };
			return bytes[i];
		}
	}
	if (in->length < 3 || in->at[0] != 'x')
		return -1;
	high = hex_digit(in->at[1]);
	low = hex_digit(in->at[2]);
	*in = (struct kb_span){ in->at + 3, in->length - 3 };
	return high < 0 || low < 0 || high + low == 0 ? -1 : high * 16 + low;
}

/* Takes one byte of the value off *in. The byte, or -1: what only an escape, or a pair of quotes, may carry. */
static int take_byte(struct kb_span *in, bool quoted)
{
	char c = in->at[0];

	*in = (struct kb_span){ in->at + 1, in->length - 1 };
	if (quoted && c == '\\')
		return take_escape(in);
	if ((unsigned char)c < ' ' || c == 0x7f || c == '"' || (!quoted && (c == ' ' || c == '\\')))
		return -1;
	return (unsigned char)c;
}

int kb_span_unquote(struct kb_span span, char *buffer, size_t room)
{
	bool quoted = span.length > 0 && span.at[0] == '"';
	size_t used = 0;

	if (quoted) {
		if (span.length < 2 || span.at[span.length - 1] != '"')
			return -1;
		span = (struct kb_span){ span.at + 1, span.length - 2 };
	}
	while (span.length > 0) {
		int c = take_byte(&span, quoted);

		/* The result is an int, so a value of 2 GB is refused even where it would fit. */
		if (c < 0 || used >= INT_LARGEST || used + 1 >= room)
			return -1;
		buffer[used++] = (char)c;
	}
	if (room == 0)
		return -1;
	buffer[used] = '\0';
	return (int)used;
}

/* ---- hosts ------------------------------------------------------------------------------------------------ */

static bool is_in_host(char c, bool bracketed)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' ||
	       (bracketed && (c == ':' || c == '%'));
}

/* Where the port's colon stands, or the length: two colons without brackets are an address of IPv6. */
static size_t host_ends(struct kb_span text, bool *bracketed)
{
	size_t colons = 0, at = 0, last = text.length;

	*bracketed = text.length > 0 && text.at[0] == '[';
	if (*bracketed) {
		while (at < text.length && text.at[at] != ']')
			at++;
		return at + 1;
	}
	for (; at < text.length; at++) {
		last = text.at[at] == ':' ? at : last;
		colons += text.at[at] == ':';
	}
	*bracketed = colons > 1;
	return colons == 1 ? last : text.length;
}

bool kb_span_host(struct kb_span text, struct kb_span *host, uint64_t *port)
{
	bool bracketed;
	size_t end = host_ends(text, &bracketed), skip = text.length > 0 && text.at[0] == '[';

	*port = 0;
	if (end > text.length || end < 1 + 2 * skip || (skip && end == 2))
		return false;
	*host = (struct kb_span){ text.at + skip, end - 2 * skip };
	for (size_t i = 0; i < host->length; i++) {
		if (!is_in_host(host->at[i], bracketed))
			return false;
	}
	if (end == text.length)
		return true;
	return text.at[end] == ':' && kb_span_u64((struct kb_span){ text.at + end + 1, text.length - end - 1 }, port) && *port > 0 && *port < 65536;
}
