/* The verdict table: every code can be named, explained and found again. */
#include "base/verdict.h"
#include "base/text.h"
#include "helpers.h"

static void every_code_is_found_by_its_name(void **state)
{
	(void)state;
	for (int i = 0; i < KB_CODE_COUNT; i++) {
		enum kb_reason_code code = (enum kb_reason_code)i;

		assert_int_equal(kb_code_find(kb_code_name(code)), code);
		assert_true(kb_code_words(code)[0]);
		assert_non_null(kb_code_hint(code));
		assert_in_range(kb_code_severity(code), KB_NOTE, KB_MAKES_SKIPPED);
	}
}

/* Scripts and databases key on the names: lower_case with underscores, and no two words alike for people. */
static void names_are_plain_and_words_unique(void **state)
{
	(void)state;
	for (int i = 0; i < KB_CODE_COUNT; i++) {
		const char *name = kb_code_name((enum kb_reason_code)i);

		assert_int_equal(name[strspn(name, "abcdefghijklmnopqrstuvwxyz_")], '\0');
		for (int j = 0; j < i; j++)
			assert_string_not_equal(kb_code_words((enum kb_reason_code)i), kb_code_words((enum kb_reason_code)j));
	}
}

static void severities_of_known_codes(void **state)
{
	(void)state;
	assert_int_equal(kb_code_severity(KB_CODE_crashed), KB_MAKES_INVALID);
	assert_int_equal(kb_code_severity(KB_CODE_too_wide), KB_MAKES_NOISY);
	assert_int_equal(kb_code_severity(KB_CODE_expect_unknown), KB_MAKES_UNVERIFIED);
	assert_int_equal(kb_code_severity(KB_CODE_need_unmet), KB_MAKES_SKIPPED);
	assert_int_equal(kb_code_severity(KB_CODE_env_virtual), KB_NOTE);
	assert_int_equal(kb_code_severity(KB_CODE_contention), KB_CAUSE);
	assert_int_equal(kb_code_severity(KB_CODE_steal), KB_CAUSE);
}

static void severity_leads_to_status(void **state)
{
	(void)state;
	assert_int_equal(kb_severity_status(KB_NOTE), KB_OK);
	assert_int_equal(kb_severity_status(KB_CAUSE), KB_OK);
	assert_int_equal(kb_severity_status(KB_MAKES_NOISY), KB_NOISY);
	assert_int_equal(kb_severity_status(KB_MAKES_UNVERIFIED), KB_UNVERIFIED);
	assert_int_equal(kb_severity_status(KB_MAKES_INVALID), KB_INVALID);
	assert_int_equal(kb_severity_status(KB_MAKES_SKIPPED), KB_SKIPPED);
	assert_int_equal(kb_severity_status((enum kb_severity)77), KB_UNVERIFIED);
}

static void status_names(void **state)
{
	static const char *const names[] = { "ok", "noisy", "unverified", "invalid", "skipped" };

	(void)state;
	for (int i = 0; i < KB_STATUSES; i++)
		assert_string_equal(kb_status_name((enum kb_status)i), names[i]);
	assert_string_equal(kb_status_name(KB_STATUSES), "?");
}

static void unknown_codes_are_harmless(void **state)
{
	(void)state;
	assert_int_equal(kb_code_find("no_such_code"), KB_CODE_COUNT);
	assert_int_equal(kb_code_find(""), KB_CODE_COUNT);
	assert_string_equal(kb_code_name(KB_CODE_COUNT), "?");
	assert_string_equal(kb_code_words((enum kb_reason_code)-1), "?");
	assert_string_equal(kb_code_hint((enum kb_reason_code)100000), "?");
	assert_int_equal(kb_code_severity(KB_CODE_COUNT), KB_MAKES_UNVERIFIED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_is_found_by_its_name),
		cmocka_unit_test(names_are_plain_and_words_unique),
		cmocka_unit_test(severities_of_known_codes),
		cmocka_unit_test(severity_leads_to_status),
		cmocka_unit_test(status_names),
		cmocka_unit_test(unknown_codes_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
