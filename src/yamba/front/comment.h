/* What a comment says, for one line of a message or of a list. */
#ifndef KB_YAMBA_FRONT_COMMENT_H
#define KB_YAMBA_FRONT_COMMENT_H

#include "yamba/front/arena.h"

/* A comment as one line without its marks, in the arena; first: up to the end of its first sentence. */
const char *kb_comment_text(struct kb_arena *, struct kb_span comment, bool first);

#endif
