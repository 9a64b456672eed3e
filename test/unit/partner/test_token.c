/* Token files: made once, private, and refused where others could have read or written them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "partner/token.h"

static char directory[] = "/tmp/kbench-token.XXXXXX", path[PATH_MAX];
static unsigned char token[KB_TOKEN_BYTES], again[KB_TOKEN_BYTES];
static char error[256];

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof path, "%s/config/kbench/token", directory);
	return 0;
}

static int remove_directory(void **state)
{
	char command[PATH_MAX + 16];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", directory);
	return system(command);
}

static void test_made(void **state)
{
	struct stat info;
	bool made;

	(void)state;
	assert_int_equal(kb_token_read(path, token, error), -ENOENT);
	assert_non_null(strstr(error, "copy the one that 'kbench serve' names"));
	assert_int_equal(kb_token_make(path, token, &made, error), 0);
	assert_true(made);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0600);
	assert_int_equal(info.st_size, 2 * KB_TOKEN_BYTES + 1);
	assert_int_equal(kb_token_make(path, again, &made, error), 0);
	assert_false(made);
	assert_memory_equal(token, again, sizeof token);
}

static void test_open_to_others(void **state)
{
	static const mode_t modes[] = { 0640, 0604, 0620, 0602, 0666 };

	(void)state;
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		assert_int_equal(chmod(path, modes[i]), 0);
		assert_int_equal(kb_token_read(path, again, error), -EPERM);
		assert_non_null(strstr(error, "chmod 600"));
	}
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(kb_token_read(path, again, error), 0);
	assert_int_equal(kb_token_read(directory, again, error), -EINVAL);
}

static void test_text(void **state)
{
	char good[80] = "00112233445566778899aAbBcCdDeEfF00112233445566778899aabbccddeeff";

	(void)state;
	assert_true(kb_token_parse(good, 64, token));
	assert_int_equal(token[10], 0xaa);
	assert_int_equal(token[31], 0xff);
	strcat(good, "\r\n");
	assert_true(kb_token_parse(good, 66, token));
	assert_false(kb_token_parse(good, 63, token));
	good[64] = '0';
	assert_false(kb_token_parse(good, 65, token));
	good[5] = 'g';
	assert_false(kb_token_parse(good, 64, token));
	assert_false(kb_token_parse("", 0, token));
}

static void test_place(void **state)
{
	char found[PATH_MAX];

	(void)state;
	unsetenv(KB_TOKEN_VARIABLE);
	setenv("XDG_CONFIG_HOME", "/config", 1);
	assert_int_equal(kb_token_path(found, NULL, error), 0);
	assert_string_equal(found, "/config/kbench/token");
	setenv(KB_TOKEN_VARIABLE, "/named", 1);
	assert_int_equal(kb_token_path(found, NULL, error), 0);
	assert_string_equal(found, "/named");
	assert_int_equal(kb_token_path(found, "/typed", error), 0);
	assert_string_equal(found, "/typed");
	unsetenv(KB_TOKEN_VARIABLE);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	assert_int_equal(kb_token_path(found, NULL, error), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made), cmocka_unit_test(test_open_to_others), cmocka_unit_test(test_text), cmocka_unit_test(test_place),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
