/*
 * kbench_trace.h - trace points: how long a program takes from one of its points to another. Link with -lkbench; doc/trace.md.
 *
 * KB_TRACE_START(i) and KB_TRACE_STOP(i) stand around what is to be timed. STOP(i) logs only if START(i) was executed since
 * the last STOP(i); a second START(i) overwrites the first. Pairs may nest, interleave and stand under conditions. Neither
 * makes a system call nor takes a lock: each thread writes to a log of its own, which kb_trace_begin() made, and when it is
 * full entries are counted and not kept. A thread that has not called it logs nothing, and neither does a child of fork() before
 * it calls it. No point belongs into a signal handler: it may stand between the two halves of one that it interrupts.
 */
#ifndef KBENCH_TRACE_H
#define KBENCH_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include <kbench_stamp.h>

/* KB_TRACE_CONSTANT(i): i where the compiler knows it, else 0. */
#ifdef __cplusplus
extern "C" {
#define KB_TRACE_ASSERT static_assert
#define KB_TRACE_CONSTANT(i) (__builtin_constant_p(i) ? (i) : 0)
#else
#define KB_TRACE_ASSERT _Static_assert
#define KB_TRACE_CONSTANT(i) __builtin_choose_expr(__builtin_constant_p(i), (i), 0)
#endif

/* Points of this file, numbered from 0; at most KB_TRACE_KEYS. 0: they compile to nothing. */
#ifndef KB_TRACE_MAX
#define KB_TRACE_MAX 128
#endif

/* 1: bare readings of the clock, which the processor may move. For regions above 1 us; the log says so. */
#ifndef KB_TRACE_LIGHT
#define KB_TRACE_LIGHT 0
#endif

/* 1: points that kb_trace_off() switches off. They look at the switch first. */
#ifndef KB_TRACE_SWITCH
#define KB_TRACE_SWITCH 0
#endif
#define KB_TRACE_HOW ((KB_TRACE_LIGHT ? 1 : 0) | (KB_TRACE_SWITCH ? 2 : 0))

static inline uint64_t kb_trace_begin_stamp(void)
{
	return KB_TRACE_LIGHT ? kb_stamp_light() : kb_stamp_begin();
}

static inline uint64_t kb_trace_end_stamp(void)
{
	return KB_TRACE_LIGHT ? kb_stamp_light() : kb_stamp_end();
}

/* Where stamps come from. A world that has others (tests, a kernel) names functions of its own; 0 is no stamp. */
#ifndef KB_TRACE_BEGIN_STAMP
#define KB_TRACE_BEGIN_STAMP kb_trace_begin_stamp
#endif
#ifndef KB_TRACE_END_STAMP
#define KB_TRACE_END_STAMP kb_trace_end_stamp
#endif

#define KB_TRACE_KEYS 128u

/*
 * An entry, 8 bytes:    63     62..56   55 .. 0
 *                     | mark |  key   | ticks |
 * ticks: from START to STOP, or of a mark since the log began; what is longer than 2^56 - 1 is written as that.
 */
#define KB_TRACE_SHIFT 56
#define KB_TRACE_TICKS_MAX ((UINT64_C(1) << KB_TRACE_SHIFT) - 1)
#define KB_TRACE_IS_MARK (UINT64_C(1) << 63)

/* The calling thread's log. begins[i] is the stamp with which entries[i] began: it says what lay inside of what. */
struct kb_trace_thread {
	uint64_t *entries, *begins;
	uint64_t used, room;            /* entries */
	uint64_t lost;                  /* not kept: the log was full, or the key too large */
	uint64_t unopened;              /* STOP without START: conditions make them on purpose */
	uint64_t overwritten;           /* START after START */
	uint64_t origin;                /* stamp of kb_trace_begin() */
	uint64_t start[KB_TRACE_KEYS];  /* stamp of the last START; 0: none since the last STOP */
};

extern __thread struct kb_trace_thread kb_trace_thread;

/* A world without thread-local storage (a kernel) names a log of its own. */
#ifndef KB_TRACE_THREAD
#define KB_TRACE_THREAD kb_trace_thread
#endif

/* Switches all points that have a switch off, and on again; they are on at first. Off, a point costs a load and a branch. A region in
   which they were switched is not logged: its STOP counts as one without START. */
void kb_trace_off(void);
void kb_trace_on(void);

/* Regions that began after this stamp are logged; KB_TRACE_OFF: none. */
#define KB_TRACE_OFF UINT64_MAX
extern uint64_t kb_trace_since;

/* Makes the calling thread's log, which from here on costs no memory and no page fault. 0, -EBUSY (it has one), -EINVAL
   (no entries), -ENOMEM, -EAGAIN (no thread-specific key is left). Locked in memory as far as the system allows. */
int kb_trace_begin_log(uint64_t entries, int how);
#define kb_trace_begin(entries) kb_trace_begin_log(entries, KB_TRACE_HOW)

/* The same in memory of the caller's, 16 bytes an entry, aligned to 8; it must live until kb_trace_release(). */
int kb_trace_set_log(void *buffer, size_t bytes, int how);
#define kb_trace_set_log_buffer(buffer, bytes) kb_trace_set_log(buffer, bytes, KB_TRACE_HOW)

/* Ends the calling thread's log; the end of the thread does so, too. Returns the index behind its last entry; 0 without a log. */
uint64_t kb_trace_finalise(void);

/* Writes the logs of all threads as one record: those that ended, and the caller's, which it ends. Threads that still log are
   counted in it, not read. It measures the overhead of a pair first, which takes some ms. 0 or -errno. Any thread, no signal
   handler. */
int kb_trace_dump(int fd);
int kb_trace_dump_file(const char *path);

/* Frees all logs that ended. */
void kb_trace_release(void);

/* Where the next entry goes. */
struct kb_trace_place { uint64_t at, *entry, *begin; int full; };

static inline struct kb_trace_place kb_trace_next_place(void)
{
	uint64_t at = KB_TRACE_THREAD.used;

	const struct kb_trace_place place = {
		at, KB_TRACE_THREAD.entries + at, KB_TRACE_THREAD.begins + at, at >= KB_TRACE_THREAD.room,
	};

	return place;
}

static inline void kb_trace_put(struct kb_trace_place place, uint64_t key, uint64_t ticks, uint64_t begin)
{
	if (__builtin_expect(place.full, 0)) {
		KB_TRACE_THREAD.lost++;
		return;
	}
	if (__builtin_expect(ticks >> KB_TRACE_SHIFT != 0, 0))
		ticks = KB_TRACE_TICKS_MAX;
	*place.entry = key << KB_TRACE_SHIFT | ticks;
	*place.begin = begin;
	KB_TRACE_THREAD.used = place.at + 1;
}

/* Nothing is read before the stamp, whose fence would wait for it. What follows overlaps with the region. */
static inline void kb_trace_start(unsigned key, uint64_t since)
{
	if (__builtin_expect(since == KB_TRACE_OFF, 0))
		return;

	uint64_t now = KB_TRACE_BEGIN_STAMP();

	if (__builtin_expect(KB_TRACE_THREAD.start[key] != 0, 0))
		KB_TRACE_THREAD.overwritten++;
	KB_TRACE_THREAD.start[key] = now;
}

/* What does not depend on the region is read before the stamp, so that it overlaps with it, and the rest comes behind. */
static inline void kb_trace_stop(unsigned key, uint64_t since)
{
	if (__builtin_expect(since == KB_TRACE_OFF, 0))
		return;

	struct kb_trace_place place = kb_trace_next_place();
	uint64_t begin = KB_TRACE_THREAD.start[key], now = KB_TRACE_END_STAMP();

	if (begin <= since) {
		KB_TRACE_THREAD.unopened++;
		return;
	}
	KB_TRACE_THREAD.start[key] = 0;
	kb_trace_put(place, key, now - begin, begin);
}

static inline void kb_trace_mark(unsigned key, uint64_t since)
{
	if (__builtin_expect(since == KB_TRACE_OFF, 0))
		return;

	struct kb_trace_place place = kb_trace_next_place();
	uint64_t now = KB_TRACE_END_STAMP();

	kb_trace_put(place, key | KB_TRACE_IS_MARK >> KB_TRACE_SHIFT, now - KB_TRACE_THREAD.origin, now);
}

/* A constant key that is too large does not compile; another one is counted as lost. i is evaluated once, or not at all where
   points compile to nothing. */
#define KB_TRACE_DO(what, i) \
	do { \
		KB_TRACE_ASSERT(KB_TRACE_MAX <= KB_TRACE_KEYS, "KB_TRACE_MAX is at most 128"); \
		KB_TRACE_ASSERT(KB_TRACE_MAX == 0 || KB_TRACE_CONSTANT(i) < KB_TRACE_MAX, \
				"a trace point is numbered below KB_TRACE_MAX"); \
		if (KB_TRACE_MAX != 0) { \
			const uint64_t kb_trace_key = (uint64_t)(i); \
			if (kb_trace_key < (uint64_t)KB_TRACE_MAX + (KB_TRACE_MAX == 0)) \
				what((unsigned)kb_trace_key, \
				     KB_TRACE_SWITCH ? __atomic_load_n(&kb_trace_since, __ATOMIC_RELAXED) : 0); \
			else \
				KB_TRACE_THREAD.lost++; \
		} \
	} while (0)

#define KB_TRACE_START(i) KB_TRACE_DO(kb_trace_start, i)
#define KB_TRACE_STOP(i) KB_TRACE_DO(kb_trace_stop, i)

/* A bare entry with the time since the log began. */
#define KB_TRACE_MARK(i) KB_TRACE_DO(kb_trace_mark, i)

#ifdef __cplusplus
}
#endif

#endif
