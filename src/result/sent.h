/* What a process was asked for. A record that ends well has all of it: an operation can take the rest of the plan out of its collector's
   hands, and choose by that which of its samples are seen. */
#ifndef KB_RESULT_SENT_H
#define KB_RESULT_SENT_H

#include "types.h"
#include "base/text.h"

struct kb_sent { uint64_t blocks, samples; };

/* Counts a line of the plan. */
void kb_sent_add(struct kb_sent *, struct kb_span line);

/* What the outcome of such a process begins with. */
#define KB_SENT_SHORT "cut short"

/* The record has its end. */
bool kb_sent_ended(struct kb_span record);

/* A record that has its end and less than was sent: false, with the outcome. */
bool kb_sent_all(const struct kb_sent *, struct kb_span record, char *outcome, size_t room);

#endif
