/*
 * Kernel entries by kind and number, in memory that does not grow with their count: count, total, least and most of all of them,
 * the median and its interval of every second, fourth, ... value, at most KB_ENTRY_KEPT, in their order.
 */
#ifndef KB_TRACE_ENTRIES_SUM_H
#define KB_TRACE_ENTRIES_SUM_H

#include "base/record.h"
#include "stats/stats.h"
#include "trace/entries/pair.h"

#define KB_ENTRY_KEPT 8192u
#define KB_ENTRY_NUMBERS 1024u  /* by number; the rest of a kind has one row together */

struct kb_entry_row {
	enum kb_entry_kind kind;
	uint64_t number;                /* KB_ENTRY_NUMBERS - 1: that and all larger ones */
	const char *vector;
	uint64_t count, lasted;         /* lasted: with a duration */
	uint64_t total_ns, min_ns, max_ns;
	uint64_t stride, kept;          /* values[0..kept) are every stride-th */
	double values[KB_ENTRY_KEPT];
};

struct kb_entry_sum { struct kb_entry_row *rows[KB_ENTRY_KINDS][KB_ENTRY_NUMBERS]; uint64_t entries; };

/* 0 or -ENOMEM. */
int kb_entry_sum_add(struct kb_entry_sum *, const struct kb_entry *entry);
void kb_entry_sum_free(struct kb_entry_sum *);

/* The rows by their total time, the longest first, then by count; how many. At most `room`. */
size_t kb_entry_sum_rows(const struct kb_entry_sum *, const struct kb_entry_row **rows, size_t room);

/* With its 95 % CI; not known if too few lasted. */
struct kb_interval kb_entry_median(const struct kb_entry_row *row);

/* "read", "local_timer 236", "write user": what the number means. */
void kb_entry_name(const struct kb_entry *entry, char *text, size_t room);

/* As a record (doc/record.md), written while they come: an `o` line each, an `env` line without a duration. */
struct kb_entries_record {
	struct kb_record_writer writer;
	uint64_t first_ns;              /* t=0 */
	uint64_t counts[KB_ENTRY_KINDS];
};

/* put_clock writes the `clock` line, of nanoseconds of the kernel. */
void kb_entries_record_begin(struct kb_entries_record *, struct kb_sink sink, uint64_t first_ns,
                             void (*put_clock)(struct kb_record_writer *, double cost));
void kb_entries_record_add(struct kb_entries_record *, const struct kb_entry *entry);

/* 0 or -errno of the sink. lost: raw entries; stopped: at the limit, with more to come. */
int kb_entries_record_end(struct kb_entries_record *, const struct kb_pairing_counts *counts, uint64_t lost, bool stopped);

#endif
