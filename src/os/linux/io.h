/* Whole reads and writes on descriptors: EINTR and short counts end here. */
#ifndef KB_OS_IO_H
#define KB_OS_IO_H

#include "types.h"

/* Writes everything. 0 or -errno. */
int kb_write_all(int fd, const void *bytes, size_t count);

/* From now on a file that may not grow any more (ulimit -f) is an error of writing, and kills nobody. Ignored signals go to what is executed, too:
   a child sets the default again before its exec. */
void kb_ignore_file_limit(void);
void kb_default_signals(void);

/* Gives an open file without a name (O_TMPFILE) this one. 0 or -errno: -EEXIST there is such a file, -ENOENT also without /proc. */
int kb_name_file(int fd, const char *name);

/* Writes a text into a file that exists, such as one of /proc or /sys. 0 or -errno. */
int kb_write_file(const char *path, const char *text);

/* Reads a whole small file into a terminated buffer; its length, or -errno. */
long kb_read_file(const char *path, char *buffer, size_t room);

/* Reads a whole file of up to 64 MB, a null byte behind it; free it. NULL with length 0: it cannot be read. */
char *kb_read_whole(const char *path, size_t *length);

/* The same as kb_read_file from a descriptor that stays open (a /proc file). */
long kb_read_at_start(int fd, char *buffer, size_t room);

/* Of a text like /proc/net/snmp or netstat, a line "Tcp: names" above a line "Tcp: numbers": the number below a name, 0 without. The
   group is given with the end of the line before, "\nTcp:", which the text begins with, too. */
uint64_t kb_number_below(const char *text, const char *group, const char *name);

/* "Directory/NAME.XXXXXX" for mkdtemp() and mkostemp(): Directory is TMPDIR, or /tmp where that is unset, empty or too long. */
void kb_temporary_name(char *path, size_t room, const char *name);

/* Nanoseconds of CLOCK_MONOTONIC_RAW, of CLOCK_MONOTONIC, which the kernel stamps events with, and of this thread's CPU time. */
uint64_t kb_wall_ns(void);
uint64_t kb_monotonic_ns(void);
uint64_t kb_thread_ns(void);

/* Sleeps, EINTR included. */
void kb_sleep_ns(uint64_t ns);

/* Pins the calling thread to one CPU. 0 or -errno. */
int kb_pin(unsigned cpu);

/* Who gives up on a collector asks it where it is before it kills it: the collector writes a `fault` line, and ends. It is what a limit of
   CPU time sends, too. */
#define KB_WHERE_SIGNAL SIGXCPU

#endif
