/* Sizes ("64K", "1M", "4096") and durations ("60s", "200ms", "15us") as people type them. */
#ifndef KB_BASE_UNITS_H
#define KB_BASE_UNITS_H

#include "base/text.h"
#include "types.h"

/* In ns. */
#define KB_MS UINT64_C(1000000)
#define KB_S (1000 * KB_MS)

/* K, M, G, T are powers of 1024, an optional B or iB may follow; false on anything else or on overflow. */
bool kb_parse_size(const char *text, uint64_t *bytes);

/* ns, us, ms, s, m (minutes), h; a bare number is seconds; decimals are allowed ("1.5s"). */
bool kb_parse_duration(const char *text, uint64_t *ns);

/* The shortest exact form: 65536 -> "64K", 1000 -> "1000". */
void kb_text_size(struct kb_text *, uint64_t bytes);

#endif
