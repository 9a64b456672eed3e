/* See cpio.h. */
#include "workflow/guest/cpio.h"

#include <string.h>

/* Everything begins at a multiple of four bytes. */
static void pad(FILE *out)
{
	while (ftell(out) % 4 != 0 && !ferror(out))
		fputc(0, out);
}

/* inode, mode, user, group, links, date, size, two devices, length of the name, no sum. */
bool kb_cpio_put(FILE *out, const char *name, unsigned mode, const char *bytes, size_t count)
{
	size_t length = strlen(name) + 1;

	fprintf(out, "070701%08x%08x%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x", 0, mode, 0, 0, 1, 0, count, 0, 0, 0, 0, length, 0);
	fwrite(name, 1, length, out);
	pad(out);
	fwrite(bytes, 1, count, out);
	pad(out);
	return !ferror(out);
}

bool kb_cpio_end(FILE *out)
{
	return kb_cpio_put(out, "TRAILER!!!", 0, "", 0);
}
