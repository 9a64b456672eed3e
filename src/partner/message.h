/*
 * What both sides of a channel put into a message and look for in it: its number at both ends, so that one that lost its tail, or is made of
 * two, is seen; of a chunk of a stream also a word of every line. In the measured loop, so in line. All targets are little-endian.
 */
#ifndef KB_PARTNER_MESSAGE_H
#define KB_PARTNER_MESSAGE_H

#include <string.h>

#include "types.h"

#define KB_CHUNK_LINE 64u       /* bytes: one word of each is summed, so all of a chunk comes to the reader's core */

static inline void kb_message_stamp(unsigned char *message, uint64_t bytes, uint64_t number)
{
	if (bytes < sizeof number) {
		message[0] = message[bytes - 1] = (unsigned char)number;
		return;
	}
	memcpy(message, &number, sizeof number);
	memcpy(message + bytes - sizeof number, &number, sizeof number);
}

static inline bool kb_message_holds(const unsigned char *message, uint64_t bytes, uint64_t number)
{
	unsigned char low = (unsigned char)number;

	if (bytes < sizeof number)
		return message[0] == low && message[bytes - 1] == low;
	return !memcmp(message, &number, sizeof number) &&
		!memcmp(message + bytes - sizeof number, &number, sizeof number);
}

static inline uint64_t *kb_chunk_word(const unsigned char *chunk, uint64_t at)
{
	return (uint64_t *)(uintptr_t)(chunk + at + KB_CHUNK_LINE / 2);
}

static inline uint64_t kb_chunk_sum(const unsigned char *chunk, uint64_t bytes)
{
	uint64_t sum = 0;

	for (uint64_t at = 0; at + KB_CHUNK_LINE <= bytes; at += KB_CHUNK_LINE)
		sum += *kb_chunk_word(chunk, at);
	return sum;
}

static inline void kb_chunk_fill(unsigned char *chunk, uint64_t bytes)
{
	for (uint64_t at = 0; at + KB_CHUNK_LINE <= bytes; at += KB_CHUNK_LINE)
		*kb_chunk_word(chunk, at) = (at + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

#endif
