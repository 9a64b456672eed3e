/* Integer types of this target. The one header of an os directory that every layer may include. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
