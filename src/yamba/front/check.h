/* The parts of the check of one class, which check.c puts together: bodies, recursion, params. */
#ifndef KB_YAMBA_FRONT_CHECK_H
#define KB_YAMBA_FRONT_CHECK_H

#include "yamba/front/class.h"

/* Own bodies: Y123, Y124, Y125, Y151, Y161. */
void kb_check_bodies(struct kb_yamba *, const struct kb_yamba_class *);
/* Y121, with names bound as in this class. */
void kb_check_recursion(struct kb_yamba *, const struct kb_yamba_class *);
/* Types and defaults of params, and new values: Y162. */
void kb_check_values(struct kb_yamba *, const struct kb_yamba_class *);

#endif
