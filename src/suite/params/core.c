/*
 * Other CPUs: how far a line has to go between two of them, by pairs, and which caches they share. Both are asked of time and
 * held against the topology, which a hypervisor makes up: which cores its CPUs are, it decides anew whenever it likes.
 */
#include "suite/params/find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "env/cpulist.h"
#include "suite/params/pairs.h"

#define ROUNDS 3

static enum kb_kin kin_of(const void *context, unsigned a, unsigned b)
{
	return kb_topology_kin(context, a, b);
}

/* One sweep of one pair; CPUs are those of the prober again afterwards. */
static bool sweep_pair(struct kb_prober *prober, const struct kb_cpu_pair *pair, kb_prober_take *take, void *context)
{
	struct kb_cpus before = prober->run.cpus;

	prober->run.cpus = (struct kb_cpus){ .measure = pair->a, .other = pair->b, .two = true, .maybe_sibling = before.maybe_sibling };

	bool measured = kb_prober_sweep(prober, take, context);

	prober->run.cpus = before;
	return measured;
}

/* ---- distance -------------------------------------------------------------------------------------------- */

static void take_trip(void *context, const struct kb_row *row)
{
	struct kb_cpu_pair *pair = context;
	double ns = kb_row_ns(row);

	if (!(ns > 0))
		return;
	pair->low = pair->low > 0 ? fmin(pair->low, ns) : ns;
	pair->high = fmax(pair->high, ns);
}

/* One entry a kin: the range over its pairs. */
static void put_kin(struct kb_params *params, const struct kb_cpu_pair *pairs, unsigned count, enum kb_kin kin, unsigned rounds)
{
	double low = INFINITY, high = 0;
	unsigned members = 0, last = 0;

	for (unsigned i = 0; i < count; i++) {
		if (pairs[i].kin != kin || !(pairs[i].low > 0))
			continue;
		low = fmin(low, pairs[i].low);
		high = fmax(high, pairs[i].high);
		members++;
		last = i;
	}
	if (!members)
		return;
	struct kb_inferred *trip = members == 1 ?
		kb_params_add(params, "core", KB_UNIT_NS, "line CPU %u-%u and back", pairs[last].a, pairs[last].b) :
		kb_params_add(params, "core", KB_UNIT_NS, "line and back, %s", kb_kin_name(kin));

	kb_range_put(trip, low, high, low, rounds);
	snprintf(trip->confidence, sizeof trip->confidence, "range of %u pair%s, %u sweeps each", members, members == 1 ? "" : "s", rounds);
	kb_inferred_is(trip, trip->match, "by hwloc the nearest that they share is %s", kb_kin_name(kin));
}

static unsigned kins_of(const struct kb_cpu_pair *pairs, unsigned count)
{
	unsigned seen = 0, kins = 0;

	for (unsigned i = 0; i < count; i++) {
		kins += pairs[i].low > 0 && pairs[i].kin != KB_KIN_UNKNOWN && !(seen >> pairs[i].kin & 1);
		seen |= 1u << pairs[i].kin;
	}
	return kins;
}

