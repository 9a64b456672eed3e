/*
 * The four functions that a compiler calls on its own even in freestanding code, for targets without a C library.
 * Plain byte loops: nothing here runs inside a sample. The clobber in each loop keeps the compiler from recognising
 * it and calling the very function it stands in.
 */
#include "types.h"

#include "kbench.h"

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *left, const void *right, size_t count);

/* Backwards where the target lies behind the source, so that no byte is overwritten before it is copied. */
void *memmove(void *to, const void *from, size_t count)
{
	unsigned char *target = to;
	const unsigned char *source = from;
	bool behind = (uintptr_t)target - (uintptr_t)source < count;

	for (size_t i = 0; i < count; i++) {
		size_t at = behind ? count - 1 - i : i;

		target[at] = source[at];
		kb_clobber();
	}
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
	return memmove(to, from, count);
}

void *memset(void *to, int byte, size_t count)
{
	unsigned char *target = to;

	while (count--) {
		*target++ = (unsigned char)byte;
		kb_clobber();
	}
	return to;
}

int memcmp(const void *left, const void *right, size_t count)
{
	const unsigned char *a = left, *b = right;

	for (; count; count--, a++, b++) {
		if (*a != *b)
			return *a - *b;
		kb_clobber();
	}
	return 0;
}
