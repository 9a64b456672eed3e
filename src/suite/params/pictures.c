/*
 * Pictures for people: latency over size and stride, and switches over processes and their working sets, with the caches
 * marked. Nothing is inferred from them: prefetchers of adjacent lines make two lines of one in the first, and in the second
 * a switch costs more step by step.
 */
#include "suite/params/find.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

static void label_size(char *label, size_t room, const char *before, double bytes)
{
	size_t used = (size_t)snprintf(label, room, "%s", before);
	struct kb_text text = kb_text_in(label + used, room - used);

	kb_text_size(&text, (uint64_t)bytes);
}

/* ---- latency over size and stride ------------------------------------------------------------------------ */

/* 64 first: whatever the budget leaves out, the line itself is there. Below it a stride meets each line several times, and
   pays for the first of them only. */
static const double strides[] = { 64, 16, 256, 1024, 4096 };
#define STRIDES (sizeof strides / sizeof strides[0])
static const double sizes[] = { 4096, 16384, 32768, 65536, 262144, 524288, 1048576, 2097152, 4194304, 16777216, 67108864 };

static void take_stride(void *context, const struct kb_row *row)
{
	struct kb_picture *picture = context;

	for (unsigned i = 0; i < STRIDES; i++) {
		if (strides[i] == kb_row_number(row, "stride"))
			kb_curve_add(&picture->curves[i], kb_row_number(row, "size"), kb_row_ns(row));
	}
}

/* Curves without a point have no place in the legend; those with come first already. */
static void keep_measured(struct kb_params *params, struct kb_picture *picture)
{
	while (picture->count > 0 && picture->curves[picture->count - 1].count == 0)
		picture->count--;
	if (picture->count == 0)
		params->picture_count--;
}

void kb_find_latency(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	struct kb_picture *picture = kb_params_picture(params, "size", true, "latency of a dependent load, ns, by size and stride");
	size_t count = 0;
	bool measured = true;

	while (count < sizeof sizes / sizeof sizes[0] && kb_limits_bound(&system->limits, (uint64_t)sizes[count]) >= (uint64_t)sizes[count])
		count++;
	picture->count = STRIDES;
	kb_picture_caches(picture, system);
	for (unsigned i = 0; i < STRIDES; i++) {
		char stride[32];
		const char *const fixed[] = { stride, "pages=small", NULL };
		size_t from = strides[i] < 4096 ? 0 : 2; /* a ring of one line is none */

		label_size(picture->labels[i], sizeof picture->labels[i], "stride ", strides[i]);
		snprintf(stride, sizeof stride, "stride=%.0f", strides[i]);
		if (measured && count > from && kb_prober_want_curve(prober, "mem.latency", "size", sizes + from, count - from, fixed))
			measured = kb_prober_sweep(prober, take_stride, picture);
	}
	if (!measured)
		snprintf(picture->note, sizeof picture->note, "a stride without a curve had no time; try a larger --budget");
	keep_measured(params, picture);
}

/* ---- switches over processes and working set ------------------------------------------------------------- */

static const double working_sets[] = { 0, 16384, 65536, 262144, 1048576 };
static const double processes[] = { 2, 4, 8, 16 };      /* each benchmark runs in two processes, once to count system calls */
#define SETS (sizeof working_sets / sizeof working_sets[0])
#define PROCESSES (sizeof processes / sizeof processes[0])

static void take_hop(void *context, const struct kb_row *row)
{
	kb_curve_add(context, kb_row_number(row, "processes"), kb_row_ns(row));
}

void kb_find_ring(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	struct kb_picture *picture = kb_params_picture(params, "processes", false, "a hop in a ring of processes that each sum an array, us");
	bool measured = true;
	size_t points = 0;

	picture->count = SETS;
	picture->microseconds = true;
	for (unsigned i = 0; i < SETS; i++) {
		char size[32];
		const char *const fixed[] = { size, NULL };

		if (working_sets[i] > 0)
			label_size(picture->labels[i], sizeof picture->labels[i], "array of ", working_sets[i]);
		else
			snprintf(picture->labels[i], sizeof picture->labels[i], "no array");
		snprintf(size, sizeof size, "size=%.0f", working_sets[i]);
		if (measured && kb_prober_want_curve(prober, "ctx.ring", "processes", processes, PROCESSES, fixed))
			measured = kb_prober_sweep(prober, take_hop, &picture->curves[i]);
		kb_picture_passing(picture, i, system, working_sets[i], processes[0]);
		points += picture->curves[i].count;
	}
	snprintf(picture->note, sizeof picture->note, "1, 2, 3: from here on the arrays together exceed L1d, L2, L3%s",
		 points < SETS * PROCESSES ? "; where a point is missing others ran in between, or the budget ended" : "");
	keep_measured(params, picture);
}
