/* Memory and other cores: rows whose value is the parameter itself. */
#include "suite/params_find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 3
#define LEAST_SIZE (64.0 * 1048576)
#define FALSE_SHARING 1.5       /* times slower in one line: below, both CPUs write into one first cache */

struct range { double low, high, bytes; unsigned count; };

static void widen(struct range *range, const struct kb_row *row)
{
	double ns = kb_row_ns(row);

	if (!(ns > 0))
		return;
	range->low = range->count ? fmin(range->low, ns) : ns;
	range->high = fmax(range->high, ns);
	range->bytes = (double)row->result.bytes_per_op;
	range->count++;
}

static void put_range(struct kb_inferred *inferred, double low, double high, double best, unsigned sweeps)
{
	inferred->value = kb_inferred_between(low, high);
	inferred->value.value = best;
	snprintf(inferred->confidence, sizeof inferred->confidence, "range of %u sweep%s", sweeps, sweeps == 1 ? "" : "s");
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

struct memory { struct range local, random, read, write; };

static void take_memory(void *context, const struct kb_row *row)
{
	struct memory *memory = context;

	if (!strcmp(row->settings.bench->name, "mem.bw_read"))
		widen(&memory->read, row);
	else if (!strcmp(row->settings.bench->name, "mem.bw_write"))
		widen(&memory->write, row);
	else
		widen(kb_row_is(row, "order", "local") ? &memory->local : &memory->random, row);
}

static void put_latency(struct kb_params *params, const struct range *range, const char *name)
{
	struct kb_inferred *latency;

	if (!range->count)
		return;
	latency = kb_params_add(params, "memory", KB_UNIT_NS, "%s", name);
	put_range(latency, range->low, range->high, range->low, range->count);
}

/* The rate is what was moved over the time; the shortest time is the highest rate. */
static void put_rate(struct kb_params *params, const struct range *range, const char *name)
{
	struct kb_inferred *rate;

	if (!range->count || !(range->bytes > 0))
		return;
	rate = kb_params_add(params, "memory", KB_UNIT_RATE, "%s", name);
	put_range(rate, range->bytes / range->high * 1e9, range->bytes / range->low * 1e9, range->bytes / range->low * 1e9, range->count);
}

void kb_find_memory(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	struct memory memory = { .local.count = 0 };
	double size = fmax(LEAST_SIZE, 4 * (double)kb_system_last_cache(system));
	char text[32];
	const char *const latency[] = { text, "order=local,random", NULL }, *const rate[] = { text, "access=pointer", NULL };

	snprintf(text, sizeof text, "size=%.0f", round(size / 1048576) * 1048576);
	for (unsigned round = 0; round < ROUNDS; round++) {
		kb_prober_want(prober, "mem.latency", latency);
		kb_prober_want(prober, "mem.bw_read", rate);
		kb_prober_want(prober, "mem.bw_write", (const char *const[]){ text, "store=nontemporal", NULL });
		kb_prober_sweep(prober, take_memory, &memory);
	}
	put_latency(params, &memory.local, "load, TLB-local");
	put_latency(params, &memory.random, "load, random pages");
	put_rate(params, &memory.read, "read bandwidth");
	put_rate(params, &memory.write, "write bandwidth, past caches");
}

/* ---- cores ----------------------------------------------------------------------------------------------- */

static void take_one(void *context, const struct kb_row *row)
{
	widen(context, row);
}

void kb_find_core(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	static const char *const none[] = { "by=store", NULL };
	struct range trip = { .count = 0 };
	struct kb_inferred *core;

	for (unsigned round = 0; round < ROUNDS; round++) {
		if (kb_prober_want(prober, "core.transfer", none))
			kb_prober_sweep(prober, take_one, &trip);
	}
	if (!trip.count)
		return;
	core = kb_params_add(params, "core", KB_UNIT_NS, "line to CPU %u and back", prober->run.cpus.other);
	put_range(core, trip.low, trip.high, trip.low, trip.count);
	if (kb_system_is_guest(system))
		kb_inferred_why(core, "which cores the two CPUs are, the hypervisor decides");
}

struct sharing { struct range layout[2]; };

static void take_sharing(void *context, const struct kb_row *row)
{
	struct sharing *sharing = context;

	widen(&sharing->layout[kb_row_is(row, "layout", "padded")], row);
}

/* CPUs of one core write into the same first cache: then no line has to move, whatever the layout. */
void kb_find_sharing(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	static const char *const sets[] = { "threads=2", NULL };
	struct sharing sharing = { .layout = { { .count = 0 } } };
	struct kb_inferred *loss;

	for (unsigned round = 0; round < ROUNDS; round++) {
		if (kb_prober_want(prober, "core.false_sharing", sets))
			kb_prober_sweep(prober, take_sharing, &sharing);
	}
	if (!sharing.layout[0].count || !sharing.layout[1].count)
		return;

	const struct range *one = &sharing.layout[0], *own = &sharing.layout[1];

	loss = kb_params_add(params, "sharing", KB_UNIT_RATIO, "two writers, one line: x");
	put_range(loss, one->low / own->high, one->high / own->low, one->low / own->low, one->count);
	kb_inferred_why(loss, system->cache[0].sharers ? "sysfs: the first cache belongs to CPU %s" : "the system does not say who shares "
			"caches", system->cache[0].cpus);
	loss->match = !system->cache[0].sharers ? KB_MATCH_ALONE :
		      (system->cache[0].sharers > 1) == (loss->value.value < FALSE_SHARING) ? KB_MATCH_AGREE : KB_MATCH_DISAGREE;
	if (loss->match == KB_MATCH_DISAGREE)
		kb_inferred_why(loss, "%s", loss->value.value < FALSE_SHARING ? "no line moves: these CPUs are siblings of one core, "
				"whatever the topology says" : "a line moves: these CPUs are no siblings");
}
