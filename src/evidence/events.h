/*
 * Events by number: what counters of the processor, or of the kernel, saw around each sample. The collector has no names:
 * kbench finds the numbers (env/event_names.h) and hands them over as one word of text.
 */
#ifndef KB_EVIDENCE_EVENTS_H
#define KB_EVIDENCE_EVENTS_H

#include "types.h"
#include "base/record.h"
#include "kbench.h"

#define KB_EVENT_PREFIX "perf:"         /* of such a counter's name in records and results */
#define KB_EVENT_NAME_MAX 56            /* bytes with the null byte; with the prefix it fits a counter's name */
#define KB_EVENTS_OPEN_MAX (2 * KB_EVENTS_MAX)  /* declared ones and asked ones */

/* As perf_event_open takes it. */
struct kb_event_code {
	char name[KB_EVENT_NAME_MAX];
	uint32_t type;
	uint64_t config, config1, config2;
	bool no_user, no_kernel, no_hypervisor; /* what is not counted */
};

/* The word for the command line, "0:2:0:0:0:page-faults"; and back: 0, or -EINVAL. */
#define KB_EVENT_TEXT_MAX (KB_EVENT_NAME_MAX + 100)
void kb_event_format(char text[KB_EVENT_TEXT_MAX], const struct kb_event_code *);
int kb_event_parse(const char *text, struct kb_event_code *);

/* Whether a record's counter is an event. */
bool kb_counter_is_event(const char *counter);

/* 0 where this machine can count it, for this user; else -errno. */
int kb_event_try(const struct kb_event_code *);

/* A descriptor that counts KB_SW_FAULTS, _SWITCHES or _MIGRATIONS of this thread and its children; needs no PMU. -errno where the
   kernel refuses. */
int kb_perf_open(enum kb_counter counter);
uint64_t kb_perf_read(int fd);

struct kb_counted_event {
	struct kb_event_code code;
	int fd;
	bool lost;                      /* the counter was taken away: what it has counted is not all */
	uint64_t before, op, base;      /* the last reading; sums over samples */
};

struct kb_events { struct kb_counted_event at[KB_EVENTS_OPEN_MAX]; unsigned count; };

/* Opens one for this thread alone. What cannot be counted here is left out without a word. */
void kb_events_add(struct kb_events *, const struct kb_event_code *);

/* Around a sample, next to it: what other evidence costs must not be counted. role says where the difference goes; of
   empty clock pairs, and of warm-up, nowhere. */
void kb_events_before(struct kb_events *);
void kb_events_after(struct kb_events *, enum kb_role role, bool warm);

/* `e` lines (`eb` of base) of those that counted all the time. */
struct kb_evidence_tally;
void kb_events_report(const struct kb_events *, const struct kb_evidence_tally *op, const struct kb_evidence_tally *base,
                      struct kb_record_writer *out);

#endif
