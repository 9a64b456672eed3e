/* Sizes ("64K", "1M", "4096") and durations ("60s", "200ms", "15us") as people type them. */
#ifndef KB_BASE_UNITS_H
#define KB_BASE_UNITS_H

#include "types.h"
#include "base/text.h"

/* K, M, G, T are powers of 1024, an optional B or iB may follow; false on anything else or on overflow. */
bool kb_parse_size(const char *text, uint64_t *bytes);

/* ns, us, ms, s, m (minutes), h; a bare number is seconds; decimals are allowed ("1.5s"). */
bool kb_parse_duration(const char *text, uint64_t *ns);

/* The shortest exact form: 65536 -> "64K", 1000 -> "1000". */
void kb_text_size(struct kb_text *, uint64_t bytes);

#endif
