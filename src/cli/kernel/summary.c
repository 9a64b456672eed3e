/* See summary.h. As in the kernel nothing is taken off, and what was disturbed counts, too: it is what happened. */
#include "cli/kernel/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order_statistics.h"
#include "cli/print.h"
#include "result/samples.h"
#include "run/backend/kernel.h"

struct ticks { uint64_t *at; size_t count; };

static void take(struct ticks *ticks, const struct kb_points *points)
{
	uint64_t *grown = reallocarray(ticks->at, ticks->count + points->count + 1, sizeof *grown);

	if (!grown)
		return; /* the picture lacks a process */
	ticks->at = grown;
	for (size_t i = 0; i < points->count; i++) {
		if (points->n[i] == 1)
			ticks->at[ticks->count++] = (uint64_t)points->ticks[i];
	}
}

/* Samples of one operation are single ones, whatever they were made for. */
static void read_process(struct ticks *ticks, const struct kb_launch_text *text)
{
	struct kb_samples samples;

	if (kb_samples_load(&samples, text) == 0 && samples.state == KB_RECORD_WHOLE && !text->outcome[0]) {
		take(ticks, &samples.single);
		take(ticks, &samples.op);
	}
	kb_samples_free(&samples);
}

bool kb_order_is_for(const struct kb_result *result)
{
	return strncmp(result->benchmark, KB_KERNEL ".", sizeof KB_KERNEL) == 0;
}

void kb_order_print(const struct kb_result *result, const struct kb_launch_text *texts, size_t count)
{
	static char buffer[8192];
	struct kb_text text = kb_text_in(buffer, sizeof buffer);
	struct ticks ticks = { NULL, 0 };
	struct kb_order_statistics order;

	if (!kb_order_is_for(result))
		return;
	for (size_t i = 0; i < count; i++) {
		if (texts[i].launch > 0)
			read_process(&ticks, &texts[i]);
	}
	if (ticks.count > 0) {
		kb_order_sort(ticks.at, ticks.count, NULL);
		kb_order_compute(ticks.at, ticks.count, &order);
		kb_order_line(&text, &order);
		if (kb_style_here(false).utf8)
			kb_order_graph(&text, ticks.at, ticks.count, &order);
		printf("\n%s%s%s, single operations in ticks, clock reading included\n%s", result->benchmark, result->params[0] ? " " : "",
		       result->params, buffer);
	}
	free(ticks.at);
}
