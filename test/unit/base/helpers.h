/* For the tests of this layer: a sink that keeps what is written, and a whole file in memory. */
#ifndef TEST_BASE_HELPERS_H
#define TEST_BASE_HELPERS_H

#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/record.h"

struct buffer { char bytes[65536]; size_t used; };

static inline int buffer_write(void *context, const char *bytes, size_t count)
{
	struct buffer *buffer = context;

	if (count > sizeof(buffer->bytes) - buffer->used)
		return -ENOSPC;
	memcpy(buffer->bytes + buffer->used, bytes, count);
	buffer->used += count;
	return 0;
}

static inline struct kb_sink buffer_sink(struct buffer *buffer)
{
	buffer->used = 0;
	return (struct kb_sink){ buffer_write, buffer };
}

/* Where the sources are: the first argument, or what the test runner says, or here. */
static inline const char *source_directory(int argc, char **argv)
{
	const char *told = getenv("KB_SRC");

	if (argc > 1)
		return argv[1];
	return told ? told : ".";
}

/* Fills the buffer with the file source_dir/path; fails the test if it cannot. */
static inline void buffer_load(struct buffer *buffer, const char *source_dir, const char *path)
{
	char name[4096];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", source_dir, path);
	file = fopen(name, "rb");
	if (!file)
		fail_msg("cannot open %s: give the source folder as the first argument", name);
	buffer->used = fread(buffer->bytes, 1, sizeof(buffer->bytes), file);
	assert_true(buffer->used > 0 && buffer->used < sizeof(buffer->bytes));
	fclose(file);
}

static inline struct kb_span span_of(const char *string)
{
	return (struct kb_span){ string, strlen(string) };
}

/* Reads to the end; the state that the record turned out to be. */
static inline enum kb_record_state read_all(struct kb_record_reader *reader, const char *text, size_t length)
{
	struct kb_line line;

	kb_record_open(reader, text, length);
	while (kb_record_next(reader, &line) != KB_LINE_NONE)
		;
	return reader->state;
}

#endif
