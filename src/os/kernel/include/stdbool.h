/* bool, true and false of the kernel. */
#ifndef KB_KERNEL_STDBOOL_H
#define KB_KERNEL_STDBOOL_H

#include <linux/stddef.h>
#include <linux/types.h>

#endif
