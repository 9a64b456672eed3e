/* Integer types of this target. The one header of an os directory that every layer may include. */
#ifndef KB_TYPES_H
#define KB_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#endif
