/* Between the files of the checks of one class: declarations (check.c), bodies (check_body.c), recursion, params. */
#ifndef KB_YAMBA_CHECK_H
#define KB_YAMBA_CHECK_H

#include "yamba/class.h"

/* Own members against those they override: Y130, Y131. */
void kb_check_overrides(struct kb_yamba *, const struct kb_yamba_class *);
/* Own bodies: Y123, Y124, Y125, Y151, Y161. */
void kb_check_bodies(struct kb_yamba *, const struct kb_yamba_class *);
/* Y121, with names bound as in this class. */
void kb_check_recursion(struct kb_yamba *, const struct kb_yamba_class *);
/* Types and defaults of params, and new values: Y162. */
void kb_check_values(struct kb_yamba *, const struct kb_yamba_class *);

/* A bitstring of the language itself: le8 ... be64. */
bool kb_is_intrinsic(struct kb_span name);

#endif
