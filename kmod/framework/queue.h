/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Record text between the writer and whoever reads /dev/kbench. */
#ifndef KBENCH_FRAMEWORK_QUEUE_H
#define KBENCH_FRAMEWORK_QUEUE_H

#include <linux/types.h>

#include "base/record.h"

#define KB_QUEUE_MAX (16u << 20)        /* text that nobody has read yet, bytes */

struct kb_queue { char *bytes; size_t room, from, to; };

/* A sink that appends; -ENOBUFS beyond KB_QUEUE_MAX. */
struct kb_sink kb_queue_sink(struct kb_queue *queue);
/* Up to `count` bytes to user space; what is copied is gone. Bytes or -EFAULT. */
ssize_t kb_queue_read(struct kb_queue *queue, char __user *to, size_t count);
void kb_queue_free(struct kb_queue *queue);

/* A line of a record of at most 255 bytes. */
void kb_write_format(struct kb_record_writer *writer, const char *word, const char *format, ...) __printf(3, 4);

#endif
