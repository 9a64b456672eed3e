/*
 * Sizes and durations in integers only: 1.5s must be exactly 1500000000 ns everywhere, a kernel included.
 */
#include "base/units.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes the digits at the start of *text. False without any, or on overflow. */
static bool take_number(const char **text, uint64_t *value)
{
	const char *start = *text;

	while (is_digit(**text))
		(*text)++;
	return kb_span_u64((struct kb_span){ start, (size_t)(*text - start) }, value);
}

/* Takes K, M, G or T; people type either case. The bits to shift by, 0 without one. */
static unsigned take_size_letter(const char **text)
{
	static const char letters[] = "KkMmGgTt";

	for (unsigned i = 0; letters[i]; i++) {
		if (**text == letters[i]) {
			(*text)++;
			return (i / 2 + 1) * 10;
		}
	}
	return 0;
}

/* The i of KiB is only a way to write the same: K is 1024 with it and without. */
bool kb_parse_size(const char *text, uint64_t *bytes)
{
	uint64_t number;
	unsigned shift;

	if (!take_number(&text, &number))
		return false;
	shift = take_size_letter(&text);
	if (shift > 0 && text[0] == 'i' && text[1] == 'B')
		text++;
	if (text[0] == 'B')
		text++;
	if (text[0] || number > ~(uint64_t)0 >> shift)
		return false;
	*bytes = number << shift;
	return true;
}

static const struct { const char *name; uint64_t ns; } durations[] = {
	{ "", 1000000000 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	{ "m", 60 * (uint64_t)1000000000 }, { "h", 3600 * (uint64_t)1000000000 },
};

/* The whole rest must be the unit: "1min" is not a minute with something behind it. */
static bool find_duration(const char *name, uint64_t *ns)
{
	for (unsigned i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
		if (kb_streq(durations[i].name, name)) {
			*ns = durations[i].ns;
			return true;
		}
	}
	return false;
}

/* unit x 0.digits, rounded down: from the last digit on, so that no step is larger than ten units. */
static uint64_t fraction_of(uint64_t unit, struct kb_span digits)
{
	uint64_t part = 0;

	for (size_t i = digits.length; i > 0; i--)
		part = ((uint64_t)(digits.at[i - 1] - '0') * unit + part) / 10;
	return part;
}

bool kb_parse_duration(const char *text, uint64_t *ns)
{
	struct kb_span decimals = { text, 0 };
	uint64_t number, unit, whole;

	if (!take_number(&text, &number))
		return false;
	if (*text == '.') {
		decimals.at = ++text;
		while (is_digit(*text))
			text++;
		decimals.length = (size_t)(text - decimals.at);
		if (decimals.length == 0)
			return false;
	}
	return find_duration(text, &unit) && !__builtin_mul_overflow(number, unit, &whole) &&
	       !__builtin_add_overflow(whole, fraction_of(unit, decimals), ns);
}

void kb_text_size(struct kb_text *text, uint64_t bytes)
{
	static const char letters[] = "KMGT";
	unsigned power = 0;

	while (power < 4 && bytes > 0 && bytes % 1024 == 0) {
		bytes /= 1024;
		power++;
	}
	kb_text_u64(text, bytes);
	if (power > 0)
		kb_text_bytes(text, &letters[power - 1], 1);
}
