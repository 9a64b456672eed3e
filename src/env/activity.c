/* /proc/stat and /proc/vmstat, fields by proc(5). */
#include "env/activity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The line "cpu  user nice system idle iowait irq softirq steal ..."; guest time is already inside user and nice. */
static bool read_times(const struct kb_fact_source *source, struct kb_activity *activity)
{
	char line[KB_SOURCE_LINE];
	uint64_t t[8];

	if (!kb_source_line(source, "/proc/stat", line, sizeof(line)))
		return false;
	if (sscanf(line, "cpu %" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64,
		   &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) != 8)
		return false;
	activity->total = 0;
	for (unsigned i = 0; i < 8; i++)
		activity->total += t[i];
	activity->idle = t[3] + t[4];
	activity->steal = t[7];
	return true;
}

/* Lines "name count"; the two we want stand behind some 5 KB, and the whole file has 4 to 8 KB. */
static bool read_swap(const struct kb_fact_source *source, uint64_t *pages)
{
	char text[16384];
	uint64_t in, out;

	kb_source_text(source, "/proc/vmstat", text, sizeof(text));
	const char *pswpin = strstr(text, "\npswpin "), *pswpout = strstr(text, "\npswpout ");

	if (!pswpin || !pswpout || sscanf(pswpin, " pswpin %" SCNu64, &in) != 1 ||
	    sscanf(pswpout, " pswpout %" SCNu64, &out) != 1)
		return false;
	*pages = in + out;
	return true;
}

void kb_activity_read(const struct kb_fact_source *source, struct kb_activity *activity)
{
	memset(activity, 0, sizeof(*activity));
	activity->known = read_times(source, activity);
	activity->swap_known = read_swap(source, &activity->swapped);
}

static uint64_t grown(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

struct kb_activity kb_activity_between(const struct kb_activity *before, const struct kb_activity *after)
{
	return (struct kb_activity){
		.known = before->known && after->known && after->total > before->total,
		.total = grown(before->total, after->total),
		.idle = grown(before->idle, after->idle),
		.steal = grown(before->steal, after->steal),
		.swap_known = before->swap_known && after->swap_known,
		.swapped = grown(before->swapped, after->swapped),
	};
}
