/* Console and end of the machine on riscv64: three instructions that QEMU knows as one, none compressed, all in one page. */
#define KB_SEMIHOSTING ".option push\n\t.option norvc\n\t.balign 16\n\tslli zero, zero, 0x1f\n\tebreak\n\tsrai zero, zero, 7\n\t.option pop"
#define KB_SEMIHOSTING_0 "a0"
#define KB_SEMIHOSTING_1 "a1"
#include "semihosting.h"
