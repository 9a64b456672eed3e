/* What a misspelt name was probably meant to be, as the remedy of a diagnostic. */
#ifndef KB_YAMBA_FRONT_SUGGEST_H
#define KB_YAMBA_FRONT_SUGGEST_H

#include "yamba/front/yamba.h"

/* "did you mean 'x86_64'?", or `otherwise` where no class has a name like it. */
const char *kb_suggest_class(struct kb_yamba *, struct kb_span name, const char *otherwise);

/* The same of the members of a class and of those above it. */
const char *kb_suggest_member(struct kb_yamba *, const struct kb_yamba_class *, struct kb_span name, const char *otherwise);

#endif
