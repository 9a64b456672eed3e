/* What fuzz targets share: claims, and input as a text that ends where the sanitizer sees it. */
#ifndef KB_TEST_FUZZ_H
#define KB_TEST_FUZZ_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The claim is printed, for the stack below an inlined one tells no line. */
static inline void fuzz_fail(const char *claim, int line)
{
	fprintf(stderr, "line %d: not so: %s\n", line, claim);
	abort();
}

#define require(claim) ((claim) ? (void)0 : fuzz_fail(#claim, __LINE__))

/* A refusal that goes to people, or to a record, as it is: one line that a terminal can show. What only repeats a typed word is made visible by
   who prints it. */
#define require_line(error) require((error)[0] != '\0' && kb_is_visible(error))

/* The input as a string; free it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	require(text != NULL);
	memcpy(text, size ? data : (const uint8_t *)"", size);
	text[size] = '\0';
	return text;
}

/* What a target of several parsers takes off the front: which of `count` is meant. */
static inline unsigned fuzz_choice(const uint8_t **data, size_t *size, unsigned count)
{
	unsigned first = *size ? **data : 0;

	*data += *size > 0;
	*size -= *size > 0;
	/* Letters, so that people can write seeds: 'a' is the first. */
	return (first - 'a') % 256 % count;
}

/* For readers of files: a file in memory with this content, made once for each `fd`, which is -1 before. */
static inline void fuzz_file(int *fd, const uint8_t *data, size_t size)
{
	if (*fd < 0)
		*fd = memfd_create("fuzz", 0);
	require(*fd >= 0 && ftruncate(*fd, 0) == 0 && pwrite(*fd, data, size, 0) == (ssize_t)size);
}

/* A directory of its own, below TMPDIR, which a target that crashes leaves there. */
static inline void fuzz_directory(char path[300])
{
	const char *above = getenv("TMPDIR");

	require(snprintf(path, 300, "%s/kbench-fuzz-XXXXXX", above ? above : "/tmp") < 200 && mkdtemp(path) != NULL);
}

#endif
