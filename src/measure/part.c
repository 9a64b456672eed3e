/*
 * Points that an operation marks inside itself, so that a contention probe stands at the ends of each part of it. What a probe takes,
 * and what is stored of it, lies between two readings and is in no part. A child of the operation may mark points, too.
 */
#include "measure/measure.h"

_Static_assert(KB_PARTS == KB_PARTS_MAX, "what a benchmark may end, a record holds");

/* The first store may fault in a child, so it comes behind the first reading. */
void kb_measure_part(struct kb_measure *measure)
{
	struct kb_marks *marks = measure->marks;

	if (!marks || !marks->armed || marks->count + 1 >= marks->most)
		return;
	uint64_t start, stop = measure->clock->end();
	struct kb_stop *mark = &marks->at[marks->count++];

	mark->stop = stop;
	measure->probing = true;
	mark->probe = kb_contention_probe(measure->clock, measure->loops, &start);
	measure->probing = false;
	mark->resume = measure->clock->begin();
}

/* Where the samples have several n, what a point costs in addition to its probe would be in the slope. */
void kb_marks_begin(struct kb_measure *measure, const struct kb_block *block)
{
	struct kb_marks *marks = measure->marks;

	if (!marks)
		return;
	marks->samples = block->probe > 0 && measure->run->bench->method != KB_PAIRED ? 0 : KB_MARKED_MAX;
	for (unsigned i = 0; i < block->count; i++) {
		if (block->steps[i].kind == KB_STEP_OP && block->steps[i].n != 1)
			marks->samples = KB_MARKED_MAX;
	}
}

void kb_marks_arm(struct kb_measure *measure, const struct kb_obs *obs)
{
	struct kb_marks *marks = measure->marks;

	if (!marks)
		return;
	marks->count = 0;
	marks->armed = obs->role == KB_ROLE_OP && marks->samples < KB_MARKED_MAX;
}

/* What the sample took without its probes, and part by part. A clock that stepped back is told by the sum. */
void kb_marks_take(struct kb_measure *measure, uint64_t start, struct kb_obs *obs)
{
	struct kb_marks *marks = measure->marks;

	if (!marks || !marks->armed)
		return;
	marks->armed = false;
	if (marks->count == 0)
		return;
	struct kb_part *parts = &marks->parts[marks->samples++ * KB_PARTS_MAX];
	uint64_t last = start + obs->ticks;

	obs->ticks = 0;
	for (unsigned i = 0; i <= marks->count; i++) {
		uint64_t from = i > 0 ? marks->at[i - 1].resume : start, to = i < marks->count ? marks->at[i].stop : last;

		parts[i] = (struct kb_part){ to - from, i < marks->count ? marks->at[i].probe : 0 };
		obs->ticks += parts[i].ticks;
	}
	obs->parts = parts;
	obs->part_count = marks->count + 1;
}
