#include "trace/entries/pair.h"

#include <stdlib.h>

#define THREADS (1u << 22)      /* the largest thread id of Linux, PID_MAX_LIMIT */
#define CPUS 4096u
#define DEPTH 8u                /* interrupts inside one another */

/* What has begun; ns 0: nothing. */
struct begun { uint64_t ns; uint32_t number, lost, process; uint16_t point, cpu; };

struct cpu { struct begun open[DEPTH]; unsigned depth; };

struct kb_pairing {
	struct begun *calls, *faults;   /* by thread id */
	struct cpu *cpus;
	struct kb_pairing_counts counts;
	uint32_t left;          /* threads whose last fault was told, if it had no end */
};

struct kb_pairing *kb_pairing_new(void)
{
	struct kb_pairing *pairing = calloc(1, sizeof *pairing);

	if (!pairing)
		return NULL;
	pairing->calls = calloc(THREADS, sizeof *pairing->calls);
	pairing->faults = calloc(THREADS, sizeof *pairing->faults);
	pairing->cpus = calloc(CPUS, sizeof *pairing->cpus);
	if (!pairing->calls || !pairing->faults || !pairing->cpus) {
		kb_pairing_free(pairing);
		return NULL;
	}
	return pairing;
}

void kb_pairing_free(struct kb_pairing *pairing)
{
	if (!pairing)
		return;
	free(pairing->calls);
	free(pairing->faults);
	free(pairing->cpus);
	free(pairing);
}

static struct begun begun_at(const struct kb_raw_entry *raw)
{
	return (struct begun){
		.ns = raw->ns, .number = (uint32_t)raw->value, .lost = raw->lost, .process = (uint32_t)(raw->thread >> 32),
		.point = raw->point, .cpu = raw->cpu,
	};
}

static void begin(struct kb_pairing *pairing, const struct kb_raw_entry *raw, bool call)
{
	struct begun new = begun_at(raw);
	struct begun *calls = &pairing->calls[(uint32_t)raw->thread % THREADS];
	struct cpu *cpu = &pairing->cpus[raw->cpu % CPUS];

	if (call) {
		pairing->counts.overwritten += calls->ns != 0;
		*calls = new;
		return;
	}
	/* Ends that were lost leave begins behind. */
	if (cpu->depth == DEPTH) {
		pairing->counts.overwritten += DEPTH;
		cpu->depth = 0;
	}
	cpu->open[cpu->depth++] = new;
}

/* The begin that this end belongs to: of interrupts the innermost of that kind, whatever is open inside of it has no end. */
static struct begun take_begun(struct kb_pairing *pairing, const struct kb_raw_entry *raw, bool call)
{
	struct begun *calls = &pairing->calls[(uint32_t)raw->thread % THREADS], found = { 0 };
	struct cpu *cpu = &pairing->cpus[raw->cpu % CPUS];
	unsigned depth = cpu->depth;

	if (call) {
		found = *calls;
		calls->ns = 0;
		return found;
	}
	while (depth > 0 && cpu->open[depth - 1].point + 1 != raw->point)
		depth--;
	if (depth == 0)
		return found;
	pairing->counts.overwritten += cpu->depth - depth;
	cpu->depth = depth - 1;
	return cpu->open[depth - 1];
}

static bool end(struct kb_pairing *pairing, const struct kb_raw_entry *raw, struct kb_entry *entry)
{
	bool call = entry->kind == KB_ENTRY_SYSCALL;
	struct begun begun = take_begun(pairing, raw, call);

	if (begun.ns == 0) {
		pairing->counts.unopened++;
		return false;
	}
	if (begun.lost != raw->lost || raw->ns < begun.ns) {
		pairing->counts.torn++;
		return false;
	}
	entry->number = begun.number;
	entry->start_ns = begun.ns;
	entry->duration_ns = raw->ns - begun.ns;
	entry->result = call ? (int64_t)raw->value : 0;
	entry->lasted = true;
	return true;
}

/* The fault that began there, without an end, and its place is free again; false: there is none. */
static bool take_fault(struct kb_pairing *pairing, uint32_t thread, struct kb_entry *entry)
{
	struct begun *fault = &pairing->faults[thread % THREADS];

	if (fault->ns == 0)
		return false;
	*entry = (struct kb_entry){
		.kind = kb_entry_points[fault->point].kind, .number = fault->number, .start_ns = fault->ns,
		.process = fault->process, .thread = thread, .cpu = fault->cpu,
	};
	fault->ns = 0;
	return true;
}

/* Across a loss the end may be a later fault's: then this one is told without. */
static bool fault_ends(struct kb_pairing *pairing, const struct kb_raw_entry *raw, struct kb_entry *entry)
{
	uint32_t lost = pairing->faults[(uint32_t)raw->thread % THREADS].lost;

	if (!take_fault(pairing, (uint32_t)raw->thread, entry)) {
		pairing->counts.unopened++;
		return false;
	}
	if (lost != raw->lost || raw->ns < entry->start_ns) {
		pairing->counts.torn++;
		return true;
	}
	entry->duration_ns = raw->ns - entry->start_ns;
	entry->cpu = raw->cpu;
	entry->lasted = true;
	return true;
}

bool kb_pairing_left(struct kb_pairing *pairing, struct kb_entry *entry)
{
	while (pairing->left < THREADS) {
		if (take_fault(pairing, pairing->left++, entry)) {
			pairing->counts.entries++;
			return true;
		}
	}
	return false;
}

bool kb_pairing_add(struct kb_pairing *pairing, const struct kb_raw_entry *raw, struct kb_entry *entry)
{
	const struct kb_entry_point *point = &kb_entry_points[raw->point % kb_entry_point_count];
	bool whole = false;

	pairing->counts.raw++;
	*entry = (struct kb_entry){
		.kind = point->kind, .number = raw->value, .vector = point->name, .start_ns = raw->ns,
		.process = (uint32_t)(raw->thread >> 32), .thread = (uint32_t)raw->thread, .cpu = raw->cpu,
	};
	switch (point->edge) {
	case KB_EDGE_BEGIN: begin(pairing, raw, point->kind == KB_ENTRY_SYSCALL); break;
	case KB_EDGE_END: whole = end(pairing, raw, entry); break;
	case KB_EDGE_FAULT:
		whole = take_fault(pairing, (uint32_t)raw->thread, entry);
		pairing->faults[(uint32_t)raw->thread % THREADS] = begun_at(raw);
		break;
	case KB_EDGE_FAULT_END: whole = fault_ends(pairing, raw, entry); break;
	case KB_EDGE_SPAN: /* an NMI's value is how long it took */
		entry->number = 0;
		entry->duration_ns = raw->value < raw->ns ? raw->value : 0;
		entry->start_ns -= entry->duration_ns;
		entry->lasted = whole = true;
		break;
	}
	pairing->counts.entries += whole;
	return whole;
}

struct kb_pairing_counts kb_pairing_finish(struct kb_pairing *pairing)
{
	pairing->counts.open = 0;
	for (unsigned i = 0; i < CPUS; i++)
		pairing->counts.open += pairing->cpus[i].depth;
	for (unsigned i = 0; i < THREADS; i++)
		pairing->counts.open += pairing->calls[i].ns != 0;
	return pairing->counts;
}
