/* SHA-256 and HMAC against the published examples: FIPS 180-2 appendix B, RFC 4231. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "partner/sha256.h"

static void expect(const unsigned char hash[KB_HASH_BYTES], const char *digits)
{
	char text[2 * KB_HASH_BYTES + 1];

	for (size_t i = 0; i < KB_HASH_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
	assert_string_equal(text, digits);
}

/* In pieces of every size up to 70: a block ends wherever it does. */
static void expect_hash(const char *text, const char *digits)
{
	unsigned char hash[KB_HASH_BYTES];
	size_t length = strlen(text);

	for (size_t piece = 1; piece <= 70; piece++) {
		struct kb_hash state;

		kb_hash_begin(&state);
		for (size_t at = 0; at < length; at += piece)
			kb_hash_add(&state, text + at, length - at < piece ? length - at : piece);
		kb_hash_end(&state, hash);
		expect(hash, digits);
	}
}

static void test_hash(void **state)
{
	(void)state;
	expect_hash("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_hash("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_million(void **state)
{
	unsigned char hash[KB_HASH_BYTES];
	struct kb_hash a;

	(void)state;
	kb_hash_begin(&a);
	for (unsigned i = 0; i < 1000000; i++)
		kb_hash_add(&a, "a", 1);
	kb_hash_end(&a, hash);
	expect(hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void expect_code(const void *key, size_t key_bytes, const void *text, size_t bytes, const char *digits)
{
	unsigned char code[KB_HASH_BYTES];
	struct kb_hash state;

	kb_hmac_begin(&state, key, key_bytes);
	kb_hash_add(&state, text, bytes);
	kb_hmac_end(&state, key, key_bytes, code);
	expect(code, digits);
}

static void test_hmac(void **state)
{
	unsigned char key[131], data[50];
	const char *large = "Test Using Larger Than Block-Size Key - Hash Key First";

	(void)state;
	memset(key, 0x0b, 20);
	expect_code(key, 20, "Hi There", 8, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	expect_code("Jefe", 4, "what do ya want for nothing?", 28, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof key);
	memset(data, 0xdd, sizeof data);
	expect_code(key, 20, data, 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
	expect_code(key, 131, large, strlen(large), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void test_same(void **state)
{
	unsigned char a[32] = { 0 }, b[32] = { 0 };

	(void)state;
	assert_true(kb_same_bytes(a, b, 32));
	for (size_t i = 0; i < 256; i++) {
		b[i / 8] ^= (unsigned char)(1u << i % 8);
		assert_false(kb_same_bytes(a, b, 32));
		b[i / 8] = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash), cmocka_unit_test(test_million), cmocka_unit_test(test_hmac), cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
