/* Records of a run's processes, kept in memory until its end. Digits and blanks pack to a fifth. */
#ifndef KB_RUN_KEPT_H
#define KB_RUN_KEPT_H

#include "run/run.h"

struct kb_kept { unsigned launch; char *outcome; void *packed; size_t packed_length, length; };

/* Packs a copy. 0 or -ENOMEM; on error there is nothing to be freed. */
int kb_kept_pack(struct kb_kept *, const struct kb_launch_text *);
void kb_kept_free(struct kb_kept *);

/* The texts again, for the caller to free with kb_kept_release. NULL without memory. */
struct kb_launch_text *kb_kept_unpack(const struct kb_kept *, size_t count);
void kb_kept_release(struct kb_launch_text *texts, size_t count);

#endif
