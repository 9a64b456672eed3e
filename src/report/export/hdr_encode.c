/*
 * See hdr.h. Written from the format's description: 2048 sub-buckets hold 0..2047 one by one; each further bucket
 * has 1024 classes, twice as wide as those of the one before, so no class is wider than a thousandth of its values.
 *
 *	compressed   cookie 1c849314, length, deflated bytes
 *	inside       cookie 1c849313, length of counts, offset 0, digits 3, lowest 1, highest, ratio 1.0, counts
 *
 * All numbers are big-endian. A count is zigzag coded; a negative one says how many zeros stand in a row.
 */
#include "report/export/hdr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define HALF_BITS 10            /* half the sub-buckets: the smallest power of two from 1000 on */
#define HALF (1u << HALF_BITS)
#define HEAD 40                 /* bytes before the counts */
#define COUNT_BYTES 9           /* the longest count */
#define COOKIE 0x1c849313u
#define COOKIE_COMPRESSED 0x1c849314u
#define DIGITS 3

size_t kb_hdr_index(uint64_t value)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(value | (2 * HALF - 1));
	unsigned bucket = bits - (HALF_BITS + 1);

	return ((size_t)bucket << HALF_BITS) + (size_t)(value >> bucket);
}

int kb_hdr_add(struct kb_hdr *hdr, uint64_t value)
{
	size_t index = kb_hdr_index(value);

	if (value >> 62)
		return -ERANGE;
	if (index >= hdr->room) {
		size_t room = index + HALF;
		uint64_t *counts = reallocarray(hdr->counts, room, sizeof *counts);

		if (!counts)
			return -ENOMEM;
		memset(counts + hdr->room, 0, (room - hdr->room) * sizeof *counts);
		hdr->counts = counts;
		hdr->room = room;
	}
	hdr->counts[index]++;
	hdr->used = index >= hdr->used ? index + 1 : hdr->used;
	hdr->largest = value > hdr->largest ? value : hdr->largest;
	return 0;
}

static unsigned char *put(unsigned char *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
	return at + bytes;
}

/* Seven bits a byte, low ones first; a ninth byte holds eight, so that it is the last one. */
static unsigned char *put_count(unsigned char *at, int64_t count)
{
	uint64_t rest = (uint64_t)count << 1 ^ (uint64_t)(count >> 63);

	for (unsigned i = 0; i < COUNT_BYTES - 1 && rest > 127; i++, rest >>= 7)
		*at++ = (unsigned char)(rest | 128);
	*at++ = (unsigned char)rest;
	return at;
}

/* The form before it is compressed; `bytes` has room for it. */
static size_t encode(const struct kb_hdr *hdr, unsigned char *bytes)
{
	uint64_t highest = hdr->largest > 2 ? hdr->largest : 2, one = 0x3ff0000000000000u;
	unsigned char *at = bytes + HEAD;
	size_t length;

	for (size_t i = 0; i < hdr->used;) {
		size_t zeros = 0;

		while (i + zeros < hdr->used && hdr->counts[i + zeros] == 0)
			zeros++;
		at = put_count(at, zeros > 1 ? -(int64_t)zeros : (int64_t)hdr->counts[i]);
		i += zeros > 1 ? zeros : 1;
	}
	length = (size_t)(at - bytes);
	at = put(bytes, COOKIE, 4);
	at = put(at, length - HEAD, 4);
	at = put(at, 0, 4);
	at = put(at, DIGITS, 4);
	at = put(at, 1, 8);
	at = put(at, highest, 8);
	put(at, one, 8);
	return length;
}

static char *base64(const unsigned char *bytes, size_t length)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = malloc((length + 2) / 3 * 4 + 1), *at = text;

	for (size_t i = 0; text && i < length; i += 3) {
		unsigned second = i + 1 < length ? bytes[i + 1] : 0, third = i + 2 < length ? bytes[i + 2] : 0;
		unsigned word = (unsigned)bytes[i] << 16 | second << 8 | third;

		*at++ = digits[word >> 18];
		*at++ = digits[word >> 12 & 63];
		*at++ = i + 1 < length ? digits[word >> 6 & 63] : '=';
		*at++ = i + 2 < length ? digits[word & 63] : '=';
	}
	if (text)
		*at = '\0';
	return text;
}

char *kb_hdr_text(const struct kb_hdr *hdr)
{
	size_t room = HEAD + COUNT_BYTES * hdr->used;
	uLongf length = compressBound(room);
	unsigned char *plain = malloc(room), *packed = malloc(8 + length);
	char *text = NULL;

	if (plain && packed && compress(packed + 8, &length, plain, encode(hdr, plain)) == Z_OK) {
		put(packed, COOKIE_COMPRESSED, 4);
		put(packed + 4, length, 4);
		text = base64(packed, 8 + length);
	}
	free(plain);
	free(packed);
	return text;
}

void kb_hdr_free(struct kb_hdr *hdr)
{
	free(hdr->counts);
	*hdr = (struct kb_hdr){ 0 };
}
