/* What is touched of claimed memory, on memory of this process: all, a part, many addresses of a page, pages that are there for nobody. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "evidence/working_set.h"

#define PAGES 256u

static size_t page;
static volatile char kept;

static char *map_pages(size_t pages)
{
	char *all = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(all != MAP_FAILED);
	madvise(all, pages * page, MADV_NOHUGEPAGE);
	memset(all, 1, pages * page);
	return all;
}

/* With as much of its own on both sides, in the same mapping. */
static char *map(void)
{
	return map_pages(3 * PAGES) + PAGES * page;
}

static void read_pages(const char *memory, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		kept = *(const volatile char *)(memory + i * page);
}

/* False where this kernel, or this container, does not tell. */
static bool begin(const struct kb_working_set *set)
{
	int error = kb_working_set_begin(set);
	uint64_t bytes;

	if (!error)
		error = kb_working_set_seen(set, 1, &bytes);
	assert_true(error == 0 || error == -ENOENT || error == -EACCES || error == -EROFS || error == -EPERM || error == -EINVAL);
	return error == 0;
}

static uint64_t seen(const struct kb_working_set *set)
{
	uint64_t bytes = 0;

	assert_int_equal(kb_working_set_seen(set, 1, &bytes), 0);
	return bytes / page;
}

static struct kb_working_set claim(const char *memory, size_t pages)
{
	struct kb_working_set set = { .count = 0 };

	assert_int_equal(kb_working_set_claim(&set, memory, pages * page, pages * page), 0);
	return set;
}

static void what_is_read_is_seen(void **state)
{
	char *memory = map();
	struct kb_working_set set = claim(memory, PAGES);

	(void)state;
	if (!begin(&set))
		skip();
	assert_int_equal(seen(&set), 0);
	/* Pages before and behind it, which were one mapping with it, count for nothing. */
	read_pages(memory - PAGES * page, 0, PAGES);
	read_pages(memory, PAGES, 2 * PAGES);
	assert_int_equal(seen(&set), 0);
	read_pages(memory, 0, 1);
	assert_int_equal(seen(&set), 1);
	read_pages(memory, 0, PAGES);
	assert_int_equal(seen(&set), PAGES);
	/* Translations that the processor still holds must not hide it. */
	begin(&set);
	read_pages(memory, 0, 3);
	read_pages(memory, 0, 3);
	assert_int_equal(seen(&set), 3);
}

static void ranges_add_up(void **state)
{
	char *memory = map();
	struct kb_working_set set = claim(memory, 4);

	(void)state;
	assert_int_equal(kb_working_set_claim(&set, memory + 8 * page + 100, 2 * page, 50), 0);
	assert_int_equal(set.bytes, 4 * page + 50);
	if (!begin(&set))
		skip();
	read_pages(memory, 0, PAGES);
	assert_int_equal(seen(&set), 4 + 3);
}

/* The same range twice is claimed twice, and is there once. */
static void a_range_counts_once(void **state)
{
	char *memory = map();
	struct kb_working_set set = claim(memory, 4);

	(void)state;
	assert_int_equal(kb_working_set_claim(&set, memory, 4 * page, 4 * page), 0);
	assert_int_equal(set.bytes, 8 * page);
	if (!begin(&set))
		skip();
	read_pages(memory, 0, 4);
	assert_int_equal(seen(&set), 4);
}

static void aliases_are_few_pages(void **state)
{
	int file = memfd_create("aliases", MFD_CLOEXEC);
	char *memory = map();
	struct kb_working_set set = claim(memory, PAGES);

	(void)state;
	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, (off_t)(8 * page)), 0);
	for (size_t i = 0; i < PAGES; i += 8)
		assert_true(mmap(memory + i * page, 8 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED);
	if (!begin(&set))
		skip();
	read_pages(memory, 0, PAGES);
	assert_true(seen(&set) <= 8);
	close(file);
}

/* Some kernels give memory of its own to a page that is only read: then writing it later is no fault. */
static bool has_page_of_zeros(void)
{
	volatile char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage before, after;

	madvise((char *)memory, page, MADV_NOHUGEPAGE);
	(void)*memory;
	getrusage(RUSAGE_SELF, &before);
	*memory = 1;
	getrusage(RUSAGE_SELF, &after);
	munmap((char *)memory, page);
	return after.ru_minflt > before.ru_minflt;
}

static void pages_of_zeros_are_none(void **state)
{
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kb_working_set set = claim(memory, PAGES);

	(void)state;
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	if (!has_page_of_zeros() || !begin(&set))
		skip();
	read_pages(memory, 0, PAGES);
	assert_int_equal(seen(&set), 0);
}

/* A size without a place is that of all memory of the process. */
static void no_range_is_everything(void **state)
{
	char *memory = map_pages(64 * PAGES);
	struct kb_working_set set = { .bytes = 1 };

	(void)state;
	if (!begin(&set))
		skip();
	read_pages(memory, 0, PAGES);
	assert_true(seen(&set) >= PAGES);
	/* The program itself touches some; pages of its libraries count also where another process touches them. All of these are fewer
	   than what was touched before. */
	assert_true(seen(&set) < 32 * PAGES);
	munmap(memory, 64 * PAGES * page);
}

static void wrong_claims(void **state)
{
	struct kb_working_set set = { .count = 0 };

	(void)state;
	assert_int_equal(kb_working_set_claim(&set, "", 0, 0), -EINVAL);
	assert_int_equal(kb_working_set_claim(&set, "", SIZE_MAX, 1), -EINVAL);
	for (unsigned i = 0; i < KB_WORKING_SET_RANGES; i++)
		assert_int_equal(kb_working_set_claim(&set, "", 1, 1), 0);
	assert_int_equal(kb_working_set_claim(&set, "", 1, 1), -E2BIG);
	assert_int_equal(set.bytes, KB_WORKING_SET_RANGES);
}

static void huge_pages_are_told(void **state)
{
	const size_t huge = (size_t)2 << 20;
	char *all = mmap(NULL, 4 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory = all + (huge - (uintptr_t)all % huge) % huge;
	unsigned char there[1];
	uint64_t before, after;

	(void)state;
	if (page != 4096 || kb_huge_bytes(&before) || madvise(all, 4 * huge, MADV_HUGEPAGE))
		skip();
	*memory = 1;
	assert_int_equal(kb_huge_bytes(&after), 0);
	/* None may be free: then the last small page of it is not there. */
	assert_int_equal(mincore(memory + huge - page, page, there), 0);
	assert_int_equal(after - before, there[0] & 1 ? huge : 0);
}

static int look_at_page(void **state)
{
	(void)state;
	page = (size_t)sysconf(_SC_PAGESIZE);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_is_seen), cmocka_unit_test(ranges_add_up), cmocka_unit_test(a_range_counts_once),
		cmocka_unit_test(aliases_are_few_pages), cmocka_unit_test(pages_of_zeros_are_none), cmocka_unit_test(no_range_is_everything),
		cmocka_unit_test(wrong_claims), cmocka_unit_test(huge_pages_are_told),
	};

	return cmocka_run_group_tests(tests, look_at_page, NULL);
}
