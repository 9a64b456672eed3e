/* What our sources use of the C library's <stdint.h>, by the kernel's own types. */
#ifndef KB_KERNEL_STDINT_H
#define KB_KERNEL_STDINT_H

#include <linux/types.h>
#include <linux/limits.h>

#ifndef UINT64_MAX
#define INT64_MAX S64_MAX
#define UINT16_MAX U16_MAX
#define UINT32_MAX U32_MAX
#define UINT64_MAX U64_MAX
#endif
#define UINT64_C(number) number##ULL

#endif
