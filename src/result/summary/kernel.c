/* See kernel.h. As in the kernel nothing is subtracted, and disturbed operations count, too: they happened. */
#include "result/summary/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order_statistics.h"
#include "base/text.h"
#include "lacking.h"

struct ticks { uint64_t *at; size_t count; };

static int take(struct ticks *ticks, const struct kb_points *points)
{
	uint64_t *grown = reallocarray(ticks->at, ticks->count + points->count + 1, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	ticks->at = grown;
	for (size_t i = 0; i < points->count; i++) {
		if (points->n[i] == 1)
			ticks->at[ticks->count++] = (uint64_t)points->ticks[i];
	}
	return 0;
}

bool kb_kernel_has_summary(const struct kb_result *result)
{
	return strncmp(result->benchmark, "kernel.", 7) == 0;
}

const char *kb_kernel_summary(const struct kb_result *result, const struct kb_process_text *texts, size_t count, bool graph)
{
	static char buffer[8192];
	struct kb_text text = kb_text_in(buffer, sizeof buffer);
	struct ticks ticks = { NULL, 0 };
	struct kb_order_statistics order;
	unsigned unread = 0;

	for (size_t i = 0; kb_kernel_has_summary(result) && i < count; i++) {
		struct kb_samples samples;

		if (texts[i].process == 0)
			continue;
		/* Samples of one operation are single ones, whatever they were made for. */
		if (kb_samples_load(&samples, &texts[i]))
			unread++;
		else if (samples.state == KB_RECORD_WHOLE && !texts[i].outcome[0])
			unread += take(&ticks, &samples.single) || take(&ticks, &samples.op);
		kb_samples_free(&samples);
	}
	if (ticks.count > 0) {
		kb_order_sort(ticks.at, ticks.count, NULL);
		kb_order_compute(ticks.at, ticks.count, &order);
		text.used = (size_t)snprintf(buffer, sizeof buffer, "\n%s%s%s, single operations in ticks, clock reading included\n",
					     result->benchmark, result->params[0] ? " " : "", result->params);
		if (unread > 0)
			text.used += (size_t)snprintf(buffer + text.used, sizeof buffer - text.used, "%u left out: %s\n", unread, kb_lack(ENOMEM));
		kb_order_line(&text, &order);
		if (graph)
			kb_order_graph(&text, ticks.at, ticks.count, &order);
	}
	free(ticks.at);
	return buffer;
}
