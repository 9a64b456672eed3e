/* The calls of kbench_track.h over util.h and entries.h. The log buffer is the caller's, so the ring is as large as it: nobody
   reads it before the end. */
#define _GNU_SOURCE
#include "kbench_track.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/entries/entries.h"
#include "trace/entries/util.h"

#define RING_MAX ((uint64_t)1 << 30)

_Static_assert(sizeof(struct kb_track_entry) == sizeof(struct kb_raw_entry), "one layout");

static struct {
	struct kb_util util;
	struct kb_entries entries;
	bool util_open, entries_open, running, finished;
	struct kb_raw_entry *buffer;
	uint64_t room, lost;            /* entries */
	char refusal[240];
} track;

static int refused(int error, const char *step)
{
	snprintf(track.refusal, sizeof track.refusal, "%s: %s", step, kb_members_why(error));
	return error;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, kb_track_release);
}

/* A child would keep what it inherited in the kernel for as long as it lives. */
static int open_util(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int error;

	if (track.util_open)
		return 0;
	if (!kb_members_ids_agree())
		return refused(-ENOTSUP, "counters of threads");
	pthread_once(&once, watch_forks);
	error = kb_util_open(&track.util, false);
	track.util_open = !error;
	return error ? refused(error, track.util.failed) : 0;
}

/* ---- utilisation --------------------------------------------------------------------------------------- */

static uint32_t own(uint32_t tid)
{
	return tid ? tid : (uint32_t)gettid();
}

int kb_track_reset_thread(uint32_t tid)
{
	int error = track.running ? -EBUSY : open_util();

	return error ? error : kb_util_reset_thread(&track.util, own(tid));
}

int kb_track_get(uint32_t tid, struct kb_track_utilisation *use)
{
	struct kb_util_total total;
	struct kb_util_use thread;
	int error;

	if (track.running || !track.finished)
		return track.running ? -EBUSY : -EINVAL;
	error = kb_util_of(&track.util, own(tid), &thread) ?: kb_util_total(&track.util, &total);
	if (error)
		return error;
	*use = (struct kb_track_utilisation){
		.thread_ns = thread.ns, .switches = thread.switches, .idle_ns = total.idle, .total_ns = total.capacity,
		.elapsed_ns = total.elapsed, .unaccounted_ns = total.unaccounted,
	};
	return 0;
}

/* ---- the log ------------------------------------------------------------------------------------------- */

int kb_track_set_log_buffer(void *buffer, size_t bytes)
{
	if (track.running)
		return -EBUSY;
	if (buffer && ((uintptr_t)buffer % sizeof(uint64_t) != 0 || bytes < sizeof(struct kb_raw_entry) || bytes > RING_MAX / 2))
		return -EINVAL;
	if (track.entries_open)
		kb_entries_close(&track.entries);
	track.entries_open = false;
	track.buffer = buffer;
	track.room = buffer ? bytes / sizeof(struct kb_raw_entry) : 0;
	return 0;
}

static int add_own_threads(void)
{
	DIR *directory = opendir("/proc/self/task");
	struct dirent *task;
	int error = directory ? 0 : -errno;

	while (directory && !error && (task = readdir(directory)))
		if (task->d_name[0] != '.')
			error = kb_members_add(&track.entries.members, (uint32_t)strtoul(task->d_name, NULL, 10));
	if (directory)
		closedir(directory);
	return error;
}

static int open_entries(void)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	struct kb_raw_entry drop[64];
	int error;

	if (!track.buffer)
		return 0;
	if (!track.entries_open) {
		/* A power of two, of at least a page, with room for the whole buffer. */
		while (bytes < KB_ENTRIES_BYTES(track.room) + 8)
			bytes *= 2;
		error = kb_entries_open(&track.entries, bytes, false);
		if (error)
			return refused(error, track.entries.failed);
		track.entries_open = true;
	}
	while (kb_entries_take(&track.entries, drop, 64) > 0)
		;
	track.entries.control->lost = 0;
	return add_own_threads();
}

/* What the ring has beyond the buffer is as lost as what found no room in the ring. */
static uint64_t copy_log(void)
{
	struct kb_raw_entry drop[64];
	uint64_t used = 0;
	size_t got;

	track.lost = track.entries.control->lost;
	while (used < track.room && (got = kb_entries_take(&track.entries, track.buffer + used, track.room - used)) > 0)
		used += got;
	while ((got = kb_entries_take(&track.entries, drop, 64)) > 0)
		track.lost += got;
	return used;
}

/* ---- both ---------------------------------------------------------------------------------------------- */

int kb_track_reset(void)
{
	int error;

	if (track.running)
		return -EBUSY;
	track.refusal[0] = '\0';
	track.lost = 0;
	error = open_util() ?: open_entries() ?: kb_util_reset(&track.util, false);
	if (error)
		return error;
	track.running = true;
	if (track.buffer)
		kb_entries_switch(&track.entries, true);
	return 0;
}

uint64_t kb_track_finalise(void)
{
	if (!track.running)
		return 0;
	if (track.buffer)
		kb_entries_switch(&track.entries, false);
	kb_util_finalise(&track.util);
	track.running = false;
	track.finished = true;
	return track.buffer ? copy_log() : 0;
}

uint64_t kb_track_lost(void)
{
	return track.lost;
}

const char *kb_track_entry_kind(const struct kb_track_entry *entry)
{
	return kb_entry_kind_names[kb_entry_points[entry->point % kb_entry_point_count].kind];
}

char kb_track_entry_edge(const struct kb_track_entry *entry)
{
	static const char edges[] = { [KB_EDGE_BEGIN] = 'B', [KB_EDGE_END] = 'E', [KB_EDGE_FAULT] = 'I', [KB_EDGE_SPAN] = 'X' };

	return edges[kb_entry_points[entry->point % kb_entry_point_count].edge];
}

const char *kb_track_refusal(void)
{
	return track.refusal;
}

void kb_track_release(void)
{
	if (track.entries_open)
		kb_entries_close(&track.entries);
	if (track.util_open)
		kb_util_close(&track.util);
	memset(&track, 0, sizeof track);
}
