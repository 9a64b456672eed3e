/*
 * Kernel entries by kind and number, in memory that does not grow with their count: count, total, least and most of all of them,
 * the median and its interval of every second, fourth, ... value, at most KB_ENTRY_KEPT, in their order.
 */
#ifndef KB_TRACE_ENTRIES_SUM_H
#define KB_TRACE_ENTRIES_SUM_H

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

/* With its 95 % interval; not known if too few lasted. */
struct kb_interval kb_entry_median(const struct kb_entry_row *row);

/* "read", "local_timer 236", "write user": what the number means. */
void kb_entry_name(const struct kb_entry *entry, char *text, size_t room);

#endif
