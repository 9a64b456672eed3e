/* What our sources use of the C library's <stddef.h>. */
#include <linux/stddef.h>
#include <linux/types.h>
