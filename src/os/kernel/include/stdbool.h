/* bool, true and false of the kernel. */
#include <linux/stddef.h>
#include <linux/types.h>
