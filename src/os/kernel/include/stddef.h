/* What our sources use of the C library's <stddef.h>. */
#ifndef KB_KERNEL_STDDEF_H
#define KB_KERNEL_STDDEF_H

#include <linux/stddef.h>
#include <linux/types.h>

#endif
