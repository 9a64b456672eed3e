/* Composing for x86_32, from committed fragments. See holes.h. */
#include "data/yamba/holes_x86_32.inc"

#include "data/yamba/holes_x86_32.bytes.inc"

/* Holes of the body whose bits are the same for 1 and for 4094. */
enum { may_stay = 0 };

#include "holes.h"
