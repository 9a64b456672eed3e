/*
 * See func.h: pairing. A thread's stamps are a prefix of what it did, since a full log is closed for all; so its last open
 * entry is the exit's partner, and whatever has no partner is counted, never guessed.
 */
#include "trace/func/func.h"

#include <errno.h>
#include <stdlib.h>

/* The idle thread is one a CPU, as all of those are thread 0. */
static uint64_t thread_of(const struct kb_func_stamp *stamp)
{
	return stamp->tid ? stamp->tid : (UINT64_C(1) << 32) + stamp->cpu;
}

static int by_thread(const void *left, const void *right)
{
	const struct kb_func_stamp *a = left, *b = right;

	if (thread_of(a) != thread_of(b))
		return thread_of(a) < thread_of(b) ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	/* One reading of the clock: as a CPU wrote them. */
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static int by_begin(const void *left, const void *right)
{
	const struct kb_func_pair *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->depth > b->depth) - (a->depth < b->depth);
}

int kb_func_pair_up(struct kb_func_log *log, struct kb_func_stamp *stamps, size_t count)
{
	const struct kb_func_stamp **open = calloc(count + 1, sizeof *open);    /* entries without their exits so far */
	size_t depth = 0;

	log->count = 0;
	log->counts.events = count;
	log->counts.open = log->counts.unopened = 0;
	log->pairs = calloc(count + 1, sizeof *log->pairs);
	if (!log->pairs || !open) {
		free(open);
		return -ENOMEM;
	}
	qsort(stamps, count, sizeof *stamps, by_thread);
	for (size_t i = 0; i < count; i++) {
		const struct kb_func_stamp *stamp = &stamps[i];

		if (i > 0 && thread_of(stamp) != thread_of(stamp - 1)) {
			log->counts.open += depth;
			depth = 0;
		}
		if (!(stamp->kind & KB_FUNC_EXIT)) {
			open[depth++] = stamp;
		} else if (depth == 0) {
			log->counts.unopened++;
		} else {
			const struct kb_func_stamp *enter = open[--depth];

			log->pairs[log->count++] = (struct kb_func_pair){
				.begin = enter->ns, .ns = stamp->ns - enter->ns, .tid = stamp->tid, .cpu = stamp->cpu,
				.depth = (uint32_t)depth,
				/* Counts of two CPUs mean nothing for what lies between them; that the thread moved does. */
				.flags = enter->cpu != stamp->cpu ? KB_FLAG_MIGRATED :
					 (enter->interrupts != stamp->interrupts ? KB_FLAG_IRQ : 0) |
					 (enter->switches != stamp->switches ? KB_FLAG_SWITCH : 0),
			};
		}
	}
	log->counts.open += depth;
	qsort(log->pairs, log->count, sizeof *log->pairs, by_begin);
	free(open);
	return 0;
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

size_t kb_func_calls(const struct kb_func_log *log)
{
	return log->tallies ? log->tallies[0].count + log->tallies[1].count : log->count;
}

size_t kb_func_flagged(const struct kb_func_log *log, unsigned flags)
{
	size_t count = 0;

	if (log->tallies)
		return flags == KB_FUNC_DISTURBED ? log->tallies[1].count : 0;
	for (size_t i = 0; i < log->count; i++)
		count += (log->pairs[i].flags & flags) != 0;
	return count;
}

/* ---- logs one behind the other ------------------------------------------------------------------------------ */

void kb_func_tally_add(struct kb_func_tally *tally, const struct kb_func_tally *more)
{
	if (more->count == 0)
		return;
	if (tally->count == 0 || more->shortest < tally->shortest)
		tally->shortest = more->shortest;
	if (more->longest > tally->longest)
		tally->longest = more->longest;
	tally->count += more->count;
	tally->sum += more->sum;
	for (size_t i = 0; i < KB_FUNC_BINS; i++)
		tally->bins[i] += more->bins[i];
}

static void add_counts(struct kb_func_counts *to, const struct kb_func_counts *from)
{
	to->events += from->events;
	to->lost += from->lost;
	to->open += from->open;
	to->unopened += from->unopened;
	to->missed += from->missed;
	to->torn += from->torn;
}

static int add_calls(struct kb_func_log *log, const struct kb_func_log *later)
{
	if (later->tallies) {
		log->tallies = log->tallies ?: calloc(2, sizeof *log->tallies);
		for (int i = 0; i < 2 && log->tallies; i++)
			kb_func_tally_add(&log->tallies[i], &later->tallies[i]);
		return log->tallies ? 0 : -ENOMEM;
	}

	struct kb_func_pair *pairs = realloc(log->pairs, (log->count + later->count + 1) * sizeof *pairs);

	if (!pairs)
		return -ENOMEM;
	for (size_t i = 0; i < later->count; i++)
		pairs[log->count++] = later->pairs[i];
	log->pairs = pairs;
	return 0;
}

int kb_func_log_add(struct kb_func_log *log, const struct kb_func_log *later)
{
	if (log->started_ns == 0) {
		log->started_ns = later->started_ns;
		log->watched = later->watched;
	}
	log->watched &= later->watched;
	log->elapsed_ns += later->elapsed_ns;
	if (log->closed_ns == 0)
		log->closed_ns = later->closed_ns;
	add_counts(&log->counts, &later->counts);
	return add_calls(log, later);
}

void kb_func_log_free(struct kb_func_log *log)
{
	free(log->pairs);
	free(log->tallies);
	log->pairs = NULL;
	log->tallies = NULL;
	log->count = 0;
}
