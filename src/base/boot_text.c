/* See boot_text.h. */
#include "base/boot_text.h"

#include "base/error.h"
#include "base/text.h"

static uint32_t word_at(const char *at)
{
	uint32_t word = 0;

	for (unsigned i = 4; i-- > 0;)
		word = word << 8 | (uint8_t)at[i];
	return word;
}

/* The magic without what follows it would also be found in code that compares with it. */
static bool is_block(const char *at)
{
	static const char magic[] = KB_BOOT_MAGIC;

	return !__builtin_memcmp(at, magic, sizeof magic - 1) && word_at(at + sizeof ((struct kb_boot_text *)0)->magic) == KB_BOOT_VERSION &&
	       word_at(at + sizeof ((struct kb_boot_text *)0)->magic + 4) == KB_BOOT_ROOM;
}

bool kb_boot_text_fits(const char *image, size_t length)
{
	for (size_t at = 0; at + sizeof(struct kb_boot_text) <= length; at++) {
		if (is_block(image + at))
			return true;
	}
	return false;
}

int kb_boot_text_write(char *image, size_t length, const char *text, size_t text_length)
{
	char *found = NULL;

	for (size_t at = 0; at + sizeof(struct kb_boot_text) <= length; at++) {
		if (!is_block(image + at))
			continue;
		if (found)
			return -KB_EINVAL;
		found = image + at;
	}
	if (!found)
		return -KB_ENOENT;
	if (text_length >= KB_BOOT_ROOM)
		return -KB_EOVERFLOW;
	found += offsetof(struct kb_boot_text, text);
	for (size_t i = 0; i < KB_BOOT_ROOM; i++)
		found[i] = i < text_length ? text[i] : '\0';
	return 0;
}

bool kb_boot_fact(const char *lines, const char *key, char *value, size_t room)
{
	struct kb_text text = kb_text_in(value, room);
	size_t length = kb_strlen(key);

	while (*lines) {
		size_t end = 0;

		while (lines[end] && lines[end] != '\n')
			end++;
		if (end > length && !__builtin_memcmp(lines, key, length) && lines[length] == '=') {
			kb_text_bytes(&text, lines + length + 1, end - length - 1);
			return true;
		}
		lines += end + (lines[end] == '\n');
	}
	return false;
}
