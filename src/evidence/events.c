/*
 * Pinned counters: one that had to share the processor's counter with another would be an extrapolation. Not inherited:
 * the kernel would copy them at every fork, and fork is what some benchmarks measure.
 */
#define _GNU_SOURCE
#include "evidence/events.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "evidence/evidence.h"

/* ---- as text ------------------------------------------------------------------------------------- */

/* The name comes last: it may have colons of its own. */
void kb_event_format(char text[KB_EVENT_TEXT_MAX], const struct kb_event_code *code)
{
	unsigned exclude = (unsigned)(code->no_user | code->no_kernel << 1 | code->no_hypervisor << 2);

	snprintf(text, KB_EVENT_TEXT_MAX, "%" PRIx32 ":%" PRIx64 ":%" PRIx64 ":%" PRIx64 ":%x:%s", code->type, code->config,
	         code->config1, code->config2, exclude, code->name);
}

int kb_event_parse(const char *text, struct kb_event_code *code)
{
	unsigned exclude = 0;
	int end = 0;

	*code = (struct kb_event_code){ .name = "" };
	if (sscanf(text, "%" SCNx32 ":%" SCNx64 ":%" SCNx64 ":%" SCNx64 ":%x:%n", &code->type, &code->config, &code->config1,
	           &code->config2, &exclude, &end) != 5 || end == 0)
		return -EINVAL;
	size_t length = strlen(text + end);

	if (length == 0 || length >= sizeof code->name || strpbrk(text + end, " \t\n\""))
		return -EINVAL;
	memcpy(code->name, text + end, length + 1);
	code->no_user = exclude & 1;
	code->no_kernel = exclude >> 1 & 1;
	code->no_hypervisor = exclude >> 2 & 1;
	return 0;
}

bool kb_counter_is_event(const char *counter)
{
	return strncmp(counter, KB_EVENT_PREFIX, strlen(KB_EVENT_PREFIX)) == 0;
}

/* ---- counting ------------------------------------------------------------------------------------ */

static int open_perf(struct perf_event_attr *attr)
{
	long fd = syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int open_event(const struct kb_event_code *code)
{
	struct perf_event_attr attr = {
		.type = code->type, .size = sizeof attr, .config = code->config, .config1 = code->config1, .config2 = code->config2,
		.exclude_user = code->no_user, .exclude_kernel = code->no_kernel, .exclude_hv = code->no_hypervisor, .pinned = 1,
	};

	return open_perf(&attr);
}

int kb_event_try(const struct kb_event_code *code)
{
	int fd = open_event(code);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Inherited: what an operation's children do is the operation's. Where perf_event_paranoid forbids them the result becomes unverified; a
   counter that cannot be opened is never one that counted nothing. */
int kb_perf_open(enum kb_counter counter)
{
	static const uint64_t event_of[KB_COUNTERS] = {
		[KB_SW_FAULTS] = PERF_COUNT_SW_PAGE_FAULTS,
		[KB_SW_SWITCHES] = PERF_COUNT_SW_CONTEXT_SWITCHES,
		[KB_SW_MIGRATIONS] = PERF_COUNT_SW_CPU_MIGRATIONS,
	};
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = event_of[counter], .inherit = 1 };

	return open_perf(&attr);
}

uint64_t kb_perf_read(int fd)
{
	uint64_t count = 0;

	return read(fd, &count, sizeof count) == (ssize_t)sizeof count ? count : 0;
}

void kb_events_add(struct kb_events *events, const struct kb_event_code *code)
{
	int fd = events->count < KB_EVENTS_OPEN_MAX ? open_event(code) : -ENOSPC;

	if (fd >= 0)
		events->at[events->count++] = (struct kb_counted_event){ .code = *code, .fd = fd };
}

/* A pinned counter that lost its place reads as end of file, for ever. */
static uint64_t read_event(struct kb_counted_event *event)
{
	uint64_t count = 0;

	if (read(event->fd, &count, sizeof count) != (ssize_t)sizeof count)
		event->lost = true;
	return count;
}

void kb_events_before(struct kb_events *events)
{
	for (unsigned i = 0; i < events->count; i++)
		events->at[i].before = read_event(&events->at[i]);
}

void kb_events_after(struct kb_events *events, enum kb_role role, bool warm)
{
	uint64_t counted[KB_EVENTS_OPEN_MAX];

	/* All are read before anything is done with one: the last one's count must not hold the others' work. */
	for (unsigned i = 0; i < events->count; i++)
		counted[i] = read_event(&events->at[i]) - events->at[i].before;
	for (unsigned i = 0; i < events->count && !warm && role != KB_ROLE_CLOCK; i++)
		*(role == KB_ROLE_BASE ? &events->at[i].base : &events->at[i].op) += counted[i];
}

/* ---- reporting ----------------------------------------------------------------------------------- */

/* A sample always holds some instructions, misses and branches, those of the clock's reading. A hardware counter that
   has seen nothing in a whole process is one that a hypervisor offers and does not count; what the kernel counts itself may
   be nothing. */
static bool is_dead(const struct kb_counted_event *event)
{
	uint32_t type = event->code.type;
	bool of_kernel = type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT;

	return !of_kernel && event->op == 0 && event->base == 0;
}

void kb_events_report(const struct kb_events *events, const struct kb_evidence_tally *op, const struct kb_evidence_tally *base,
                      struct kb_record_writer *out)
{
	for (unsigned i = 0; i < 2 * events->count; i++) {
		const struct kb_counted_event *event = &events->at[i / 2];
		const struct kb_evidence_tally *tally = i % 2 ? base : op;
		struct kb_evidence line = {
			.who = "self", .base = i % 2, .count = i % 2 ? event->base : event->op, .operations = tally->operations,
			.samples = tally->samples,
		};

		snprintf(line.counter, sizeof line.counter, KB_EVENT_PREFIX "%s", event->code.name);
		if (!event->lost && !is_dead(event) && (tally == op || base->samples > 0))
			kb_record_evidence(out, &line);
	}
}
