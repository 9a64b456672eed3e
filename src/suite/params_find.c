/* See params_find.h: the list of parameters, and how entries are made. */
#include "suite/params_find.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io.h"

const struct kb_parameter kb_parameters[] = {
	{ "clock", "core clock, time stamp counter, and the mhz method beside them", kb_find_clock },
	{ "cache", "sizes and latencies of the caches for data", kb_find_cache },
	{ "line", "bytes that are fetched together", kb_find_line },
	{ "assoc", "ways of the first cache", kb_find_assoc },
	{ "tlb", "pages that the translation caches hold", kb_find_tlb },
	{ "page_walk", "what a translation costs that no cache holds", kb_find_page_walk },
	{ "memory", "latency and bandwidth beyond the caches", kb_find_memory },
	{ "core", "a line to another core", kb_find_core },
	{ "sharing", "what two CPUs that write into one line lose", kb_find_sharing },
	{ 0 }
};

/* A parameter that said nothing at all was stopped, or has no benchmark here. */
void kb_parameter_find(const struct kb_parameter *parameter, struct kb_prober *prober, const struct kb_system *system,
                       struct kb_params *params)
{
	unsigned before = params->count;

	prober->why[0] = '\0';
	prober->deadline_ns = kb_wall_ns() + prober->run.budget_ns;
	parameter->find(prober, system, params);
	if (params->count == before && params->count < KB_INFERRED_MAX)
		kb_inferred_not(kb_params_add(params, parameter->name, KB_UNIT_COUNT, "%s", parameter->name), "%s",
				prober->why[0] ? prober->why : "stopped before it was measured");
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

struct kb_picture *kb_params_picture(struct kb_params *params, const char *axis, bool sizes, const char *format, ...)
{
	unsigned at = params->picture_count < KB_PICTURES_MAX ? params->picture_count++ : KB_PICTURES_MAX - 1;
	struct kb_picture *picture = &params->pictures[at];
	va_list arguments;

	memset(picture, 0, sizeof *picture);
	picture->sizes = sizes;
	snprintf(picture->axis, sizeof picture->axis, "%s", axis);
	va_start(arguments, format);
	vsnprintf(picture->title, sizeof picture->title, format, arguments);
	va_end(arguments);
	return picture;
}

void kb_inferred_system(struct kb_inferred *inferred, double low, double high, const char *source)
{
	if (!(high > 0))
		return;
	inferred->system = (struct kb_inferred_value){ .known = true, .low = low, .high = high };
	snprintf(inferred->source, sizeof inferred->source, "%s", source);
}

static void say(struct kb_inferred *inferred, const char *format, va_list arguments)
{
	vsnprintf(inferred->why, sizeof inferred->why, format, arguments);
}

void kb_inferred_why(struct kb_inferred *inferred, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(inferred, format, arguments);
	va_end(arguments);
}

void kb_inferred_not(struct kb_inferred *inferred, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(inferred, format, arguments);
	va_end(arguments);
	inferred->match = KB_MATCH_NOT;
	inferred->value.known = false;
}

void kb_inferred_unverified(struct kb_inferred *inferred, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(inferred, format, arguments);
	va_end(arguments);
	inferred->match = KB_MATCH_UNVERIFIED;
}

struct kb_inferred_value kb_inferred_between(double low, double high)
{
	return (struct kb_inferred_value){ .known = true, .low = low, .high = high };
}

const char *kb_cache_name(unsigned level)
{
	static const char *const names[] = { "L1d", "L2", "L3", "L4" };

	return level >= 1 && level <= 4 ? names[level - 1] : "L?";
}
