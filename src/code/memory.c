/*
 * Executable memory on Linux. Two ways: write, then mprotect; or, where a kernel rule forbids pages that were ever
 * writable to become executable, one memory file mapped twice.
 */
#define _GNU_SOURCE
#include "code/memory.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "code/target.h"

/* Of Linux 6.3; the headers of older systems do not have it, and their kernels refuse it. */
static const unsigned memfd_exec = 0x10;

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int check(size_t count, const struct kb_code_options *options)
{
	size_t align = options->align;

	if (count == 0 || align > page_bytes() || (align & (align - 1)) || options->offset >= align)
		return -EINVAL;
	return options->offset % kb_target_host()->instruction_bytes ? -EINVAL : 0;
}

/* What is around the code traps. */
static void fill(uint8_t *pages, size_t room, const void *bytes, size_t count, size_t offset)
{
	memset(pages, kb_target_host()->fill, offset);
	memcpy(pages + offset, bytes, count);
	memset(pages + offset + count, kb_target_host()->fill, room - offset - count);
}

/* ---- the two ways -------------------------------------------------------------------------------- */

static int by_mprotect(struct kb_mapped_code *code, const void *bytes, size_t count, size_t offset)
{
	void *pages = mmap(NULL, code->page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1,
		0);

	if (pages == MAP_FAILED)
		return -errno;
	fill(pages, code->page_bytes, bytes, count, offset);
	if (mprotect(pages, code->page_bytes, PROT_READ | PROT_EXEC) < 0) {
		int error = -errno;

		munmap(pages, code->page_bytes);
		return error;
	}
	code->pages = pages;
	return 0;
}

/* Kernels from 6.3 on may be told to refuse files that are not marked to hold code; older ones refuse the flag. */
static int memory_file(size_t bytes)
{
	int file = memfd_create("kbench-code", MFD_CLOEXEC | memfd_exec);

	if (file < 0 && errno == EINVAL)
		file = memfd_create("kbench-code", MFD_CLOEXEC);
	if (file < 0)
		return -errno;
	if (ftruncate(file, (off_t)bytes) < 0) {
		int error = -errno;

		close(file);
		return error;
	}
	return file;
}

/* The writable mapping goes before the executable one comes: not even two names for one page. */
static int by_memory_file(struct kb_mapped_code *code, const void *bytes, size_t count, size_t offset)
{
	int file = memory_file(code->page_bytes), error = 0;
	void *writable, *pages = MAP_FAILED;

	if (file < 0)
		return file;
	writable = mmap(NULL, code->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (writable != MAP_FAILED) {
		fill(writable, code->page_bytes, bytes, count, offset);
		munmap(writable, code->page_bytes);
		pages = mmap(NULL, code->page_bytes, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
	}
	code->two_mappings = pages != MAP_FAILED;
	if (code->two_mappings)
		code->pages = pages;
	else
		error = -errno;
	close(file);
	return error;
}

/* ---- making it visible --------------------------------------------------------------------------- */

/* A core may have fetched ahead. Registered only on demand: it makes every switch of the process dearer. */
static void tell_cores(void)
{
	static bool tried, registered;

	if (!tried) {
		tried = true;
		registered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
	}
	if (registered)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

int kb_code_map(struct kb_mapped_code *code, const void *bytes, size_t count, const struct kb_code_options *given)
{
	struct kb_code_options options = given ? *given : (struct kb_code_options){ 0 };
	int error;

	*code = (struct kb_mapped_code){ 0 };
	options.align = options.align ? options.align : KB_CODE_ALIGN;
	error = check(count, &options);
	if (error)
		return error;
	if (count > SIZE_MAX / 2)
		return -ENOMEM;
	options.offset += options.place % (page_bytes() / options.align) * options.align;
	code->place = options.place;
	code->page_bytes = (options.offset + (count < options.room ? options.room : count) + page_bytes() - 1) / page_bytes() * page_bytes();
	error = options.two_mappings ? -EACCES : by_mprotect(code, bytes, count, options.offset);
	if (error == -EACCES || error == -EPERM)
		error = by_memory_file(code, bytes, count, options.offset);
	if (error)
		return error;
	code->entry = (uint8_t *)code->pages + options.offset;
	code->bytes = count;
	__builtin___clear_cache((char *)code->entry, (char *)code->entry + count);
	if (options.threads)
		tell_cores();
	/* No first fetch shall be a page fault inside a sample. */
	for (size_t at = 0; at < code->page_bytes; at += page_bytes())
		(void)((const volatile uint8_t *)code->pages)[at];
	return 0;
}

int kb_code_move(struct kb_mapped_code *code, const struct kb_mapped_code *to)
{
	if (code->page_bytes != to->page_bytes)
		return -EINVAL;
	if (mremap(code->pages, code->page_bytes, code->page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to->pages) == MAP_FAILED)
		return -errno;
	*code = (struct kb_mapped_code){ 0 };
	__builtin___clear_cache((char *)to->entry, (char *)to->entry + to->bytes);
	return 0;
}

void kb_code_forget(struct kb_mapped_code *code)
{
	if (code->pages)
		munmap(code->pages, code->page_bytes);
	*code = (struct kb_mapped_code){ 0 };
}