static void put_distances(struct kb_params *params, const struct kb_system *system, const struct kb_cpu_pair *pairs, unsigned count,
                          unsigned rounds)
{
	struct kb_inferred *distances = kb_params_add(params, "core", KB_UNIT_COUNT, "distances between CPUs");
	unsigned distance[KB_PAIRS_MAX], found = kb_pairs_distances(pairs, count, distance);
	const char *host = kb_system_is_guest(system) ? "; the hypervisor decides which cores they are" : "";
	enum kb_kin kin = KB_KIN_UNKNOWN;

	kb_inferred_claim(distances, kins_of(pairs, count), "hwloc");
	distances->value = kb_inferred_between(found, found, found);
	snprintf(distances->confidence, sizeof distances->confidence, "%u pair%s, %u sweeps each", count, count == 1 ? "" : "s", rounds);
	switch (kb_pairs_judge(pairs, count, &kin)) {
	case KB_PAIRS_FIT:
		distances->match = distances->system.known ? KB_MATCH_AGREE : KB_MATCH_ALONE;
		if (distances->system.known && distances->system.low > found)
			kb_inferred_is(distances, distances->match, "in the order of the topology, but some of its kinds cost the same");
		break;
	case KB_PAIRS_SPLIT:
		distances->match = KB_MATCH_DISAGREE;
		kb_inferred_is(distances, distances->match, "CPUs that share %s are at several distances%s", kb_kin_name(kin), host);
		break;
	case KB_PAIRS_REVERSED:
		distances->match = KB_MATCH_DISAGREE;
		kb_inferred_is(distances, distances->match,
			       "CPUs that the topology calls nearer than those of %s are farther%s", kb_kin_name(kin), host);
		break;
	case KB_PAIRS_TOO_FEW:
		kb_inferred_is(distances, KB_MATCH_UNVERIFIED, "one pair of CPUs: nothing to compare its distance with%s", host);
	}
}

void kb_find_core(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	static const char *const store[] = { "by=store", NULL };
	struct kb_cpu_pair pairs[KB_PAIRS_MAX];
	const unsigned both[] = { prober->run.cpus.measure, prober->run.cpus.other };
	unsigned count = prober->cpu_count > 1 ? kb_pairs_choose(prober->cpus, prober->cpu_count, kin_of, system->hwloc, pairs) :
			 prober->run.cpus.two ? kb_pairs_choose(both, 2, kin_of, system->hwloc, pairs) : 0;
	unsigned rounds = 0, measured = 0;

	if (count == 0) {
		kb_inferred_is(kb_params_add(params, "core", KB_UNIT_NS, "line to another CPU"), KB_MATCH_NOT,
			       "needs two CPUs; give more with --cpus");
		return;
	}
	/* Rounds outside: what disturbs one pair for a while does not spoil all its sweeps. */
	for (; rounds < ROUNDS && (rounds == 0 || kb_prober_has(prober, 0)); rounds++) {
		for (unsigned i = 0; i < count; i++) {
			if (kb_prober_want(prober, "core.transfer", store))
				sweep_pair(prober, &pairs[i], take_trip, &pairs[i]);
		}
	}
	for (unsigned i = 0; i < count; i++)
		measured += pairs[i].low > 0;
	if (!measured)
		return;
	for (enum kb_kin kin = 0; kin < KB_KINS; kin++)
		put_kin(params, pairs, count, kin, rounds);
	put_distances(params, system, pairs, count, rounds);
}

/* ---- shared caches --------------------------------------------------------------------------------------- */

#define CONTROL_BYTES 4096.0
#define BEYOND 2                /* times the cache: a ring in which each block comes again when it is long gone */
#define LEVEL_SEEN 1.5          /* so much faster than beyond must the ring be alone, or there is no level to disturb */
#define FALSE_SHARING 1.5       /* times slower in one line: below, both CPUs write into one first cache */
#define SMALL_SIZE (256.0 * 1024)
#define LARGE_SIZE (4.0 * 1048576)

/* size: of the ring; 0: not chosen yet. The partner reads as much as the whole cache. */
struct level { double bytes, size; struct kb_curve rings; struct kb_range alone, beside; };

static void take_ring(void *context, const struct kb_row *row)
{
	kb_curve_add(context, kb_row_number(row, "size"), kb_row_ns(row));
}

static void take_level(void *context, const struct kb_row *row)
{
	struct level *level = context;

	kb_range_widen(kb_row_number(row, "beside") > CONTROL_BYTES ? &level->beside : &level->alone, row);
}

static const char *pages_of(const struct level *level)
{
	return level->bytes > SMALL_SIZE ? "pages=huge" : "pages=small";
}

/* The largest ring that lies in this cache when no other ring disturbs it: strangers may use a part. Half of the cache at most. A
   ring much smaller than what they leave comes round so often that nothing displaces it; so the largest, not the safest. */
