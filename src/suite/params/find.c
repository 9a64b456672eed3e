/* See find.h: the list of parameters, and how entries are made. */
#include "suite/params/find.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "io.h"

#define LEAST_SHARE (2 * KB_S)

/* The cache comes behind those that end by themselves: what they leave sharpens it. */
const struct kb_params_finder kb_parameters[] = {
	{ "clock", kb_find_clock, 10 }, { "line", kb_find_line, 4 }, { "assoc", kb_find_assoc, 8 }, { "tlb", kb_find_tlb, 16 },
	{ "cache", kb_find_cache, 22 }, { "tlb_huge", kb_find_tlb_huge, 4 }, { "page_walk", kb_find_page_walk, 4 },
	{ "memory", kb_find_memory, 8 }, { "core", kb_find_core, 4 }, { "sharing", kb_find_sharing, 10 },
	{ "latency", kb_find_latency, 15 }, { "bandwidth", kb_find_bandwidth, 15 }, { "ring", kb_find_ring, 30 }, { 0 }
};

/* A parameter without any entry was stopped, or has no benchmark here. */
static void find(const struct kb_params_finder *parameter, struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	unsigned before = params->count, pictures = params->picture_count;

	prober->why[0] = '\0';
	prober->deadline_ns = kb_wall_ns() + prober->run.budget_ns;
	parameter->find(prober, system, params);
	if (params->count == before && params->picture_count == pictures && params->count < KB_INFERRED_MAX)
		kb_inferred_is(kb_params_add(params, parameter->name, KB_UNIT_COUNT, "%s", parameter->name), KB_MATCH_NOT, "%s",
			       prober->why[0] ? prober->why : "stopped before it was measured");
}

static bool is_named(char *const *names, const struct kb_params_finder *parameter)
{
	bool named = !names[0];

	for (; *names; names++)
		named |= strcmp(parameter->name, *names) == 0;
	return named;
}

/* A small share of little time measures nothing: up to half of what is left is better spent, and the rest goes on to the others. */
static uint64_t share_of(uint64_t left_ns, unsigned part, uint64_t whole)
{
	uint64_t share = (uint64_t)((double)left_ns * part / (double)whole), half = left_ns / 2;
	uint64_t least = half < LEAST_SHARE ? half : LEAST_SHARE;

	return share > least ? share : least;
}

void kb_parameters_find(char *const *names, struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	uint64_t seconds = 0, deadline, now = kb_wall_ns();

	for (const struct kb_params_finder *parameter = kb_parameters; parameter->name; parameter++)
		seconds += is_named(names, parameter) ? parameter->seconds : 0;
	deadline = now + (prober->run.budget_ns ? prober->run.budget_ns : seconds * KB_S);
	for (const struct kb_params_finder *parameter = kb_parameters; parameter->name && !prober->signal; parameter++) {
		if (!is_named(names, parameter))
			continue;
		now = kb_wall_ns();
		prober->run.budget_ns = share_of(now < deadline ? deadline - now : 0, parameter->seconds, seconds);
		find(parameter, prober, system, params);
		seconds -= parameter->seconds;
	}
}

struct kb_inferred *kb_params_add(struct kb_params *params, const char *parameter, enum kb_unit unit, const char *format, ...)
{
	unsigned at = params->count < KB_INFERRED_MAX ? params->count++ : KB_INFERRED_MAX - 1;
	struct kb_inferred *inferred = &params->inferred[at];
	va_list arguments;

	*inferred = (struct kb_inferred){ .unit = unit, .match = KB_MATCH_ALONE };
	snprintf(inferred->parameter, sizeof inferred->parameter, "%s", parameter);
	va_start(arguments, format);
	vsnprintf(inferred->name, sizeof inferred->name, format, arguments);
	va_end(arguments);
	return inferred;
}

struct kb_picture *kb_params_picture(struct kb_params *params, const char *axis, bool sizes, const char *title)
{
	unsigned at = params->picture_count < KB_PICTURES_MAX ? params->picture_count++ : KB_PICTURES_MAX - 1;
	struct kb_picture *picture = &params->pictures[at];

	memset(picture, 0, sizeof *picture);
	picture->sizes = sizes;
	snprintf(picture->axis, sizeof picture->axis, "%s", axis);
	snprintf(picture->title, sizeof picture->title, "%s", title);
	return picture;
}

double kb_cache_bytes(const struct kb_system *system, unsigned level)
{
	if (level < 1 || level > KB_SYSTEM_CACHES)
		return 0;
	if (system->cache[level - 1].bytes)
		return (double)system->cache[level - 1].bytes;
	return (double)(system->processor[level - 1].bytes ? system->processor[level - 1].bytes : system->topology[level - 1].bytes);
}

void kb_picture_curve(struct kb_picture *picture, const struct kb_curve *curve, const char *label)
{
	picture->curves[picture->count] = *curve;
	snprintf(picture->labels[picture->count], sizeof picture->labels[0], "%s", label);
	picture->count++;
}

