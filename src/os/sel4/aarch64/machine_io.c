/* Console and end of the machine on aarch64. */
#define KB_SEMIHOSTING "hlt #0xf000"
#define KB_SEMIHOSTING_0 "x0"
#define KB_SEMIHOSTING_1 "x1"
#include "semihosting.h"
