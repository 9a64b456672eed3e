/*
 * Error numbers for code that may not include <errno.h>. They are Linux's on every target, so that -KB_EINVAL is
 * -EINVAL on the host and a record's errno= means the same wherever it was collected.
 */
#ifndef KB_BASE_ERROR_H
#define KB_BASE_ERROR_H

enum kb_error {
	KB_ENOENT = 2, KB_EIO = 5, KB_ENOMEM = 12, KB_EINVAL = 22, KB_ERANGE = 34, KB_ENOSYS = 38, KB_EOVERFLOW = 75
};

#endif
