/*
 * HdrHistogram: counts of whole numbers with three significant digits, and its V2 encoding (zigzag LEB128 counts with
 * runs of zeros, deflated, in base64).
 */
#ifndef KB_REPORT_EXPORT_HDR_H
#define KB_REPORT_EXPORT_HDR_H

#include "types.h"

/* Zero is empty. counts[index] is the number of values in one class. */
struct kb_hdr {
	uint64_t *counts;
	size_t room, used;              /* used: one more than the largest index seen */
	uint64_t largest;
};

/* The class of a value below 2^62. */
size_t kb_hdr_index(uint64_t value);

/* 0, -ENOMEM, or -ERANGE. */
int kb_hdr_add(struct kb_hdr *, uint64_t value);

/* Base64 of the compressed V2 form; free it. NULL without memory. */
char *kb_hdr_text(const struct kb_hdr *);
void kb_hdr_free(struct kb_hdr *);

#endif