void kb_picture_mark(struct kb_picture *picture, int curve, double x, const char *label)
{
	if (picture->mark_count == KB_PICTURE_MARKS || !(x > 0))
		return;
	struct kb_mark *mark = &picture->marks[picture->mark_count++];

	*mark = (struct kb_mark){ .x = x, .curve = curve };
	snprintf(mark->label, sizeof mark->label, "%s", label);
}

void kb_picture_caches(struct kb_picture *picture, const struct kb_system *system)
{
	for (unsigned level = 1; level <= KB_SYSTEM_CACHES; level++)
		kb_picture_mark(picture, -1, kb_cache_bytes(system, level), kb_cache_name(level));
}

/* Where two caches are passed at one point, the larger one is drawn: it is entered first. */
void kb_picture_passing(struct kb_picture *picture, unsigned which, const struct kb_system *system, double bytes, double least)
{
	const struct kb_curve *curve = &picture->curves[which];

	for (unsigned level = KB_SYSTEM_CACHES; level > 0; level--) {
		double cache = kb_cache_bytes(system, level);
		char name[2] = { (char)('0' + level), '\0' };
		size_t i = 0;

		while (i < curve->count && curve->x[i] * bytes <= cache)
			i++;
		/* Beyond it from the least on: no passing is seen. */
		if (cache > 0 && i < curve->count && least * bytes <= cache)
			kb_picture_mark(picture, (int)which, curve->x[i], name);
	}
}

void kb_picture_gaps(struct kb_picture *picture, unsigned which, const double *wanted, size_t count, const char *why)
{
	struct kb_gaps *gaps = &picture->gaps[which];

	for (size_t i = 0; i < count && gaps->count < KB_GAPS_MAX; i++) {
		if (!(kb_curve_at(&picture->curves[which], wanted[i]) > 0))
			gaps->x[gaps->count++] = wanted[i];
	}
	snprintf(gaps->why, sizeof gaps->why, "%s", why[0] ? why : "others ran in between");
}

void kb_inferred_system(struct kb_inferred *inferred, double low, double high, const char *source)
{
	if (!(high > 0))
		return;
	if (low == high) {
		kb_inferred_claim(inferred, low, source);
		return;
	}
	inferred->system = (struct kb_inferred_value){ .known = true, .low = low, .high = high };
	snprintf(inferred->source, sizeof inferred->source, "%s", source);
}

/* span: distance of two lines of one set, sets x line. */
static double part_of(uint64_t bytes, unsigned ways, unsigned line, enum kb_cache_part part)
{
	const double parts[] = {
		[KB_CACHE_BYTES] = (double)bytes, [KB_CACHE_WAYS] = ways, [KB_CACHE_LINE] = line,
		[KB_CACHE_SPAN] = ways ? (double)bytes / ways : 0,
	};

	return parts[part];
}

void kb_inferred_cache(struct kb_inferred *inferred, const struct kb_system *system, unsigned level, enum kb_cache_part part)
{
	if (level < 1 || level > KB_SYSTEM_CACHES)
		return;
	const struct kb_system_cache *cache = &system->cache[level - 1];
	const struct kb_arch_cache *processor = &system->processor[level - 1];
	const struct kb_topology_cache *topology = &system->topology[level - 1];

	kb_inferred_claim(inferred, part_of(cache->bytes, cache->ways, cache->line, part), "sysfs");
	kb_inferred_claim(inferred, part_of(processor->bytes, processor->ways, processor->line, part), processor->source);
	kb_inferred_claim(inferred, part_of(topology->bytes, topology->ways, topology->line, part), "hwloc");
}

void kb_inferred_is(struct kb_inferred *inferred, enum kb_match match, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(inferred->why, sizeof inferred->why, format, arguments);
	va_end(arguments);
	inferred->match = match;
	inferred->value.known = inferred->value.known && match != KB_MATCH_NOT;
}

void kb_range_widen(struct kb_range *range, const struct kb_row *row)
{
	double ns = kb_row_ns(row);

	if (!(ns > 0))
		return;
	range->low = range->count ? fmin(range->low, ns) : ns;
	range->high = fmax(range->high, ns);
	range->bytes = (double)row->result.bytes_per_op;
	range->count++;
}

void kb_range_put(struct kb_inferred *inferred, double low, double high, double best, unsigned sweeps)
{
	inferred->value = kb_inferred_between(low, high, best);
	snprintf(inferred->confidence, sizeof inferred->confidence, "range of %u sweep%s", sweeps, sweeps == 1 ? "" : "s");
}

struct kb_inferred_value kb_inferred_between(double low, double high, double best)
{
	return (struct kb_inferred_value){ .known = true, .low = low, .high = high, .value = best };
}

const char *kb_cache_name(unsigned level)
{
	static const char *const names[] = { "L1d", "L2", "L3", "L4" };

	return level >= 1 && level <= 4 ? names[level - 1] : "L?";
}
