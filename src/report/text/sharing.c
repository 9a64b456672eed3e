/* See sharing.h. */
#include "report/text/sharing.h"

#include <math.h>
#include <stdio.h>

#include "report/text/style.h"
#include "result/json/json.h"

/* As people say it: 85 us, 1.2 ms. */
static void print_stretch(char text[32], double seconds)
{
	static const struct { double least, factor; const char *unit; } units[] = { { 1, 1, "s" }, { 1e-3, 1e3, "ms" }, { 0, 1e6, "us" } };
	unsigned i = 0;

	while (seconds < units[i].least)
		i++;
	snprintf(text, 32, "%.3g %s", seconds * units[i].factor, units[i].unit);
}

static const char *source_of(enum kb_floor_from from)
{
	static const char *const words[] = {
		[KB_FLOOR_UNKNOWN] = "not known", [KB_FLOOR_SHIPPED] = "shipped for this CPU model", [KB_FLOOR_STORED] = "from runs in the store",
		[KB_FLOOR_RUN] = "from this measurement",
	};

	return words[from];
}

/* What was seen, and what follows from it for results. */
void kb_sharing_print(const struct kb_style *style, const struct kb_sharing *sharing)
{
	char text[300], stretch[32], stretch_90[32];
	int used;

	kb_print_sentence(stdout, style, 8, "expect: %s", kb_sharing_expect(sharing));
	print_stretch(stretch, sharing->stretch);
	print_stretch(stretch_90, sharing->stretch_90);
	used = snprintf(text, sizeof text, "CPU %u for %.3g s", sharing->cpu, sharing->seconds);
	if (isfinite(sharing->stretch))
		used += snprintf(text + used, sizeof text - (size_t)used, "; uncontended stretches last %s (median), 90 %% of them up to %s",
				 stretch, stretch_90);
	if (isfinite(sharing->factor))
		snprintf(text + used, sizeof text - (size_t)used, "; a contended probe takes %.2f times as long", sharing->factor);
	kb_print_sentence(stdout, style, 8, "seen: %s", text);
	if (sharing->floor.k > 0)
		snprintf(text, sizeof text, "%.3f core cycles a loop of the contention probe, %s", sharing->floor.k, source_of(sharing->floor.from));
	kb_print_sentence(stdout, style, 8, "K: %s", sharing->floor.k > 0 ? text : "not known");
	used = snprintf(text, sizeof text, "core clock %.0f MHz, %s (%.0f to %.0f MHz)", sharing->mhz,
			kb_sharing_clock_moved(sharing) ? "it moved" : "steady", sharing->mhz_low, sharing->mhz_high);
	if (isfinite(sharing->steal))
		used += snprintf(text + used, sizeof text - (size_t)used, "; steal %.1f %%", 100 * sharing->steal);
	snprintf(text + used, sizeof text - (size_t)used, "; off the CPU %.1f %% of the time", 100 * sharing->off_cpu);
	kb_print_sentence(stdout, style, 8, "clock: %s", text);
}

json_t *kb_sharing_json(const struct kb_sharing *sharing)
{
	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:b, s:o, s:o, s:s}",
			 "cpu", kb_json_whole(sharing->cpu), "seconds", kb_json_real(sharing->seconds),
			 "k", kb_json_real(sharing->floor.k > 0 ? sharing->floor.k : NAN), "k_from", kb_floor_from_name(sharing->floor.from),
			 "clean_share", kb_json_real(sharing->clean), "usable_share", kb_json_real(sharing->usable),
			 "stretch_median_s", kb_json_real(sharing->stretch), "stretch_p90_s", kb_json_real(sharing->stretch_90),
			 "contended_factor", kb_json_real(sharing->factor),
			 "core_mhz", "value", kb_json_real(sharing->mhz), "low", kb_json_real(sharing->mhz_low),
			 "high", kb_json_real(sharing->mhz_high),
			 "clock_moved", kb_sharing_clock_moved(sharing), "steal_share", kb_json_real(sharing->steal),
			 "off_cpu_share", kb_json_real(sharing->off_cpu), "expect", kb_sharing_expect(sharing));
}
