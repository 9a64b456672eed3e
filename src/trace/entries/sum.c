#include "trace/entries/sum.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_format.h"
#include "stamp.h"
#include "syscall_name.h"

/* ---- rows -------------------------------------------------------------------------------------------- */

static struct kb_entry_row *row_of(struct kb_entry_sum *sum, const struct kb_entry *entry)
{
	uint64_t number = entry->number < KB_ENTRY_NUMBERS ? entry->number : KB_ENTRY_NUMBERS - 1;
	struct kb_entry_row **row = &sum->rows[entry->kind][number];

	if (!*row) {
		*row = calloc(1, sizeof **row);
		if (*row)
			**row = (struct kb_entry_row){
				.kind = entry->kind, .number = number, .vector = entry->vector, .min_ns = UINT64_MAX, .stride = 1,
			};
	}
	return *row;
}

/* When there is no room left, every second one stays. */
static void keep(struct kb_entry_row *row, uint64_t ns)
{
	if (row->lasted % row->stride != 0)
		return;
	if (row->kept == KB_ENTRY_KEPT) {
		for (unsigned i = 0; i < KB_ENTRY_KEPT / 2; i++)
			row->values[i] = row->values[2 * i];
		row->kept /= 2;
		row->stride *= 2;
	}
	if (row->lasted % row->stride == 0)
		row->values[row->kept++] = (double)ns;
}

int kb_entry_sum_add(struct kb_entry_sum *sum, const struct kb_entry *entry)
{
	struct kb_entry_row *row = row_of(sum, entry);

	if (!row)
		return -ENOMEM;
	sum->entries++;
	row->count++;
	if (!entry->lasted)
		return 0;
	keep(row, entry->duration_ns);
	row->lasted++;
	row->total_ns += entry->duration_ns;
	if (entry->duration_ns < row->min_ns)
		row->min_ns = entry->duration_ns;
	if (entry->duration_ns > row->max_ns)
		row->max_ns = entry->duration_ns;
	return 0;
}

void kb_entry_sum_free(struct kb_entry_sum *sum)
{
	for (int kind = 0; kind < KB_ENTRY_KINDS; kind++)
		for (unsigned i = 0; i < KB_ENTRY_NUMBERS; i++)
			free(sum->rows[kind][i]);
	memset(sum, 0, sizeof *sum);
}

static int by_total(const void *a, const void *b)
{
	const struct kb_entry_row *x = *(const struct kb_entry_row *const *)a, *y = *(const struct kb_entry_row *const *)b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	return (x->count < y->count) - (x->count > y->count);
}

size_t kb_entry_sum_rows(const struct kb_entry_sum *sum, const struct kb_entry_row **rows, size_t room)
{
	size_t count = 0;

	for (int kind = 0; kind < KB_ENTRY_KINDS; kind++)
		for (unsigned i = 0; i < KB_ENTRY_NUMBERS; i++)
			if (sum->rows[kind][i] && count < room)
				rows[count++] = sum->rows[kind][i];
	qsort(rows, count, sizeof *rows, by_total);
	return count;
}

struct kb_interval kb_entry_median(const struct kb_entry_row *row)
{
	if (row->kept == 0)
		return (struct kb_interval){ .known = false };
	return kb_quantile_interval(row->values, row->kept, 0.5, 0.95);
}

/* ---- names ------------------------------------------------------------------------------------------- */

void kb_entry_name(const struct kb_entry *entry, char *text, size_t room)
{
	const char *call = entry->kind == KB_ENTRY_SYSCALL ? kb_syscall_name(entry->number) : NULL;
	unsigned long long number = entry->number;

	if (call)
		snprintf(text, room, "%s", call);
	else if (entry->vector)
		snprintf(text, room, "%s %llu", entry->vector, number);
	else if (entry->kind != KB_ENTRY_FAULT_USER && entry->kind != KB_ENTRY_FAULT_KERNEL)
		snprintf(text, room, "%llu", number);
	else if (strncmp(KB_ARCH_NAME, "x86", 3) != 0)
		snprintf(text, room, "0x%llx", number);
	/* The error code of x86 (Intel SDM volume 3, 4.7); elsewhere its bits are others, and stand as a number. */
	else
		snprintf(text, room, "%s%s%s 0x%llx", number & 16 ? "fetch" : number & 2 ? "write" : "read",
			 number & 4 ? " user" : " kernel", number & 1 ? " protected" : "", number);
}

/* ---- as a record ---------------------------------------------------------------------------------------- */

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
	kb_record_format(&record->writer, "env", "entry=%llu t=%llu k=%u cpu=%u thread=%u", (unsigned long long)entry->number,
			 (unsigned long long)t, block, entry->cpu, entry->thread);
}

int kb_entries_record_end(struct kb_entries_record *record, const struct kb_pairing_counts *counts, uint64_t lost, bool stopped)
{
	for (unsigned i = 0; i < KB_ENTRY_KINDS; i++)
		kb_record_format(&record->writer, "k", "%u kind=%s entries=%llu", i + 1, kb_entry_kind_names[i],
				 (unsigned long long)record->counts[i]);
	kb_record_format(&record->writer, "env", "raw=%llu lost=%llu torn=%llu unopened=%llu overwritten=%llu open=%llu stopped=%d",
			 (unsigned long long)counts->raw, (unsigned long long)lost, (unsigned long long)counts->torn,
			 (unsigned long long)counts->unopened, (unsigned long long)counts->overwritten,
			 (unsigned long long)counts->open, stopped);
	return kb_record_end(&record->writer);
}
