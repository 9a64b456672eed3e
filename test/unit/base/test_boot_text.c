/* The parameter block of an image: written where it is, once; and the facts beside the image. */
#include "base/boot_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Bytes of an image, into which blocks are put. */
static char image[3 * sizeof(struct kb_boot_text)];

static void put_block(size_t offset, uint32_t version)
{
	const struct kb_boot_text block = { .magic = KB_BOOT_MAGIC, .version = version, .room = KB_BOOT_ROOM, .text = "old" };

	memcpy(image + offset, &block, sizeof block);
}

static void written_once(void **state)
{
	const char *text = image + 7 + offsetof(struct kb_boot_text, text);
	static char long_text[KB_BOOT_ROOM];

	(void)state;
	memset(image, 1, sizeof image);
	assert_int_equal(kb_boot_text_write(image, sizeof image, "new", 3), -ENOENT);
	put_block(7, KB_BOOT_VERSION + 1);
	assert_int_equal(kb_boot_text_write(image, sizeof image, "new", 3), -ENOENT);
	assert_false(kb_boot_text_fits(image, sizeof image));
	put_block(7, KB_BOOT_VERSION);
	assert_true(kb_boot_text_fits(image, sizeof image));
	assert_false(kb_boot_text_fits(image, 7 + sizeof(struct kb_boot_text) - 1));
	assert_int_equal(kb_boot_text_write(image, 7 + sizeof(struct kb_boot_text) - 1, "new", 3), -ENOENT);
	assert_int_equal(kb_boot_text_write(image, sizeof image, long_text, KB_BOOT_ROOM), -EOVERFLOW);
	assert_string_equal(text, "old");
	assert_int_equal(kb_boot_text_write(image, sizeof image, "new\n", 4), 0);
	assert_string_equal(text, "new\n");
	put_block(sizeof image / 2, KB_BOOT_VERSION);
	assert_int_equal(kb_boot_text_write(image, sizeof image, "x", 1), -EINVAL);
	assert_string_equal(text, "new\n");
}

static void facts(void **state)
{
	char value[6];

	(void)state;
	assert_true(kb_boot_fact("arch=riscv64\nmemory=3072\nempty=", "memory", value, sizeof value));
	assert_string_equal(value, "3072");
	assert_true(kb_boot_fact("arch=riscv64", "arch", value, sizeof value));
	assert_string_equal(value, "riscv");
	assert_true(kb_boot_fact("a=1\nempty=", "empty", value, sizeof value));
	assert_string_equal(value, "");
	assert_false(kb_boot_fact("march=x\nar\n=arch\narchive=1", "arch", value, sizeof value));
	assert_string_equal(value, "");
	assert_false(kb_boot_fact("", "arch", value, sizeof value));
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(written_once), cmocka_unit_test(facts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
