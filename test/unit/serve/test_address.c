/* Addresses of --address and --allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serve/address.h"

static void test_text(void **state)
{
	static const char *const bad[] = { "", "1", "10.0.0", "10.0.0.256", "localhost", "0x7f.0.0.1", "::g", "10.0.0.1:80", "[::1]" };
	struct kb_address address;
	char text[KB_ADDRESS_TEXT];

	(void)state;
	assert_true(kb_address_parse(&address, "10.0.0.2", 7353));
	assert_string_equal(kb_address_text(&address, true, text), "10.0.0.2:7353");
	assert_string_equal(kb_address_text(&address, false, text), "10.0.0.2");
	assert_true(kb_address_parse(&address, "2001:db8::1", 1));
	assert_string_equal(kb_address_text(&address, true, text), "[2001:db8::1]:1");
	kb_address_set_port(&address, 65535);
	assert_int_equal(kb_address_port(&address), 65535);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		if (kb_address_parse(&address, bad[i], 0))
			fail_msg("'%s' is taken", bad[i]);
	}
}

static bool allows(const char *list, const char *text)
{
	struct kb_allow allow;
	struct kb_address address;
	char error[256];

	if (kb_allow_parse(&allow, list, error))
		fail_msg("%s: %s", list, error);
	assert_true(kb_address_parse(&address, text, 1));
	return kb_allow_has(&allow, &address);
}

static void test_allow(void **state)
{
	struct kb_allow none = { .count = 0 };
	struct kb_address any;

	(void)state;
	assert_true(allows("10.0.0.1", "10.0.0.1"));
	assert_false(allows("10.0.0.1", "10.0.0.2"));
	assert_true(allows("10.0.0.0/24,192.0.2.7", "10.0.0.255"));
	assert_false(allows("10.0.0.0/24,192.0.2.7", "10.0.1.0"));
	assert_true(allows("10.0.0.0/24,192.0.2.7", "192.0.2.7"));
	assert_true(allows("10.0.0.128/25", "10.0.0.129"));
	assert_false(allows("10.0.0.128/25", "10.0.0.127"));
	assert_true(allows("0.0.0.0/0", "203.0.113.9"));
	assert_false(allows("0.0.0.0/0", "::1"));
	assert_true(allows("2001:db8::/33", "2001:db8:7fff::1"));
	assert_false(allows("2001:db8::/33", "2001:db8:8000::1"));
	assert_true(kb_address_parse(&any, "203.0.113.9", 0));
	assert_true(kb_allow_has(&none, &any));
}

static void test_bad_allow(void **state)
{
	static const char *const bad[] = { "", ",", "10.0.0.1,", "10.0.0.1/33", "10.0.0.1/", "10.0.0.1/-1", "10.0.0.1/x", "::1/129", "name", "\x1b[31m" };
	struct kb_allow allow;
	char error[256], many[2048] = "";

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		if (!kb_allow_parse(&allow, bad[i], error))
			fail_msg("'%s' is taken", bad[i]);
		assert_null(strchr(error, '\x1b'));
	}
	for (unsigned i = 0; i <= KB_ALLOW_MAX; i++)
		strcat(many, i ? ",10.0.0.1" : "10.0.0.1");
	assert_int_not_equal(kb_allow_parse(&allow, many, error), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_text), cmocka_unit_test(test_allow), cmocka_unit_test(test_bad_allow) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
