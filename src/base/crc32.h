/* CRC-32 (ISO-HDLC, as in zlib: reflected 0xEDB88320). crc32("123456789") = 0xCBF43926. Start with 0. */
#ifndef KB_BASE_CRC32_H
#define KB_BASE_CRC32_H

#include "types.h"

uint32_t kb_crc32(uint32_t crc, const void *bytes, size_t count);

#endif
