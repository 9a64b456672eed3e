/* The undo journal as a file: what is promised is in it, and what others could have written is not believed. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/resource.h>

#include "place.h"
#include "run/process/journal.h"

/* As a run that died has left it, in the directory for that. */
static void write_journal(const char *id, const char *text, char path[PATH_MAX])
{
	kb_run_directory(path);
	snprintf(path + strlen(path), PATH_MAX - strlen(path), "/kbench-%s.journal", id);
	write_text(path, text);
}

/* Files that somebody else could have put there, are of another boot or were never whole. */
static void test_foreign_journals(void **state)
{
	struct place place = make_place();
	char text[512], boot[64], path[PATH_MAX];

	(void)state;
	assert_true(kb_read_file("/proc/sys/kernel/random/boot_id", boot, sizeof boot) > 0);
	boot[strcspn(boot, "\n")] = '\0';

	/* Others may write it. */
	snprintf(text, sizeof text, "kbench-journal/1 %s %s\nadd 0 remove %s\n", place.id, boot, place.inner);
	write_journal(place.id, text, path);
	assert_int_equal(chmod(path, 0622), 0);
	kb_journal_sweep();
	assert_false(gone(place.inner));
	assert_false(gone(path));

	/* A kernel that is no more: its settings are gone, its files are not. The last line was never whole. */
	snprintf(text, sizeof text, "kbench-journal/1 %s another-boot\nadd 71 restore %s\tat rest\nadd 0 remove %s\nadd 0 remove %s", place.id,
		 place.setting, place.inner, place.directory);
	write_journal(place.id, text, path);
	assert_int_equal(chmod(path, 0600), 0);
	kb_journal_sweep();
	assert_true(gone(place.inner));
	assert_true(gone(path));
	assert_true(holds(place.setting, "changed"));

	/* Of a version to come. */
	write_journal(place.id, "kbench-journal/2 a b\n", path);
	kb_journal_sweep();
	assert_false(gone(path));
	/* Killed before it said anything. */
	write_journal(place.id, "", path);
	kb_journal_sweep();
	assert_true(gone(path));
	drop_place(&place);
}

/* A disk that takes no more: nothing is promised that is not written, and what comes later is still read. */
static void test_full_disk(void **state)
{
	struct place place = make_place();
	struct kb_journal journal;
	struct rlimit old, small = { 0 };

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(kb_journal_create(&journal, place.id), 0);
	assert_true(gone(journal.path) || !journal.nameless);   /* a kill here leaves nothing */
	kb_journal_publish(&journal);
	assert_false(gone(journal.path));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){ .rlim_cur = (rlim_t)lseek(journal.file, 0, SEEK_END) + 20, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(kb_journal_add(&journal, "remove /nonexistent/kbench-of-the-test", 0), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(journal.count, 0);
	assert_int_equal(kb_journal_add(&journal, "remove /nonexistent/kbench-2", 0), 0);
	assert_int_equal(kb_journal_read(&journal), 0);
	assert_int_equal(journal.count, 1);
	assert_string_equal(journal.entries[0].line, "remove /nonexistent/kbench-2");
	kb_journal_finish(&journal, 0);
	kb_journal_release(&journal);
	close(journal.file);
	assert_true(gone(journal.path));
	drop_place(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_foreign_journals), cmocka_unit_test(test_full_disk) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
