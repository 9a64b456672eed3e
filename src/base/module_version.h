/* What modules of the kernel and this program must agree on: the ABI of kbench.h and the version of the record. */
#ifndef KB_BASE_MODULE_VERSION_H
#define KB_BASE_MODULE_VERSION_H

#include "base/record.h"
#include "kbench.h"

#define KB_MODULE_VERSION "3.2"         /* MODULE_VERSION of all our modules, in the file and in /sys/module */

_Static_assert(KB_ABI == 3 && KB_RECORD_VERSION == 2, "KB_MODULE_VERSION has both");

#endif
