/*
 * Pictures for people: latency and bandwidth over size and stride, and switches over processes and their working sets, with the
 * caches marked. Nothing is inferred from them: prefetchers of adjacent lines make two lines of one in the first two, and in the last
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

/* ---- memory over size and stride ------------------------------------------------------------------------- */

/* What is measured at each size and stride. 64 first: whatever the budget leaves out, the line itself is there. Below it a stride meets
   each line several times, and pays for the first of them only. */
#define STRIDES 5
struct mountain { const char *bench, *title; bool rate; double strides[STRIDES]; };

static const double sizes[] = { 4096, 16384, 32768, 65536, 262144, 524288, 1048576, 2097152, 4194304, 16777216, 67108864 };

static const struct mountain latencies = {
	"mem.latency", "latency of a dependent load, ns, by size and stride", false, { 64, 16, 256, 1024, 4096 },
}, bandwidths = {
	"mem.bw_stride", "bandwidth of independent loads of 8 bytes, GB/s, by size and stride", true, { 64, 8, 16, 256, 1024 },
};

struct taker { struct kb_picture *picture; unsigned which; };

static void take_point(void *context, const struct kb_row *row)
{
	struct taker *taker = context;

	kb_curve_add(&taker->picture->curves[taker->which], kb_row_number(row, taker->picture->axis), kb_row_ns(row));
	if (taker->picture->rate)
		taker->picture->bytes = (double)row->result.bytes_per_op;
}

static void measure_curve(struct kb_prober *prober, struct kb_picture *picture, unsigned which, const char *bench, const double *wanted,
			  size_t count, const char *const *fixed)
{
	struct taker taker = { picture, which };

	prober->why[0] = '\0';
	if (kb_prober_want_curve(prober, bench, picture->axis, wanted, count, fixed))
		kb_prober_sweep(prober, take_point, &taker);
	kb_picture_gaps(picture, which, wanted, count, prober->signal ? "stopped by a signal" : prober->why);
}

static void keep_measured(struct kb_params *params, const struct kb_picture *picture)
{
	size_t points = 0;

	for (unsigned i = 0; i < picture->count; i++)
		points += picture->curves[i].count;
	params->picture_count -= points == 0;
}

static void find_mountain(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params, const struct mountain *of)
{
	struct kb_picture *picture = kb_params_picture(params, "size", true, of->title);
	size_t count = 0;

	while (count < sizeof sizes / sizeof sizes[0] && kb_limits_bound(&system->limits, (uint64_t)sizes[count]) >= (uint64_t)sizes[count])
		count++;
	picture->count = STRIDES;
	picture->rate = of->rate;
	kb_picture_caches(picture, system);
	for (unsigned i = 0; i < STRIDES; i++) {
		char stride[32];
		const char *const fixed[] = { stride, "pages=small", NULL };
		size_t from = of->strides[i] < 4096 ? 0 : 2; /* a ring of one line is none */

		label_size(picture->labels[i], sizeof picture->labels[i], "stride ", of->strides[i]);
		snprintf(stride, sizeof stride, "stride=%.0f", of->strides[i]);
		if (count > from)
			measure_curve(prober, picture, i, of->bench, sizes + from, count - from, fixed);
	}
	keep_measured(params, picture);
}

void kb_find_latency(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	find_mountain(prober, system, params, &latencies);
}

void kb_find_bandwidth(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	find_mountain(prober, system, params, &bandwidths);
}

/* ---- switches over processes and working set ------------------------------------------------------------- */

static const double working_sets[] = { 0, 16384, 65536, 262144, 1048576 };
static const double processes[] = { 2, 3, 4, 6, 8, 10, 12, 16, 20 };    /* each benchmark runs in two processes, once to count system calls */
#define SETS (sizeof working_sets / sizeof working_sets[0])
#define PROCESSES (sizeof processes / sizeof processes[0])

void kb_find_ring(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	struct kb_picture *picture = kb_params_picture(params, "processes", false, "a hop in a ring of processes that each sum an array, us");

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
		measure_curve(prober, picture, i, "ctx.ring", processes, PROCESSES, fixed);
		kb_picture_passing(picture, i, system, working_sets[i], processes[0]);
	}
	snprintf(picture->note, sizeof picture->note, "1, 2, 3: from here on the arrays together exceed L1d, L2, L3");
	keep_measured(params, picture);
}
