/* Making and ending logs. All that costs time or may fail is here, so that the points themselves are a few instructions. */
#include "trace/points/log.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io.h"

#define ENTRY_BYTES 16
#define ENTRIES_MAX (UINT64_C(1) << 40)

__thread struct kb_trace_thread kb_trace_thread;
static __thread struct kb_trace_log *own;

struct kb_trace_logs kb_trace_logs = { .lock = PTHREAD_MUTEX_INITIALIZER, .last = &kb_trace_logs.first };

uint64_t kb_trace_since;

void kb_trace_off(void)
{
	__atomic_store_n(&kb_trace_since, KB_TRACE_OFF, __ATOMIC_RELAXED);
}

/* What began before it went off, or while it was, began before now. */
void kb_trace_on(void)
{
	if (kb_trace_since == KB_TRACE_OFF)
		__atomic_store_n(&kb_trace_since, kb_stamp_end(), __ATOMIC_RELAXED);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_exit_key;
static int key_error;

static void end_log(struct kb_trace_log *log)
{
	pthread_mutex_lock(&kb_trace_logs.lock);
	log->state = kb_trace_thread;
	log->ended = true;
	pthread_mutex_unlock(&kb_trace_logs.lock);
	kb_trace_thread = (struct kb_trace_thread){ 0 };
	own = NULL;
}

static void thread_ends(void *log)
{
	if (log == own)
		end_log(log);
}

static void lock(void)
{
	pthread_mutex_lock(&kb_trace_logs.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&kb_trace_logs.lock);
}

static void free_log(struct kb_trace_log *log)
{
	if (log->memory)
		munmap(log->memory, log->bytes);
	free(log);
}

/* In a child of fork() nothing of this is its own: the entries are its parent's, who writes them, and so are the thread ids. */
static void child_begins(void)
{
	struct kb_trace_log *log = kb_trace_logs.first, *next;

	for (; log; log = next) {
		next = log->next;
		free_log(log);
	}
	kb_trace_logs = (struct kb_trace_logs){ .lock = PTHREAD_MUTEX_INITIALIZER, .last = &kb_trace_logs.first };
	kb_trace_thread = (struct kb_trace_thread){ 0 };
	own = NULL;
	pthread_setspecific(at_exit_key, NULL);
}

static void make_key(void)
{
	key_error = -pthread_key_create(&at_exit_key, thread_ends);
	if (!key_error)
		key_error = -pthread_atfork(lock, unlock, child_begins);
}

void kb_trace_start_clocks(void)
{
	if (kb_trace_logs.wall_ns != 0)
		return;
	kb_trace_logs.wall_ns = kb_wall_ns();
	kb_trace_logs.ticks = kb_stamp_end();
}

static int begin(void *memory, uint64_t entries, int how, void *ours, size_t bytes)
{
	struct kb_trace_log *log;

	pthread_once(&once, make_key);
	if (key_error)
		return key_error;
	log = malloc(sizeof *log);
	if (!log)
		return -ENOMEM;
	*log = (struct kb_trace_log){
		.tid = (uint64_t)syscall(SYS_gettid), .light = how & 1, .switched = how & 2, .memory = ours, .bytes = bytes,
	};
	if (pthread_setspecific(at_exit_key, log)) {
		free(log);
		return -ENOMEM;
	}
	pthread_mutex_lock(&kb_trace_logs.lock);
	kb_trace_start_clocks();
	*kb_trace_logs.last = log;
	kb_trace_logs.last = &log->next;
	pthread_mutex_unlock(&kb_trace_logs.lock);
	own = log;
	/* Writing it all also brings the thread's own pages in. */
	kb_trace_thread = (struct kb_trace_thread){
		.entries = memory, .begins = (uint64_t *)memory + entries, .room = entries, .origin = KB_TRACE_END_STAMP(),
	};
	return 0;
}

int kb_trace_begin_log(uint64_t entries, int how)
{
	size_t bytes;
	void *memory;
	int error;

	if (own)
		return -EBUSY;
	if (entries == 0 || entries > ENTRIES_MAX)
		return -EINVAL;
	bytes = entries * ENTRY_BYTES;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return -errno;
	/* A limit on locked memory is common; the pages are there in any case. */
	(void)mlock(memory, bytes);
	error = begin(memory, entries, how, memory, bytes);
	if (error)
		munmap(memory, bytes);
	return error;
}

int kb_trace_set_log(void *buffer, size_t bytes, int how)
{
	if (own)
		return -EBUSY;
	if (!buffer || (uintptr_t)buffer % sizeof(uint64_t) != 0 || bytes < ENTRY_BYTES)
		return -EINVAL;
	for (size_t at = 0; at < bytes; at++)
		((volatile char *)buffer)[at] = 0;
	return begin(buffer, bytes / ENTRY_BYTES, how, NULL, 0);
}

uint64_t kb_trace_finalise(void)
{
	uint64_t used = kb_trace_thread.used;

	if (own)
		end_log(own);
	return used;
}

void kb_trace_release(void)
{
	struct kb_trace_log **at = &kb_trace_logs.first, *log;

	pthread_mutex_lock(&kb_trace_logs.lock);
	while ((log = *at)) {
		if (!log->ended) {
			at = &log->next;
			continue;
		}
		*at = log->next;
		free_log(log);
	}
	kb_trace_logs.last = at;
	pthread_mutex_unlock(&kb_trace_logs.lock);
}
