/*
 * SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104): how two machines show each other that they have the same token. Collectors are made for
 * platforms that have nothing but a C library, so no library of cryptography is asked for.
 */
#ifndef KB_PARTNER_SHA256_H
#define KB_PARTNER_SHA256_H

#include "types.h"

#define KB_HASH_BYTES 32

struct kb_hash {
	uint32_t state[8];
	uint64_t bytes;
	unsigned char block[64];
};

void kb_hash_begin(struct kb_hash *);
void kb_hash_add(struct kb_hash *, const void *bytes, size_t count);
void kb_hash_end(struct kb_hash *, unsigned char hash[KB_HASH_BYTES]);

/* Of a message in parts, as it is signed: begin with the key, kb_hash_add, end with the key again. */
void kb_hmac_begin(struct kb_hash *, const void *key, size_t count);
void kb_hmac_end(struct kb_hash *, const void *key, size_t count, unsigned char code[KB_HASH_BYTES]);

/* How long it takes tells nothing of where the bytes differ. */
bool kb_same_bytes(const void *a, const void *b, size_t count);

#endif
