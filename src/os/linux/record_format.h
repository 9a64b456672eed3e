/* Texts of a record by a format, for where there is a C library. Numbers have a decimal point, whatever locale the thread has: a plug-in
   may have called setlocale(). */
#ifndef KB_OS_LINUX_RECORD_FORMAT_H
#define KB_OS_LINUX_RECORD_FORMAT_H

#include "base/record.h"

/* As snprintf. */
int kb_format(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* As kb_record_line. What the format makes of it is cut after 511 bytes. */
void kb_record_format(struct kb_record_writer *, const char *word, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* For a kb_sink: writes to the FILE that is its context. 0 or -errno. */
int kb_put_to_file(void *file, const char *bytes, size_t count);

#endif
