/* Files for benchmarks: scratch files in writes of one length, the folios in which a file lies in the page cache, and many files at once. */
#include "collect/linux/context.h"

#include <kbench_files.h>

#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRIES_MAX 4096u       /* of a page map read at once */
#define HEAD (UINT64_C(1) << 15)        /* /proc/kpageflags: the first page of a folio of several, and the others */
#define TAIL (UINT64_C(1) << 16)
#define FRAME ((UINT64_C(1) << 55) - 1)
#define LIVE_MAX 32768u
#define LIVE_BYTES_MAX (128u << 20)

/* ---- one file in pieces ---------------------------------------------------------------------------------- */

int kb_scratch_pieces(struct kb_run *run, uint64_t bytes, size_t piece, int *fd)
{
	int error = kb_scratch_file(run, 0, fd);
	char *ones = error ? NULL : malloc(piece);
	bool good = ones != NULL;

	if (good)
		memset(ones, 1, piece);
	for (uint64_t at = 0; good && at < bytes; at += piece)
		good = pwrite(*fd, ones, piece, (off_t)at) == (ssize_t)piece;
	free(ones);
	return error ?: good && fdatasync(*fd) == 0 ? 0 : kb_fail(run, errno, "writing the scratch file");
}

void *kb_map_copies(struct kb_run *run, int fd, size_t bytes, unsigned copies, size_t alignment)
{
	char *memory = mmap(NULL, copies * bytes + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool good = memory != MAP_FAILED;

	memory += good ? alignment - (uintptr_t)memory % alignment : 0;
	for (unsigned i = 0; i < copies && good; i++)
		good = mmap(memory + i * bytes, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
	if (!good)
		kb_fail(run, errno, "mapping the scratch file");
	return good ? memory : NULL;
}

void kb_order(struct kb_run *run, uint32_t *order, uint32_t count)
{
	struct kb_rng rng;

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	kb_rng_seed(&rng, run->seed);
	if (kb_param_is(run, "order", "random"))
		kb_rng_shuffle(&rng, order, count, sizeof *order);
}

bool kb_folios(const volatile void *memory, size_t bytes, uint64_t *folios, uint64_t *large)
{
	static uint64_t entries[ENTRIES_MAX];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), count = bytes / page;
	int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC), flags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	bool known = count <= ENTRIES_MAX && map >= 0 && flags >= 0 &&
		     pread(map, entries, count * 8, (off_t)((uintptr_t)memory / page * 8)) == (ssize_t)(count * 8);

	*folios = *large = 0;
	for (size_t i = 0; i < count && known; i++) {
		uint64_t frame = entries[i] & FRAME, of = 0;

		known = frame && pread(flags, &of, 8, (off_t)(frame * 8)) == 8;
		*folios += !(of & TAIL);
		*large += !!(of & HEAD);
	}
	if (map >= 0)
		close(map);
	if (flags >= 0)
		close(flags);
	return known;
}

/* ---- many ------------------------------------------------------------------------------------------------ */

static char names[KB_FILES_MAX][8];

uint64_t kb_files_name(struct kb_run *run)
{
	uint64_t files = kb_param_number(run, "files");

	run->max_n = files < KB_FILES_A_SAMPLE ? files : KB_FILES_A_SAMPLE;
	for (unsigned i = 0; i < KB_FILES_MAX; i++)
		snprintf(names[i], sizeof names[i], "f%u", i);
	return files;
}

const char *kb_file_name(uint64_t i)
{
	return names[i];
}

/* Places are directories in the one above, or that one. here: files in each, of which the last is the current one; live: in all. */
static struct { int above, place; uint64_t files, most, live, here[LIVE_MAX]; unsigned count; bool fresh; } places;

int kb_places_start(struct kb_run *run, uint64_t bytes)
{
	uint64_t fit = bytes ? LIVE_BYTES_MAX / bytes : LIVE_MAX;

	places.files = kb_files_name(run);
	places.fresh = kb_param_is(run, "inodes", "fresh");
	places.most = fit < LIVE_MAX ? fit : LIVE_MAX;
	if (places.files * bytes > LIVE_BYTES_MAX)
		return kb_fail(run, EFBIG, "files of %u MB together are the most", LIVE_BYTES_MAX >> 20);
	return kb_scratch_on(run, kb_param_text(run, "on"), &places.above);
}

static int open_place(unsigned place)
{
	return places.fresh ? openat(places.above, kb_file_name(place), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : dup(places.above);
}

/* Each must still hold all that was made in it. */
int kb_places_empty(struct kb_run *run)
{
	int error = 0;

	for (; places.count > 0 && !error; places.count--) {
		int fd = open_place(places.count - 1);

		error = kb_directory_holds(run, fd, places.here[places.count - 1]) ?: kb_directory_empty(run, fd);
		close(fd);
	}
	places.live = 0;
	return error ?: kb_directory_empty(run, places.above);
}

int kb_places_enter(struct kb_run *run, uint64_t n, int *place, uint64_t *first)
{
	bool room = places.count > 0 && places.here[places.count - 1] + n <= places.files;
	int error = room || (places.fresh && places.live + places.files <= places.most) ? 0 : kb_places_empty(run);

	if (!error && !room) {
		if (places.place > 0)
			close(places.place);
		places.here[places.count] = 0;
		if (places.fresh && mkdirat(places.above, kb_file_name(places.count), 0700))
			return kb_fail(run, errno, "mkdir");
		places.place = open_place(places.count++);
	}
	if (error || places.place < 0)
		return error ?: kb_fail(run, errno, "a directory");
	*place = places.place;
	*first = places.here[places.count - 1];
	return 0;
}

void kb_places_made(uint64_t n)
{
	places.here[places.count - 1] += n;
	places.live += n;
}