static void choose_ring(struct kb_prober *prober, const struct kb_cpu_pair *pair, struct level *level)
{
	const double parts[] = { level->bytes / 16, level->bytes / 8, level->bytes / 2, level->bytes * BEYOND };

	prober->thorough = level->bytes > LARGE_SIZE;
	if (kb_prober_want_curve(prober, "mem.latency", "size", parts, 4, (const char *const[]){ pages_of(level), NULL }))
		sweep_pair(prober, pair, take_ring, &level->rings);
	prober->thorough = false;

	double beyond = kb_curve_at(&level->rings, parts[3]);

	for (int i = 0; i < 3; i++) {
		double alone = kb_curve_at(&level->rings, parts[i]);

		if (alone > 0 && alone * LEVEL_SEEN < beyond)
			level->size = parts[i];
	}
}

static void sweep_level(struct kb_prober *prober, const struct kb_cpu_pair *pair, struct level *level)
{
	const double sets[] = { CONTROL_BYTES, level->bytes };
	char size[32];
	const char *const fixed[] = { size, pages_of(level), NULL };

	snprintf(size, sizeof size, "size=%.0f", level->size);
	prober->thorough = level->bytes > LARGE_SIZE;
	if (kb_prober_want_curve(prober, "param.sharing", "beside", sets, 2, fixed))
		sweep_pair(prober, pair, take_level, level);
	prober->thorough = false;
}

/* What sysfs reports: the list of CPUs of the cache. hwloc has its own. */
static void put_words(struct kb_inferred *entry, const struct kb_system *system, unsigned k, const struct kb_cpu_pair *pair, bool *known,
                      bool *shared)
{
	const char *lists[] = { system->cache[k].cpus, system->topology[k].cpus };
	const char *const names[] = { "sysfs", "hwloc" };
	char text[120] = "";

	*known = *shared = false;
	for (int i = 0; i < 2; i++) {
		size_t used = strlen(text);

		/* Lists are those of the CPU that measures. */
		if (!lists[i][0] || !kb_cpulist_has(lists[i], pair->a))
			continue;
		snprintf(text + used, sizeof text - used, "%s%s: of CPU %s", used ? ", " : "", names[i], lists[i]);
		if (!*known)
			*shared = kb_cpulist_has(lists[i], pair->b);
		*known = true;
	}
	kb_inferred_is(entry, entry->match, "%s", *known ? text : "the system does not report which CPUs share it");
}

static void explain_shared(struct kb_inferred *entry, const struct kb_system *system, bool seen)
{
	const char *host = kb_system_is_guest(system) ? ", whatever the hypervisor reports" : "";
	char before[120];

	snprintf(before, sizeof before, "%.119s", entry->why);
	kb_inferred_is(entry, entry->match, "%s; %s%s", before, seen ? "the other CPU empties it, so both share it" :
		       "the other CPU does not disturb it, so it is not shared, or larger than reported", host);
}

static void put_level(const struct kb_prober *prober, struct kb_params *params, const struct kb_system *system,
                      const struct kb_cpu_pair *pair, const struct level *level, unsigned k)
{
	struct kb_inferred *entry = kb_params_add(params, "sharing", KB_UNIT_RATIO, "%s alongside CPU %u: x", kb_cache_name(k + 1), pair->b);
	bool known, shared;

	if (!level->alone.count || !level->beside.count) {
		kb_inferred_is(entry, KB_MATCH_NOT,
			       "%s", prober->why[0] ? prober->why : level->rings.count ? "a sixteenth of it is nearly as slow as twice "
			       "its size: others in it leave nothing to disturb" : "memory limits leave no room for twice its size");
		return;
	}
	kb_range_put(entry, level->beside.low / level->alone.high, level->beside.high / level->alone.low, level->beside.low / level->alone.low,
		     level->beside.count);
	put_words(entry, system, k, pair, &known, &shared);

	enum kb_shared seen = kb_shared_infer(entry->value.low, entry->value.value);

	entry->match = !known ? KB_MATCH_ALONE : (seen == KB_SHARED_YES) == shared ? KB_MATCH_AGREE : KB_MATCH_DISAGREE;
	if (entry->match == KB_MATCH_DISAGREE)
		explain_shared(entry, system, seen == KB_SHARED_YES);
	if (seen == KB_SHARED_YES && level->beside.count < ROUNDS)
		kb_inferred_is(entry, KB_MATCH_UNVERIFIED, "slowed down in %u of %u rounds only, which others may have done: the budget ended",
			       level->beside.count, ROUNDS);
	if (seen == KB_SHARED_UNSURE)
		kb_inferred_is(entry, KB_MATCH_UNVERIFIED,
			       "sometimes slowed down by the other CPU and sometimes not: others disturb this cache, too");
}

