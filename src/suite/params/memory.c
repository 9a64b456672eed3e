/* Memory: benchmarks whose cost is the parameter itself, and how much of it sweeps may use. */
#include "suite/params/find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 3
#define LEAST_SIZE (64.0 * 1048576)

struct memory { struct kb_range local, random, read, write; };

static void take_memory(void *context, const struct kb_row *row)
{
	struct memory *memory = context;

	if (!strcmp(row->settings.bench->name, "mem.bw_read"))
		kb_range_widen(&memory->read, row);
	else if (!strcmp(row->settings.bench->name, "mem.bw_write"))
		kb_range_widen(&memory->write, row);
	else
		kb_range_widen(kb_row_is(row, "order", "local") ? &memory->local : &memory->random, row);
}

static void put_none(const struct kb_prober *prober, struct kb_inferred *entry)
{
	kb_inferred_is(entry, KB_MATCH_NOT, "no process gave a value: %s", prober->why[0] ? prober->why : "the budget ended before");
}

static void put_latency(const struct kb_prober *prober, struct kb_params *params, const struct kb_range *range, const char *name)
{
	struct kb_inferred *latency = kb_params_add(params, "memory", KB_UNIT_NS, "%s", name);

	if (range->count)
		kb_range_put(latency, range->low, range->high, range->low, range->count);
	else
		put_none(prober, latency);
}

/* The rate is what was moved over the time; the shortest time is the highest rate. */
static void put_rate(const struct kb_prober *prober, struct kb_params *params, const struct kb_range *range, const char *name)
{
	struct kb_inferred *rate = kb_params_add(params, "memory", KB_UNIT_RATE, "%s", name);
	double bytes = range->bytes * 1e9;

	if (range->count && bytes > 0)
		kb_range_put(rate, bytes / range->high, bytes / range->low, bytes / range->low, range->count);
	else
		put_none(prober, rate);
}

/* What was mapped, touched and measured, and what the limits leave. Sweeps stay below a quarter of that. */
static void put_limits(struct kb_params *params, const struct kb_system *system, const struct memory *memory, double size, double wanted)
{
	struct kb_inferred *room = kb_params_add(params, "memory", KB_UNIT_BYTES, "largest working set");
	const char *name;
	uint64_t lowest = kb_limits_lowest(&system->limits, &name);
	char text[160];

	kb_limits_text(&system->limits, text, sizeof text);
	if (!memory->local.count) {
		kb_inferred_is(room, KB_MATCH_NOT, "nothing of that size could be measured; %s", text);
		return;
	}
	size = floor(size / 1048576) * 1048576;
	room->value = kb_inferred_between(size, size, 0);
	snprintf(room->confidence, sizeof room->confidence, "touched without a fault in %u sweeps", memory->local.count);
	if (lowest != KB_NO_LIMIT) {
		kb_inferred_claim(room, floor((double)lowest / 1048576) * 1048576, name);
		room->match = size <= (double)lowest ? KB_MATCH_AGREE : KB_MATCH_DISAGREE;
	}
	kb_inferred_is(room, room->match, "%s%s", size < wanted ? "a quarter of what is left, smaller than wanted: " : "", text);
}

void kb_find_memory(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	struct memory memory = { .local.count = 0 };
	double wanted = fmax(LEAST_SIZE, 4 * (double)kb_system_last_cache(system));
	double size = (double)kb_limits_bound(&system->limits, (uint64_t)wanted);
	char text[32];
	const char *const latency[] = { text, "order=local,random", "pages=small", NULL };
	const char *const rate[] = { text, "access=pointer", "pages=small", NULL };

	snprintf(text, sizeof text, "size=%.0f", floor(size / 1048576) * 1048576);
	for (unsigned round = 0; round < ROUNDS; round++) {
		kb_prober_want(prober, "mem.latency", latency);
		kb_prober_want(prober, "mem.bw_read", rate);
		kb_prober_want(prober, "mem.bw_write", (const char *const[]){ text, "store=nontemporal", "pages=small", NULL });
		kb_prober_sweep(prober, take_memory, &memory);
	}
	put_latency(prober, params, &memory.local, "load, TLB-local");
	put_latency(prober, params, &memory.random, "load, random pages");
	put_rate(prober, params, &memory.read, "read bandwidth");
	put_rate(prober, params, &memory.write, "write bandwidth, past caches");
	put_limits(params, system, &memory, size, wanted);
}
