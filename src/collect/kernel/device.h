/*
 * /dev/kbench: whole lines in, the record out. A write returns when its line was executed; a read takes what the record has
 * by then, and 0 once that is all. One process at a time has it open; closing it ends whatever runs there.
 */
#ifndef KB_COLLECT_KERNEL_DEVICE_H
#define KB_COLLECT_KERNEL_DEVICE_H

#include "base/text.h"

struct kb_device {
	int fd;
	bool begun;             /* the record has */
	bool failed;            /* it has its `fail` line */
	bool ended;             /* or its `end` line */
	char start[8];          /* the first bytes of the line that is being read */
	size_t at;              /* bytes of it so far */
};

/* Waits while another process has it, so that two runs take turns. 0 or -errno. */
int kb_device_open(struct kb_device *, const char *path);

/* Sends a line, which is not terminated, and copies the record as far as it goes to standard output. 0, or -errno: of the
   line, or -EPIPE where nobody reads the record any more, or -EPROTO where it is of another version than ours. */
int kb_device_line(struct kb_device *, struct kb_span line);

#endif
