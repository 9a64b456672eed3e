/*
 * kbench_files.h - what benchmarks of files, faults and mappings share: directories in memory or on a disk, the device below a
 * file, spinning threads on other CPUs. Functions return 0 or -errno, as in kbench.h.
 */
#ifndef KBENCH_FILES_H
#define KBENCH_FILES_H

#include <kbench.h>

/* An unlinked file of `bytes` zero bytes, written to the disk, on the file system of the run's scratch directory. */
int kb_scratch_file(struct kb_run *, uint64_t bytes, int *fd);

/* A directory of this process alone, for files with names; it goes with all in it when the run ends. NULL after kb_fail. */
const char *kb_scratch_directory(struct kb_run *);

/* Makes a file `depth` names below the scratch directory, which becomes the working directory: "f", "d/f", "d/d/f". */
#define KB_SCRATCH_PATH 256
int kb_scratch_path(struct kb_run *, unsigned depth, char path[KB_SCRATCH_PATH]);

/* Opens `count` descriptors of a kind (file, pipe, tcp), of which the first `ready` have something to read, numbers below
   1024 if count is 1000 at most. Files are always ready. They are gone with the process. 0, kb_fail or kb_skip. */
int kb_descriptors(struct kb_run *, const char *kind, unsigned count, unsigned ready, int *fd);

/* Opens a directory of this process alone: on=disk is kb_scratch_directory, on=memory a file system in memory mounted there, which
   nobody else sees. kb_skip where there is none of that kind. */
int kb_scratch_on(struct kb_run *, const char *on, int *directory);

#define KB_ON "memory,disk"

/* An empty file in such a directory, open for reading and writing. The directory becomes the working one, in which it is "file". */
int kb_scratch_file_on(struct kb_run *, const char *on, int *fd);

/* 0 if the directory holds so many entries, kb_fail if not. kb_directory_empty removes files and empty directories in it. */
int kb_directory_holds(struct kb_run *, int directory, uint64_t entries);
int kb_directory_empty(struct kb_run *, int directory);

/* For benchmarks of many files, in set-up: samples are of KB_FILES_A_SAMPLE at the most, and of no more than the parameter says. Their
   names are made there, too; kb_file_name(i) is that of file i. */
#define KB_FILES_MAX 65536u
#define KB_FILES_A_SAMPLE 32u
#define KB_PARAM_FILES { "files", "in the directory at once, at the most", KB_NUMBER, "32", 1, KB_FILES_MAX, NULL }
uint64_t kb_files_name(struct kb_run *);
const char *kb_file_name(uint64_t i);

/* Directories that samples fill with up to `files` files each, by the parameters on, files and inodes: recycled ones are removed when
   that many are there, fresh ones stay until there are 32768, or as many as hold 128 MB. kb_places_enter, before a sample of n: the
   directory, and the number of its first new file; kb_places_made, behind it; kb_places_empty, at the end. */
int kb_places_start(struct kb_run *, uint64_t bytes);
int kb_places_enter(struct kb_run *, uint64_t n, int *place, uint64_t *first);
void kb_places_made(uint64_t n);
int kb_places_empty(struct kb_run *);

/* An unlinked file of so many bytes, all 1, in writes of `piece`: in the page cache folios are as large as these, where its file system
   allows it. It is on its disk, and in memory. */
int kb_scratch_pieces(struct kb_run *, uint64_t bytes, size_t piece, int *fd);

/* Of memory that is mapped and was touched, 4096 pages at the most: pieces (folios) in which it lies, and those of more than a page.
   false: the kernel shows it to root only, or not at all. */
bool kb_folios(const volatile void *memory, size_t bytes, uint64_t *folios, uint64_t *large);

/* 0 to count - 1 as they are, or by the parameter order=random in another order. */
void kb_order(struct kb_run *, uint32_t *order, uint32_t count);

/* Maps the file to be read, so many times one behind the other, the first at an aligned address. NULL after kb_fail. */
void *kb_map_copies(struct kb_run *, int fd, size_t bytes, unsigned copies, size_t alignment);

/* A mapping to read and write, in pages of the normal size: huge ones are off, or one fault would serve 512. Nothing is
   touched. flags and fd as for mmap(); MAP_PRIVATE | MAP_ANONYMOUS and -1: new memory. NULL after kb_fail. */
void *kb_map_small(struct kb_run *, size_t bytes, int flags, int fd);
/* The first write to each page of a mapping, for benchmarks that measure just that: they say in set-up what is mapped, and take these
   hooks. The empty loop writes as often to one byte. `pages`: of the next sample, or of the last one. */
struct kb_first_writes { size_t page_bytes; int flags, fd; volatile unsigned char *pages; };
extern struct kb_first_writes kb_first_writes;
void kb_first_writes_map(int flags, int fd);
int kb_first_writes_before(struct kb_run *, uint64_t n);
int kb_first_writes_op(struct kb_run *, uint64_t n);
int kb_first_writes_base(struct kb_run *, uint64_t n);
int kb_first_writes_after(struct kb_run *, uint64_t n);
#define KB_FIRST_WRITTEN 2      /* the value */

int kb_unmap(struct kb_run *, volatile void *memory, size_t bytes);

/* Pages of the mapping that are in memory, by mincore(); UINT64_MAX if that fails. */
uint64_t kb_pages_in(const volatile void *memory, size_t bytes);

/* Drops the clean pages of a file that nobody maps from memory, and opens it anew: its read-ahead starts afresh. The descriptor,
   or kb_fail. */
int kb_open_evicted(struct kb_run *, int file);

/* What /sys says about the block device that holds the file, or that the descriptor is: "stat", "queue/read_ahead_kb".
   -ENODEV: no one device is below it. */
int kb_device_of(int fd, const char *attribute, char *text, size_t room);

/* Writes a setting of the machine, a file of /proc or /sys, after the guardian of the run has noted what it holds now: that
   comes back when the process ends, however it ends. -EPIPE: there is no guardian, and nothing was changed. */
int kb_setting(struct kb_run *, const char *path, const char *value);

/* Opens a block device for direct reading: a path, or "below" for the one that holds the scratch directory. kb_skip if refused. */
int kb_device_open(struct kb_run *, const char *device, int *fd);

/* Writes and flushes that the device has completed so far, of whoever: /sys/dev/block/../stat. -ENODEV likewise. */
int kb_device_writes(int fd, uint64_t *writes);

/* Blocks of 512 bytes that this thread has made a device read (direction 0) or has given for writing (1). */
uint64_t kb_blocks(int direction);

/* Threads that read *word and count their turns, on kb_cpu(1) and up. kb_spinners_run waits until each has run just now; false
   when one did not within half a second. */
#define KB_SPINNERS_MAX 63u
int kb_spinners_start(struct kb_run *, unsigned count, const volatile unsigned char *word);
bool kb_spinners_run(void);

/* Interrupts of one kind on all CPUs: the row of /proc/interrupts that holds the text; 0 if there is none. */
uint64_t kb_interrupts(const char *row);

#endif
