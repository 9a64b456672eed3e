/* From a program counter in a record to the name of a function: of this very program, and of what is none. */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/process/symbol.h"

#define SELF "/proc/self/exe"

static volatile int sink;

__attribute__((noinline)) static void the_culprit(void)
{
	for (int i = 0; i < 10; i++)
		sink = sink + i;
}

/* The program itself is the first object. */
static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

static uint64_t load_address(void)
{
	uint64_t base = 0;

	dl_iterate_phdr(take_base, &base);
	return base;
}

static const char *look_up(const char *lines, const char *program, const char *plugin)
{
	static char record[1024], where[160];
	int length = snprintf(record, sizeof record, "kbench-record 1\nbench a.b\n%s", lines);

	memset(where, 'x', sizeof where);
	kb_symbol_of_fault((struct kb_span){ record, (size_t)length }, program, plugin, where, sizeof where);
	return where;
}

static const char *fault(const char *module, uint64_t base, uint64_t pc)
{
	static char lines[256];

	snprintf(lines, sizeof lines, "module %s base=0x%llx\nfault signal=11 pc=0x%llx\n", module,
	         (unsigned long long)base, (unsigned long long)pc);
	return lines;
}

static void test_name(void **state)
{
	uint64_t base = load_address(), pc = (uint64_t)(uintptr_t)&the_culprit;

	(void)state;
	the_culprit();
	assert_string_equal(look_up(fault("program", base, pc + 1), SELF, NULL), "the_culprit+0x1");
	assert_string_equal(look_up(fault("program", base, pc), SELF, NULL), "the_culprit+0x0");
	assert_string_equal(look_up(fault("plugin", base, pc + 1), NULL, SELF), "the_culprit+0x1");
}

/* Of two modules the one that the address lies behind. */
static void test_modules(void **state)
{
	uint64_t base = load_address(), pc = (uint64_t)(uintptr_t)&the_culprit + 1;
	char lines[512];

	(void)state;
	snprintf(lines, sizeof lines, "module program base=0x1000\n%s", fault("plugin", base, pc));
	assert_string_equal(look_up(lines, "/dev/null", SELF), "the_culprit+0x1");
	snprintf(lines, sizeof lines, "module plugin base=0x%llx\n%s", (unsigned long long)pc + 4096,
	         fault("program", base, pc));
	assert_string_equal(look_up(lines, SELF, "/dev/null"), "the_culprit+0x1");
}

static void test_unknown(void **state)
{
	uint64_t base = load_address();

	(void)state;
	assert_string_equal(look_up("", SELF, NULL), "");
	assert_string_equal(look_up("module program base=0x0\n", SELF, NULL), "");
	assert_string_equal(look_up("fault signal=11 pc=0x1234\n", SELF, NULL), "");
	assert_string_equal(look_up(fault("program", 0x5000, 0x1234), SELF, NULL), "");
	/* Inside the program and outside every function: the number must do. */
	assert_true(!strncmp(look_up(fault("program", base, base + 1), SELF, NULL), "pc 0x", 5));
}

/* The file may be anything by now: not there, empty, no ELF, cut off. */
static void test_files(void **state)
{
	static const char start[] = "\177ELF\2\1\1 and then nothing that a section table could be read from";
	char path[] = "/tmp/kbench-symbol-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_string_equal(look_up(fault("program", 0x1000, 0x1234), "/nonexistent", NULL), "pc 0x1234");
	assert_string_equal(look_up(fault("program", 0x1000, 0x1234), path, NULL), "pc 0x1234");
	assert_int_equal(write(fd, start, sizeof start), sizeof start);
	assert_string_equal(look_up(fault("program", 0x1000, 0x1234), path, NULL), "pc 0x1234");
	close(fd);
	unlink(path);
}

/* Every prefix of a real program: whatever is cut off, nothing beyond the end may be read. */
static void test_prefixes(void **state)
{
	static char image[1 << 16];
	char path[] = "/tmp/kbench-symbol-XXXXXX";
	FILE *self = fopen(SELF, "rb");
	size_t got = fread(image, 1, sizeof image, self);
	int fd = mkstemp(path);

	(void)state;
	fclose(self);
	assert_true(fd >= 0 && got > 4096);
	for (size_t length = 1; length < got; length = length * 5 / 4 + 1) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, image, length, 0), (ssize_t)length);
		assert_string_equal(look_up(fault("program", 0x1000, 0x1234), path, NULL), "pc 0x1234");
	}
	close(fd);
	unlink(path);
}

/* A table whose last name has no end: what lies behind the file is no part of it. */
static void test_name_without_end(void **state)
{
	static char page[4096];
	ElfW(Ehdr) *header = (void *)page;
	ElfW(Shdr) *sections = (void *)(page + sizeof *header);
	ElfW(Sym) *symbol = (void *)(sections + 2);
	char path[] = "/tmp/kbench-symbol-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	header->e_shoff = sizeof *header;
	header->e_shnum = 2;
	sections[0] = (ElfW(Shdr)){ .sh_type = SHT_SYMTAB, .sh_link = 1, .sh_size = sizeof *symbol,
	                            .sh_offset = (size_t)((char *)symbol - page) };
	sections[1] = (ElfW(Shdr)){ .sh_type = SHT_STRTAB, .sh_offset = sizeof page - 3, .sh_size = 3 };
	*symbol = (ElfW(Sym)){ .st_info = STT_FUNC, .st_value = 0x100, .st_size = 0x100 };
	memcpy(page + sizeof page - 3, "end", 3);
	assert_int_equal(write(fd, page, sizeof page), (ssize_t)sizeof page);
	assert_string_equal(look_up(fault("program", 0x1000, 0x1110), path, NULL), "end+0x10");
	/* A name far beyond the end of the file is none, however the sum of both offsets comes out. */
	sections[1].sh_offset = (ElfW(Off))-2;
	symbol->st_name = 8;
	assert_int_equal(pwrite(fd, page, sizeof page, 0), (ssize_t)sizeof page);
	assert_string_equal(look_up(fault("program", 0x1000, 0x1110), path, NULL), "pc 0x1110");
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name), cmocka_unit_test(test_modules), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_files), cmocka_unit_test(test_prefixes), cmocka_unit_test(test_name_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
