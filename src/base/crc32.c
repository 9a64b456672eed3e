/*
 * CRC-32 four bits at a time. A table of 16 words instead of 256 keeps it small enough for a boot image, and a
 * record of a megabyte is still checked in some milliseconds.
 */
#include "base/crc32.h"

/* nibble_crc[i] is i shifted right four times through the polynomial 0xEDB88320. */
static const uint32_t nibble_crc[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
	0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t kb_crc32(uint32_t crc, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;

	/* Inverted on the way in and out, so that leading zero bytes count and parts can be chained. */
	crc = ~crc;
	for (size_t i = 0; i < count; i++) {
		crc ^= at[i];
		crc = crc >> 4 ^ nibble_crc[crc & 15];
		crc = crc >> 4 ^ nibble_crc[crc & 15];
	}
	return ~crc;
}
