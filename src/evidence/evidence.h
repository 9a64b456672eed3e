/*
 * Evidence on Linux: counters around every sample, so that a benchmark's claim can be checked, and flags for what
 * disturbed it. The probe's own cost lies between samples, never inside one.
 */
#ifndef KB_EVIDENCE_EVIDENCE_H
#define KB_EVIDENCE_EVIDENCE_H

#include "types.h"
#include "kbench.h"
#include "kbench_parties.h"
#include "base/record.h"
#include "evidence/events.h"
#include "evidence/where.h"
#include "measure/measure.h"
#include "measure/params.h"

/* Text names in the record: minflt, majflt, nvcsw ... */
const char *kb_counter_name(enum kb_counter counter);
const char *kb_who_name(enum kb_who who);

/* The rest of an `expect` line. */
void kb_expect_format(char *line, size_t room, const struct kb_expect *);
const char *kb_bound_name(enum kb_bound bound);
enum kb_bound kb_bound_find(const char *name);

/* What one reading saw; only the wanted counters are filled. */
struct kb_counts { uint64_t self[KB_COUNTERS], peer[KB_COUNTERS]; };

struct kb_evidence_tally {
	struct kb_counts counts;
	uint64_t operations, samples;
};

struct kb_linux_probe {
	const struct kb_bench *bench;
	const struct kb_settings *settings;
	uint64_t wanted;                /* bits of counters that an expectation names */
	uint64_t readable;              /* of those, what this machine can read */
	struct kb_expect found[2];      /* kb_expect: expectations beyond those of the descriptor */
	unsigned found_count;
	bool may_block;                 /* the operation sleeps or waits for another: time without CPU is its own */
	double minflt_per_op, minflt_slack;
	uint64_t ticks_per_us;          /* of the process's clock; 0: unknown */

	volatile uint64_t own[KB_COUNTERS];     /* kb_count; volatile: signal handlers write it */
	int peer_status[KB_PEERS_MAX];  /* descriptors of /proc/PID/status */
	unsigned peer_count;
	int io, stat, network;          /* descriptors of /proc files, -1 if not open */
	uint64_t shared_network;        /* the network namespace in which the process began, in which others send, too */
	uint64_t own_reads, own_chars;  /* of the probe, since it was opened */
	int perf[KB_COUNTERS];          /* perf event descriptors, -1 if not open */
	struct kb_events events;        /* none until somebody adds them */
	struct kb_lookout lookout;

	bool warm;
	uint64_t bracketed;             /* samples between `before` and `after` */
	struct kb_counts before;
	uint64_t wall_before, thread_before;
	unsigned cpu_before;
	unsigned stat_cpu;              /* whose steal the block is about: where it began */
	uint64_t steal_before, interrupts_before;
	struct kb_evidence_tally op, base;
};

/* Opens what the benchmark's expectations need. Never fails: what cannot be read is not readable. */
void kb_linux_probe_open(struct kb_linux_probe *, const struct kb_bench *, const struct kb_settings *, unsigned cpu);
void kb_linux_probe_expect(struct kb_linux_probe *, const struct kb_expect *);  /* of a source that is always open */
void kb_linux_probe_peer(struct kb_linux_probe *, int pid, unsigned cpu);        /* a partner, on that CPU */

/* The hooks for kb_measure. */
struct kb_probe kb_linux_probe_hooks(struct kb_linux_probe *);

/* Writes the `e` and `eb` lines of the process. */
void kb_linux_probe_report(const struct kb_linux_probe *, struct kb_record_writer *);

/* Checks the descriptor of a benchmark once, when it is loaded: everything that follows relies on it.
   0, or -KB_EINVAL with one line in error: what is wrong, and what would be right. */
int kb_descriptor_check(const struct kb_bench *, struct kb_text *error);

/* The clock of that name: "auto" or NULL the architecture's, "ns" clock_gettime. -EINVAL. hz stays 0. */
int kb_clock_named(struct kb_clock *clock, const char *name);

#endif
