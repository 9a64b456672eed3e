/* Composing for x86_64, from committed fragments. See holes.h. */
#include "data/yamba/holes_x86_64.inc"

#include "data/yamba/holes_x86_64.bytes.inc"

/* Holes of the body whose bits are the same for 1 and for 4094. */
enum { may_stay = 0 };

#include "holes.h"
