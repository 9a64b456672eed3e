/* Kernel entries as a record (doc/record.md), written while they come: an `o` line each, an `env` line without a duration. */
#ifndef KB_TRACE_ENTRIES_RECORD_H
#define KB_TRACE_ENTRIES_RECORD_H

#include "base/record.h"
#include "trace/entries/pair.h"

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
