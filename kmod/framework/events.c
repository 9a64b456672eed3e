// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Counters around samples. The functions of the kernel that read one may sleep; a thread may ask its own counter without. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "framework/events.h"

#define NO_USER 1u
#define NO_KERNEL 2u
#define NO_HYPERVISOR 4u

int kb_events_add(struct kb_kernel_events *events, char *text)
{
	struct kb_kernel_event *event = &events->at[events->count];
	unsigned long long config, config1, config2;
	unsigned type, without;
	int end = 0;

	if (events->count == KB_KERNEL_EVENTS)
		return -ENOSPC;
	if (sscanf(text, "%x:%llx:%llx:%llx:%x:%n", &type, &config, &config1, &config2, &without, &end) != 5 || end == 0 || !text[end] ||
	    strlen(text + end) >= sizeof event->name || strpbrk(text + end, " \t\""))
		return -EINVAL;
	*event = (struct kb_kernel_event){
		.attr = {
			.size = sizeof event->attr, .type = type, .config = config, .config1 = config1, .config2 = config2, .pinned = 1,
			.exclude_user = !!(without & NO_USER), .exclude_kernel = !!(without & NO_KERNEL), .exclude_hv = !!(without & NO_HYPERVISOR),
		},
	};
	strscpy(event->name, text + end, sizeof event->name);
	events->count++;
	return 0;
}

void kb_events_open(struct kb_kernel_events *events)
{
	for (unsigned i = 0; i < events->count; i++) {
		struct perf_event *event = perf_event_create_kernel_counter(&events->at[i].attr, -1, current, NULL, NULL);

		events->at[i].event = IS_ERR(event) ? NULL : event;
	}
}

void kb_events_close(struct kb_kernel_events *events)
{
	for (unsigned i = 0; i < events->count; i++) {
		if (events->at[i].event)
			perf_event_release_kernel(events->at[i].event);
	}
	events->count = 0;
}

static u64 read_own(struct kb_kernel_event *counted)
{
	struct perf_event *event = counted->event;
	unsigned long flags;
	u64 value;

	local_irq_save(flags);
	if (event->oncpu == raw_smp_processor_id())
		event->pmu->read(event);
	else
		counted->lost = true;
	value = local64_read(&event->count);
	local_irq_restore(flags);
	return value;
}

void kb_events_before(struct kb_kernel_events *events)
{
	for (unsigned i = 0; i < events->count; i++) {
		if (events->at[i].event)
			events->at[i].before = read_own(&events->at[i]);
	}
}

/* In the other order, so that each is as far from the sample on either side. */
void kb_events_after(struct kb_kernel_events *events, bool base)
{
	for (unsigned i = events->count; i-- > 0;) {
		struct kb_kernel_event *event = &events->at[i];

		if (event->event)
			*(base ? &event->base : &event->op) += read_own(event) - event->before;
	}
}

void kb_events_report(const struct kb_kernel_events *events, struct kb_record_writer *out, bool base, u64 operations, u64 samples)
{
	for (unsigned i = 0; i < events->count && samples > 0; i++) {
		const struct kb_kernel_event *event = &events->at[i];
		struct kb_evidence line = {
			.who = "self", .base = base, .count = base ? event->base : event->op, .operations = operations, .samples = samples,
		};

		if (!event->event || event->lost)
			continue;
		scnprintf(line.counter, sizeof line.counter, "perf:%s", event->name);
		kb_record_evidence(out, &line);
	}
}
