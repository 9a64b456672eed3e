/* See sha256.h. The names a to h are those of the standard. */
#include "partner/sha256.h"

#include <string.h>

#define BLOCK 64u

static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

static void put_word(unsigned char *to, uint32_t word)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (unsigned char)(word >> (24 - 8 * i));
}

/* The 16 words of the block, and 48 made of them. */
static void spread(uint32_t words[64], const unsigned char *block)
{
	for (unsigned i = 0; i < 16; i++)
		words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++) {
		uint32_t x = words[i - 15], y = words[i - 2];

		words[i] = words[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + words[i - 7] + (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
	}
}

static void take_block(struct kb_hash *hash, const unsigned char *block)
{
	uint32_t words[64], *s = hash->state;
	uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];

	spread(words, block);
	for (unsigned i = 0; i < 64; i++) {
		uint32_t one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + words[i];
		uint32_t two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));

		h = g, g = f, f = e, e = d + one;
		d = c, c = b, b = a, a = one + two;
	}
	s[0] += a, s[1] += b, s[2] += c, s[3] += d;
	s[4] += e, s[5] += f, s[6] += g, s[7] += h;
}

void kb_hash_begin(struct kb_hash *hash)
{
	static const uint32_t first[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	memcpy(hash->state, first, sizeof first);
	hash->bytes = 0;
}

void kb_hash_add(struct kb_hash *hash, const void *bytes, size_t count)
{
	const unsigned char *from = bytes;

	for (size_t i = 0; i < count; i++) {
		hash->block[hash->bytes++ % BLOCK] = from[i];
		if (hash->bytes % BLOCK == 0)
			take_block(hash, hash->block);
	}
}

/* A bit, zeros, and the length in bits at the end of a block. */
void kb_hash_end(struct kb_hash *hash, unsigned char code[KB_HASH_BYTES])
{
	uint64_t bits = 8 * hash->bytes;
	unsigned char length[8];

	put_word(length, (uint32_t)(bits >> 32));
	put_word(length + 4, (uint32_t)bits);
	kb_hash_add(hash, "\x80", 1);
	while (hash->bytes % BLOCK != BLOCK - sizeof length)
		kb_hash_add(hash, "", 1);
	kb_hash_add(hash, length, sizeof length);
	for (unsigned i = 0; i < 8; i++)
		put_word(code + 4 * i, hash->state[i]);
}

/* ---- HMAC ------------------------------------------------------------------------------------------------- */

static void add_key(struct kb_hash *hash, const void *key, size_t count, unsigned char mark)
{
	unsigned char pad[BLOCK] = { 0 };

	if (count > BLOCK) {
		struct kb_hash shorter;

		kb_hash_begin(&shorter);
		kb_hash_add(&shorter, key, count);
		kb_hash_end(&shorter, pad);
	} else {
		memcpy(pad, key, count);
	}
	for (unsigned i = 0; i < BLOCK; i++)
		pad[i] ^= mark;
	kb_hash_begin(hash);
	kb_hash_add(hash, pad, BLOCK);
}

void kb_hmac_begin(struct kb_hash *hash, const void *key, size_t count)
{
	add_key(hash, key, count, 0x36);
}

void kb_hmac_end(struct kb_hash *hash, const void *key, size_t count, unsigned char code[KB_HASH_BYTES])
{
	unsigned char inner[KB_HASH_BYTES];

	kb_hash_end(hash, inner);
	add_key(hash, key, count, 0x5c);
	kb_hash_add(hash, inner, sizeof inner);
	kb_hash_end(hash, code);
}

bool kb_same_bytes(const void *a, const void *b, size_t count)
{
	const volatile unsigned char *x = a, *y = b;
	unsigned char differs = 0;

	for (size_t i = 0; i < count; i++)
		differs |= x[i] ^ y[i];
	return differs == 0;
}
