/* For the tables of relocations: little-endian access that needs no alignment. All four targets are little-endian. */
#ifndef KB_CODE_PUT_H
#define KB_CODE_PUT_H

#include <stdint.h>
#include <string.h>

static inline void kb_put_8(uint8_t *place, uint64_t field)
{
	*place = (uint8_t)field;
}

static inline void kb_put_16(uint8_t *place, uint64_t field)
{
	for (unsigned i = 0; i < 2; i++)
		place[i] = (uint8_t)(field >> 8 * i);
}

static inline void kb_put_32(uint8_t *place, uint64_t field)
{
	for (unsigned i = 0; i < 4; i++)
		place[i] = (uint8_t)(field >> 8 * i);
}

static inline void kb_put_64(uint8_t *place, uint64_t field)
{
	for (unsigned i = 0; i < 8; i++)
		place[i] = (uint8_t)(field >> 8 * i);
}

static inline uint32_t kb_get_32(const uint8_t *place)
{
	return place[0] | (uint32_t)place[1] << 8 | (uint32_t)place[2] << 16 | (uint32_t)place[3] << 24;
}

/* Replaces the bits of the instruction that the mask covers. */
static inline void kb_put_bits(uint8_t *place, uint32_t mask, uint32_t bits)
{
	kb_put_32(place, (kb_get_32(place) & ~mask) | (bits & mask));
}

#endif
