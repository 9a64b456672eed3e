/* Executable memory, both ways, and under PR_SET_MDWE in a child: the code of the host runs, and no page is ever both. */
#include "helpers.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code/memory.h"

#define SET_MDWE 65     /* PR_SET_MDWE of Linux 6.3, which older headers lack */

/* int f(void) { return 42; } */
static const struct { const char *target; const char *code; size_t count; } answers[] = {
	{ "x86_64", "\xb8\x2a\0\0\0\xc3", 6 },
	{ "x86_32", "\xb8\x2a\0\0\0\xc3", 6 },
	{ "aarch64", "\x40\x05\x80\x52\xc0\x03\x5f\xd6", 8 },
	{ "riscv64", "\x13\x05\xa0\x02\x67\x80\x00\x00", 8 },
};

static const void *answer(size_t *count)
{
	for (unsigned i = 0; i < 4; i++) {
		if (!strcmp(answers[i].target, kb_target_host()->name)) {
			*count = answers[i].count;
			return answers[i].code;
		}
	}
	fail_msg("no code for this machine");
	return NULL;
}

/* "r-xp" of the mapping that holds the address. */
static void protection_of(const void *address, char words[5])
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	assert_non_null(maps);
	strcpy(words, "none");
	while (fgets(line, sizeof(line), maps)) {
		unsigned long from, to;
		char found[5];

		if (sscanf(line, "%lx-%lx %4s", &from, &to, found) == 3 && from <= (unsigned long)address &&
		    (unsigned long)address < to)
			strcpy(words, found);
		assert_null(strstr(line, "rwx"));
		assert_false(strstr(line, "kbench-code") && strstr(line, " rw")); /* the file's second mapping is gone */
	}
	fclose(maps);
}

static void run_answer(const struct kb_code_options *options, bool two_mappings)
{
	struct kb_mapped_code code;
	size_t count;
	const void *bytes = answer(&count);
	char protection[5];

	assert_int_equal(kb_code_map(&code, bytes, count, options), 0);
	assert_int_equal(code.two_mappings, two_mappings);
	assert_int_equal(code.bytes, count);
	assert_memory_equal(code.entry, bytes, count);
	assert_int_equal(((int (*)(void))code.entry)(), 42);
	protection_of(code.entry, protection);
	assert_memory_equal(protection, "r-x", 3);
	void *entry = code.entry;

	kb_code_forget(&code);
	protection_of(entry, protection);
	assert_string_equal(protection, "none");
	assert_null(code.entry);
	kb_code_forget(&code);
}

static void code_runs(void **state)
{
	(void)state;
	run_answer(NULL, false);
	run_answer(&(struct kb_code_options){ .threads = true }, false);
	run_answer(&(struct kb_code_options){ .two_mappings = true, .threads = true }, true);
}

static void entries_are_aligned_as_asked(void **state)
{
	struct kb_mapped_code code;
	size_t count;
	const void *bytes = answer(&count);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	for (int two = 0; two < 2; two++) {
		for (size_t offset = 0; offset < page; offset += 252) {
			struct kb_code_options options = { .align = page, .offset = offset, .two_mappings = two };

			assert_int_equal(kb_code_map(&code, bytes, count, &options), 0);
			assert_int_equal((uintptr_t)code.entry % page, offset);
			assert_int_equal(((int (*)(void))code.entry)(), 42);
			kb_code_forget(&code);
		}
	}
	assert_int_equal(kb_code_map(&code, bytes, count, NULL), 0);
	assert_int_equal((uintptr_t)code.entry % 64, 0);
	kb_code_forget(&code);
}

static void what_cannot_be_is_refused(void **state)
{
	struct kb_mapped_code code;
	size_t count;
	const void *bytes = answer(&count);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	assert_int_equal(kb_code_map(&code, bytes, 0, NULL), -EINVAL);
	assert_int_equal(kb_code_map(&code, bytes, count, &(struct kb_code_options){ .align = 48 }), -EINVAL);
	assert_int_equal(kb_code_map(&code, bytes, count, &(struct kb_code_options){ .align = 2 * page }), -EINVAL);
	assert_int_equal(kb_code_map(&code, bytes, count, &(struct kb_code_options){ .offset = 64 }), -EINVAL);
	assert_int_equal(kb_code_map(&code, bytes, SIZE_MAX - 100, NULL), -ENOMEM);
	kb_code_forget(&code);
}

/* A system that forbids what was writable to become executable: the second way is taken by itself. */
static void code_runs_under_mdwe(void **state)
{
	int status;
	pid_t child;

	(void)state;
	fflush(NULL);
	child = fork();
	if (child == 0) {
		if (prctl(SET_MDWE, 1, 0, 0, 0) < 0)
			_exit(77);
		size_t count;
		const void *bytes = answer(&count);
		struct kb_mapped_code code;

		if (kb_code_map(&code, bytes, count, NULL) != 0)
			_exit(1);
		_exit(!code.two_mappings ? 2 : ((int (*)(void))code.entry)() == 42 ? 0 : 3);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Writing to composed code, and calling what was forgotten, are faults. */
static void writing_faults(void **state)
{
	(void)state;
	for (int two = 0; two < 2; two++) {
		int status;
		pid_t child;

		fflush(NULL);
		child = fork();
		if (child == 0) {
			size_t count;
			const void *bytes = answer(&count);
			struct kb_mapped_code code;

			signal(SIGSEGV, SIG_DFL); /* a sanitizer would make an exit code of it */
			if (kb_code_map(&code, bytes, count, &(struct kb_code_options){ .two_mappings = two }) != 0)
				_exit(1);
			*(volatile uint8_t *)code.entry = 0;
			_exit(2);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_runs),
		cmocka_unit_test(entries_are_aligned_as_asked),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(code_runs_under_mdwe),
		cmocka_unit_test(writing_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
