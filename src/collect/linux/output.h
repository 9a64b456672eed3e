/* The record's way out: a buffer that is written between blocks, never inside one. */
#ifndef KB_COLLECT_LINUX_OUTPUT_H
#define KB_COLLECT_LINUX_OUTPUT_H

#include "base/record.h"

/* A sink that appends to the buffer and writes it to `fd` when it is full. There is one per process. */
struct kb_sink kb_output_sink(int fd);

/* Writes what is buffered; safe in a signal handler. 0 or -errno. */
int kb_output_flush(void);

/* Drops what is buffered: a forked child must not write its parent's lines a second time. */
void kb_output_drop(void);

#endif
