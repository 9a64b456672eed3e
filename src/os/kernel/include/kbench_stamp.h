/* The readings of include/kbench_trace.h. */
#include "stamp.h"
