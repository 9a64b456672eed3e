/* What varies by itself. Told for the record, and never part of the class. */
#include "env/gather.h"

#include <stdio.h>
#include <string.h>

#include "env/activity.h"

void kb_gather_moment(struct kb_gather *gather)
{
	char line[KB_SOURCE_LINE], steal[32] = "";
	struct kb_activity boot;

	bool read = kb_source_line(gather->source, "/proc/loadavg", line, sizeof(line));

	line[strcspn(line, " ")] = 0;
	kb_gather_fact(gather, "load1", read ? line : NULL, KB_PASSING);
	kb_activity_read(gather->source, &boot);
	if (boot.known && boot.total)
		snprintf(steal, sizeof(steal), "%.2f%%", 100.0 * (double)boot.steal / (double)boot.total);
	kb_gather_fact(gather, "steal", steal, KB_PASSING);
}
