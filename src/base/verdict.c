/*
 * The verdict table as text. All five tables come from the one list in the header, so a code cannot lose its words
 * and no row can fall out of step with the enum.
 */
#include "base/verdict.h"
#include "base/text.h"

static const char *const status_names[KB_STATUSES] = {
	[KB_OK] = "ok", [KB_NOISY] = "noisy", [KB_UNVERIFIED] = "unverified", [KB_INVALID] = "invalid", [KB_SKIPPED] = "skipped",
};

struct code_row {
	const char *name, *tag, *words, *hint;
	enum kb_severity severity;
};

static const struct code_row code_rows[KB_CODE_COUNT] = {
#define X(code, badness, short_words, sentence, advice) \
	[KB_CODE_##code] = { .name = #code, .tag = short_words, .words = sentence, .hint = advice, .severity = badness },
	KB_CODES(X)
#undef X
};

/* Codes come out of databases that a newer version may have written: any number must be safe. An unknown one is
   unverified, because nobody here can say that it does no harm. */
static const struct code_row unknown_code = { "?", "?", "?", "?", KB_MAKES_UNVERIFIED };

static const struct code_row *row_of(enum kb_reason_code code)
{
	return (unsigned)code < KB_CODE_COUNT ? &code_rows[code] : &unknown_code;
}

const char *kb_status_name(enum kb_status status)
{
	return (unsigned)status < KB_STATUSES ? status_names[status] : "?";
}

const char *kb_code_name(enum kb_reason_code code)
{
	return row_of(code)->name;
}

const char *kb_code_words(enum kb_reason_code code)
{
	return row_of(code)->words;
}

const char *kb_code_tag(enum kb_reason_code code)
{
	return row_of(code)->tag;
}

const char *kb_code_hint(enum kb_reason_code code)
{
	return row_of(code)->hint;
}

enum kb_severity kb_code_severity(enum kb_reason_code code)
{
	return row_of(code)->severity;
}

enum kb_reason_code kb_code_find(const char *name)
{
	unsigned code = 0;

	while (code < KB_CODE_COUNT && !kb_streq(code_rows[code].name, name))
		code++;
	return (enum kb_reason_code)code;
}

/* Of a number from outside the same caution as of an unknown code. */
enum kb_status kb_severity_status(enum kb_severity severity)
{
	static const enum kb_status statuses[] = {
		[KB_NOTE] = KB_OK, [KB_CAUSE] = KB_OK, [KB_MAKES_NOISY] = KB_NOISY, [KB_MAKES_UNVERIFIED] = KB_UNVERIFIED,
		[KB_MAKES_INVALID] = KB_INVALID, [KB_MAKES_SKIPPED] = KB_SKIPPED,
	};

	return (unsigned)severity <= KB_MAKES_SKIPPED ? statuses[severity] : KB_UNVERIFIED;
}
