#include "trace/entries/record.h"

#include <stdio.h>

void kb_entries_record_begin(struct kb_entries_record *record, struct kb_sink sink, uint64_t first_ns,
                             void (*put_clock)(struct kb_record_writer *, double cost))
{
	*record = (struct kb_entries_record){ .first_ns = first_ns };
	kb_record_begin(&record->writer, sink);
	kb_record_line(&record->writer, "bench", "trace.entries");
	kb_record_line(&record->writer, "per", "entry");
	kb_record_line(&record->writer, "bound", "kernel");
	kb_record_line(&record->writer, "method", "single seed=0 process=0");
	put_clock(&record->writer, 0);
	kb_record_line(&record->writer, "env", "kernel_entries=1");
}

/* Block 1 is the first kind. What began before the first one that was seen begins with it. */
void kb_entries_record_add(struct kb_entries_record *record, const struct kb_entry *entry)
{
	uint64_t t = entry->start_ns > record->first_ns ? entry->start_ns - record->first_ns : 0;
	unsigned block = (unsigned)entry->kind + 1;
	char text[160];
	int length;

	record->counts[entry->kind]++;
	if (entry->lasted) {
		length = snprintf(text, sizeof text, "x.number=%llu x.thread=%u", (unsigned long long)entry->number,
				  entry->thread);
		kb_record_obs(&record->writer, &(struct kb_obs){
			.role = KB_ROLE_OP, .n = 1, .ticks = entry->duration_ns, .t = t, .block = block, .cpu = entry->cpu,
			.extra = { text, (size_t)length },
		});
		return;
	}
	snprintf(text, sizeof text, "entry=%llu t=%llu k=%u cpu=%u thread=%u", (unsigned long long)entry->number,
		 (unsigned long long)t, block, entry->cpu, entry->thread);
	kb_record_line(&record->writer, "env", text);
}

int kb_entries_record_end(struct kb_entries_record *record, const struct kb_pairing_counts *counts, uint64_t lost, bool stopped)
{
	char text[200];

	for (unsigned i = 0; i < KB_ENTRY_KINDS; i++) {
		snprintf(text, sizeof text, "%u kind=%s entries=%llu", i + 1, kb_entry_kind_names[i],
			 (unsigned long long)record->counts[i]);
		kb_record_line(&record->writer, "k", text);
	}
	snprintf(text, sizeof text, "raw=%llu lost=%llu torn=%llu unopened=%llu overwritten=%llu open=%llu stopped=%d",
		 (unsigned long long)counts->raw, (unsigned long long)lost, (unsigned long long)counts->torn,
		 (unsigned long long)counts->unopened, (unsigned long long)counts->overwritten, (unsigned long long)counts->open,
		 stopped);
	kb_record_line(&record->writer, "env", text);
	return kb_record_end(&record->writer);
}
