/*
 * Whom kbench trusts: a tree of directories and links, each broken in one way. What belongs to somebody else only root can make; without
 * root those cases are left out, and said.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/process/trust.h"

#define STRANGER 54321

static char directory[PATH_MAX / 2], real[PATH_MAX], why[KB_TRUST_WHY];

static const char *in(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", directory, name);
	return path;
}

static void put(const char *name, mode_t mode)
{
	FILE *file = fopen(in(name), "w");

	assert_non_null(file);
	fclose(file);
	assert_int_equal(chmod(in(name), mode), 0);
}

static int make_tree(void **state)
{
	(void)state;
	snprintf(directory, sizeof directory, "/tmp/kbench-trust-XXXXXX");
	assert_non_null(mkdtemp(directory));
	assert_int_equal(mkdir(in("a"), 0755), 0);
	assert_int_equal(mkdir(in("a/b"), 0755), 0);
	put("a/b/file", 0644);
	return 0;
}

static int remove_tree(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof command, "rm -rf -- '%s'", directory);
	return system(command);
}

static int trust(const char *name)
{
	return kb_trust(in(name), KB_TRUST_US, real, why);
}

static void assert_refused(const char *name, const char *words)
{
	assert_int_equal(trust(name), -EPERM);
	if (!strstr(why, words))
		fail_msg("'%s' is not about '%s'", why, words);
}

/* The directory for temporary files belongs to root and has the sticky bit. */
static void own_files_are_trusted(void **state)
{
	(void)state;
	assert_int_equal(trust("a/b/file"), 0);
	assert_string_equal(real, in("a/b/file"));
	assert_int_equal(trust("a/../a/./b//file"), 0);
	assert_string_equal(real, in("a/b/file"));
	assert_int_equal(trust("a/b"), 0);
	assert_int_equal(kb_trust("/", KB_TRUST_US, real, why), 0);
	assert_string_equal(real, "/");
}

static void relative_paths_begin_here(void **state)
{
	(void)state;
	assert_int_equal(chdir(in("a")), 0);
	assert_int_equal(kb_trust("b/file", KB_TRUST_US, real, why), 0);
	assert_string_equal(real, in("a/b/file"));
	assert_int_equal(kb_trust("./b/../b/file", KB_TRUST_US, real, why), 0);
	assert_string_equal(real, in("a/b/file"));
	assert_int_equal(chdir("/"), 0);
}

static void what_is_not_there_is_no_matter_of_trust(void **state)
{
	char longer[PATH_MAX];

	(void)state;
	assert_int_equal(trust("a/none"), -ENOENT);
	assert_non_null(strstr(why, "a/none"));
	assert_int_equal(trust("a/none/../b/file"), -ENOENT);
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	assert_int_equal(kb_trust(longer, KB_TRUST_US, real, why), -ENAMETOOLONG);
	longer[300] = '\0';
	assert_int_equal(kb_trust(longer, KB_TRUST_US, real, why), -ENAMETOOLONG);
}

static void what_everybody_can_write_is_not(void **state)
{
	(void)state;
	chmod(in("a/b/file"), 0646);
	assert_refused("a/b/file", "everybody can write");
	chmod(in("a/b/file"), 0644);
	chmod(in("a"), 0757);
	assert_refused("a/b/file", "/a: if no one else did, chmod o-w it");
	chmod(in("a"), 01777);
	assert_int_equal(trust("a/b/file"), 0);
}

/* Of root's group nobody else is a member, nor is anybody's who has one for himself. */
static void groups_count_by_their_members(void **state)
{
	/* Version 2; owner rwx, user STRANGER rwx, group r-x, mask rwx, others r-x. */
	static const uint8_t list[] = { 2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255, 2, 0, 7, 0, STRANGER & 255, STRANGER >> 8, 0, 0,
		4, 0, 5, 0, 255, 255, 255, 255, 16, 0, 7, 0, 255, 255, 255, 255, 32, 0, 5, 0, 255, 255, 255, 255 };

	(void)state;
	if (geteuid() != 0)
		return;
	chmod(in("a"), 0775);
	assert_int_equal(trust("a/b/file"), 0);
	/* A group that nobody knows may have anybody. */
	assert_int_equal(chown(in("a"), 0, STRANGER), 0);
	assert_refused("a/b/file", "a group of others can write");
	assert_int_equal(chown(in("a"), 0, 65534), 0);          /* nobody's */
	assert_refused("a/b/file", "a group of others can write");
	assert_int_equal(chown(in("a"), 0, 0), 0);
	assert_int_equal(trust("a/b/file"), 0);
	if (setxattr(in("a"), "system.posix_acl_access", list, sizeof list, 0) == 0)
		assert_refused("a/b/file", "a group of others can write");
	else
		print_message("no access lists on %s: that case is left out\n", directory);
}

static void links_count_as_what_they_lead_through(void **state)
{
	(void)state;
	assert_int_equal(symlink("a/b", in("relative")), 0);
	assert_int_equal(symlink(in("a/b/file"), in("whole")), 0);
	assert_int_equal(symlink("loop", in("loop")), 0);
	assert_int_equal(trust("relative/file"), 0);
	assert_string_equal(real, in("a/b/file"));
	assert_int_equal(trust("relative/../b/file"), 0);
	assert_string_equal(real, in("a/b/file"));
	assert_int_equal(trust("whole"), 0);
	assert_string_equal(real, in("a/b/file"));
	assert_int_equal(trust("loop"), -ELOOP);
	chmod(in("a"), 0757);
	assert_refused("relative/file", "everybody can write");
	assert_refused("whole", "everybody can write");
}

static void strangers_are_not_trusted(void **state)
{
	char words[64];

	(void)state;
	if (geteuid() != 0) {
		print_message("not root: what belongs to others is left out\n");
		return;
	}
	snprintf(words, sizeof words, "belongs to user %d", STRANGER);
	assert_int_equal(chown(in("a/b/file"), STRANGER, 0), 0);
	assert_refused("a/b/file", words);
	assert_int_equal(chown(in("a/b/file"), 0, 0), 0);
	assert_int_equal(chown(in("a"), STRANGER, 0), 0);
	assert_refused("a/b/file", words);
	/* Sticky or not, it is his. */
	chmod(in("a"), 01777);
	assert_refused("a/b/file", words);
	assert_int_equal(chown(in("a"), 0, 0), 0);
	/* A link of his in a directory for everybody, to a file of ours: where it leads to he can change. */
	assert_int_equal(symlink("b/file", in("a/link")), 0);
	assert_int_equal(trust("a/link"), 0);
	assert_int_equal(lchown(in("a/link"), STRANGER, 0), 0);
	assert_refused("a/link", words);
	assert_refused("a/link/../file", words);
}

/* This program's own directory belongs to whom it belongs to: he could exchange the program itself. */
static void own_parts_are_trusted_as_the_program_is(void **state)
{
	const char *const places[] = { "no-such-part", "test_trust" };

	(void)state;
	assert_int_equal(kb_trust_own_part(places, 1, real, why), -ENOENT);
	assert_int_equal(kb_trust_own_part(places, 2, real, why), 0);
	assert_non_null(strstr(real, "/test_trust"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_tree, remove_tree)
	const struct CMUnitTest tests[] = {
		TEST(own_files_are_trusted), TEST(relative_paths_begin_here), TEST(what_is_not_there_is_no_matter_of_trust),
		TEST(what_everybody_can_write_is_not), TEST(groups_count_by_their_members), TEST(links_count_as_what_they_lead_through),
		TEST(strangers_are_not_trusted), TEST(own_parts_are_trusted_as_the_program_is),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
