// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Record text between the writer and whoever reads /dev/kbench. It grows between samples, never inside one. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "framework/queue.h"

static int grow(struct kb_queue *queue, size_t need)
{
	size_t room = max_t(size_t, 4096, queue->room);
	char *bytes;

	while (room < need)
		room *= 2;
	if (room > KB_QUEUE_MAX)
		return -ENOBUFS;
	bytes = kvmalloc(room, GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	if (queue->to > queue->from)
		memcpy(bytes, queue->bytes + queue->from, queue->to - queue->from);
	kvfree(queue->bytes);
	*queue = (struct kb_queue){ .bytes = bytes, .room = room, .to = queue->to - queue->from };
	return 0;
}

static int append(void *context, const char *bytes, size_t count)
{
	struct kb_queue *queue = context;
	int error = queue->room - queue->to >= count ? 0 : grow(queue, queue->to - queue->from + count);

	if (error)
		return error;
	memcpy(queue->bytes + queue->to, bytes, count);
	queue->to += count;
	return 0;
}

struct kb_sink kb_queue_sink(struct kb_queue *queue)
{
	return (struct kb_sink){ .write = append, .context = queue };
}

ssize_t kb_queue_read(struct kb_queue *queue, char __user *to, size_t count)
{
	count = min(count, queue->to - queue->from);
	if (copy_to_user(to, queue->bytes + queue->from, count))
		return -EFAULT;
	queue->from += count;
	if (queue->from == queue->to)
		queue->from = queue->to = 0;
	return count;
}

void kb_queue_free(struct kb_queue *queue)
{
	kvfree(queue->bytes);
	*queue = (struct kb_queue){ 0 };
}

void kb_write_format(struct kb_record_writer *writer, const char *word, const char *format, ...)
{
	char line[256];
	va_list arguments;

	va_start(arguments, format);
	vscnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	kb_record_line(writer, word, line);
}
