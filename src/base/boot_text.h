/*
 * The parameter block of an image that is booted: text that the host writes into a copy of the image, so that nothing is rebuilt
 * for another benchmark, another plan or another method. The host looks for the magic, which must stand exactly once, and puts
 * lines behind it; the image reads them when it runs. doc/sel4.md has the lines.
 */
#ifndef KB_BASE_BOOT_TEXT_H
#define KB_BASE_BOOT_TEXT_H

#include "types.h"

#define KB_BOOT_MAGIC "kbench:boot:text"       /* 16 bytes, without its null byte */
#define KB_BOOT_VERSION 4u
#define KB_BOOT_ROOM 32768u                    /* bytes of text, with the null byte that ends it */

struct kb_boot_text {
	char magic[16];
	uint32_t version, room;                /* little-endian on all targets */
	char text[KB_BOOT_ROOM];
};

/* Puts the text into the block of an image. 0; -KB_ENOENT: there is none, -KB_EINVAL: more than one, -KB_EOVERFLOW: the text is
   too long. */
int kb_boot_text_write(char *image, size_t length, const char *text, size_t text_length);

/* Whether the image has a block of this version, so that it takes the lines of today. */
bool kb_boot_text_fits(const char *image, size_t length);

/* The value of a key in `key=value` lines, such as an image's facts; what does not fit is cut off. False: it is not there, and the value empty. */
bool kb_boot_fact(const char *lines, const char *key, char *value, size_t room);

#endif
