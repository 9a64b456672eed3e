/* Arrays that grow by one element at a time, to twice their size at powers of two: their count tells how much room they have. */
#ifndef KB_OS_GROWN_H
#define KB_OS_GROWN_H

#include <stdlib.h>

/* The array with room for one element more. NULL: no memory; it stays as it is. */
static inline void *kb_grown(void *array, size_t count, size_t size)
{
	return count & (count - 1) ? array : reallocarray(array, count ? 2 * count : 1, size);
}

/* The same in place. False: no memory. */
#define KB_GROW(array, count) \
	({ \
		void *kb_larger = kb_grown(array, count, sizeof *(array)); \
		(array) = kb_larger ? kb_larger : (array); \
		kb_larger != NULL; \
	})

#endif
