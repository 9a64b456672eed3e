/*
 * See func.h: pairing. A thread's stamps are a prefix of what it did, since a full log is closed for all; so its last open
 * entry is the exit's partner, and whatever has no partner is counted, never guessed.
 */
#include "trace/func/func.h"

#include <errno.h>
#include <stdlib.h>

#define NONE UINT32_MAX
#define OPEN UINT64_MAX         /* as a pair's time: its exit has not come */

/* An entry without its exit so far: the one that was open before it, as a pair, and how its CPU stood. */
struct open { uint32_t below, interrupts, switches; };

/* One thread; the idle thread is one a CPU, as all of those are thread 0. */
struct thread { uint64_t key; uint32_t top, depth; bool used; };

struct pairing {
	struct thread *threads;         /* a hash table, at most half full */
	size_t room, used;
	struct open *open;              /* beside the pairs */
	struct kb_func_log *log;
};

static int compare(const void *left, const void *right)
{
	const struct kb_func_stamp *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	/* One reading of the clock: as a CPU wrote them. */
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static size_t slot(const struct pairing *pairing, uint64_t key)
{
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (pairing->room - 1);

	while (pairing->threads[at].used && pairing->threads[at].key != key)
		at = (at + 1) & (pairing->room - 1);
	return at;
}

static int grow(struct pairing *pairing)
{
	struct pairing larger = *pairing;

	larger.room = pairing->room ? 2 * pairing->room : 256;
	larger.threads = calloc(larger.room, sizeof *larger.threads);
	if (!larger.threads)
		return -ENOMEM;
	for (size_t i = 0; i < pairing->room; i++) {
		if (pairing->threads[i].used)
			larger.threads[slot(&larger, pairing->threads[i].key)] = pairing->threads[i];
	}
	free(pairing->threads);
	*pairing = larger;
	return 0;
}

static struct thread *thread_of(struct pairing *pairing, const struct kb_func_stamp *stamp)
{
	uint64_t key = stamp->tid ? stamp->tid : (UINT64_C(1) << 32) + stamp->cpu;
	struct thread *thread;

	if (2 * pairing->used >= pairing->room && grow(pairing))
		return NULL;
	thread = &pairing->threads[slot(pairing, key)];
	if (!thread->used) {
		*thread = (struct thread){ .key = key, .top = NONE, .used = true };
		pairing->used++;
	}
	return thread;
}

static void begin(struct pairing *pairing, struct thread *thread, const struct kb_func_stamp *stamp)
{
	struct kb_func_log *log = pairing->log;

	log->pairs[log->count] = (struct kb_func_pair){
		.begin = stamp->ns, .ns = OPEN, .tid = stamp->tid, .cpu = stamp->cpu, .depth = thread->depth++,
	};
	pairing->open[log->count] = (struct open){ thread->top, stamp->interrupts, stamp->switches };
	thread->top = (uint32_t)log->count++;
}

/* Counts of two CPUs say nothing about what lies between them; that the thread moved does. */
static unsigned flags_of(const struct kb_func_pair *pair, const struct open *open, const struct kb_func_stamp *end)
{
	if (pair->cpu != end->cpu)
		return KB_FLAG_MIGRATED;
	return (open->interrupts != end->interrupts ? KB_FLAG_IRQ : 0) | (open->switches != end->switches ? KB_FLAG_SWITCH : 0);
}

static void end(struct pairing *pairing, struct thread *thread, const struct kb_func_stamp *stamp)
{
	struct kb_func_pair *pair = &pairing->log->pairs[thread->top];
	const struct open *open = &pairing->open[thread->top];

	pair->ns = stamp->ns - pair->begin;
	pair->flags = flags_of(pair, open, stamp);
	pair->cpu = stamp->cpu;
	thread->top = open->below;
	thread->depth--;
}

static int take(struct pairing *pairing, const struct kb_func_stamp *stamp)
{
	struct thread *thread = thread_of(pairing, stamp);

	if (!thread)
		return -ENOMEM;
	if (!(stamp->kind & KB_FUNC_EXIT))
		begin(pairing, thread, stamp);
	else if (thread->top == NONE)
		pairing->log->counts.unopened++;
	else
		end(pairing, thread, stamp);
	return 0;
}

int kb_func_pair_up(struct kb_func_log *log, struct kb_func_stamp *stamps, size_t count)
{
	struct pairing pairing = { .log = log };
	int error = -ENOMEM;
	size_t kept = 0;

	log->count = 0;
	log->counts.events = count;
	log->counts.unopened = 0;
	if (count >= NONE)
		return -E2BIG;
	log->pairs = calloc(count + 1, sizeof *log->pairs);
	pairing.open = calloc(count + 1, sizeof *pairing.open);
	if (log->pairs && pairing.open) {
		qsort(stamps, count, sizeof *stamps, compare);
		error = 0;
	}
	for (size_t i = 0; i < count && !error; i++)
		error = take(&pairing, &stamps[i]);
	/* Entries stand in order of their begin; those that never ended go. */
	for (size_t i = 0; i < log->count; i++) {
		if (log->pairs[i].ns != OPEN)
			log->pairs[kept++] = log->pairs[i];
	}
	log->counts.open = log->count - kept;
	log->count = kept;
	free(pairing.open);
	free(pairing.threads);
	return error;
}

void kb_func_trim(struct kb_func_log *log, size_t limit)
{
	if (log->count <= limit)
		return;
	/* Each call is two events, which are kept or lost, not both. */
	log->counts.lost += 2 * (log->count - limit);
	log->counts.events -= 2 * (log->count - limit);
	log->count = limit;
	log->closed_ns = log->pairs[limit].begin > log->started_ns ? log->pairs[limit].begin - log->started_ns : 1;
}

size_t kb_func_flagged(const struct kb_func_log *log, unsigned flags)
{
	size_t count = 0;

	for (size_t i = 0; i < log->count; i++)
		count += (log->pairs[i].flags & flags) != 0;
	return count;
}

void kb_func_log_free(struct kb_func_log *log)
{
	free(log->pairs);
	log->pairs = NULL;
	log->count = 0;
}