/* A level after the other, small ones first: what the budget does not suffice for is the last one's sweeps. */
static void find_levels(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params, const struct kb_cpu_pair *pair)
{
	for (unsigned k = 0; k < KB_SYSTEM_CACHES; k++) {
		struct level level = { .bytes = kb_cache_bytes(system, k + 1) };
		double beyond = level.bytes * BEYOND;

		if (!(level.bytes > 0))
			continue;
		prober->why[0] = '\0';
		/* Twice: a process without steady state has no value. */
		for (int i = 0; i < 2 && !(level.size > 0) && (double)kb_limits_bound(&system->limits, (uint64_t)beyond) >= beyond; i++)
			choose_ring(prober, pair, &level);
		for (unsigned round = 0; round < ROUNDS && level.size > 0; round++)
			sweep_level(prober, pair, &level);
		put_level(prober, params, system, pair, &level, k);
	}
}

/* ---- shared lines ---------------------------------------------------------------------------------------- */

static void take_writers(void *context, const struct kb_row *row)
{
	kb_range_widen((struct kb_range *)context + kb_row_is(row, "layout", "padded"), row);
}

/* CPUs of one core write into the same first cache: then no line has to move, whatever the layout. */
static void find_writers(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params, const struct kb_cpu_pair *pair)
{
	static const char *const sets[] = { "threads=2", NULL };
	struct kb_range layout[2] = { { .count = 0 }, { .count = 0 } };
	struct kb_inferred *loss;

	for (unsigned round = 0; round < ROUNDS; round++) {
		if (kb_prober_want(prober, "core.false_sharing", sets))
			sweep_pair(prober, pair, take_writers, layout);
	}
	if (!layout[0].count || !layout[1].count)
		return;

	const struct kb_range *one = &layout[0], *own = &layout[1];
	bool known, siblings;

	loss = kb_params_add(params, "sharing", KB_UNIT_RATIO, "two writers, one line: x");
	kb_range_put(loss, one->low / own->high, one->high / own->low, one->low / own->low, one->count);
	put_words(loss, system, 0, pair, &known, &siblings);
	loss->match = !known ? KB_MATCH_ALONE : siblings == (loss->value.value < FALSE_SHARING) ? KB_MATCH_AGREE : KB_MATCH_DISAGREE;
	if (loss->match == KB_MATCH_DISAGREE)
		kb_inferred_is(loss, loss->match,
			       "%s", loss->value.value < FALSE_SHARING ? "no line moves: these CPUs are siblings of one core, "
			       "whatever the topology reports" : "a line moves: these CPUs are no siblings");
}

void kb_find_sharing(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	struct kb_cpu_pair pair = { .a = prober->run.cpus.measure, .b = prober->run.cpus.other };

	if (!prober->run.cpus.two) {
		kb_inferred_is(kb_params_add(params, "sharing", KB_UNIT_RATIO, "caches of two CPUs"), KB_MATCH_NOT,
			       "needs two CPUs; give more with --cpus");
		return;
	}
	uint64_t deadline = prober->deadline_ns;

	/* Levels take most of the time; what they leave is the writers'. */
	prober->deadline_ns -= prober->run.budget_ns / 5;
	find_levels(prober, system, params, &pair);
	prober->deadline_ns = deadline;
	find_writers(prober, system, params, &pair);
}
