/* The programs of entries.h and the ring they fill: one program a tracepoint, alike but for constants. */
#define _GNU_SOURCE
#include "trace/entries/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/raw_bpf.h"

#define KEY (-4)                /* offsets on a program's stack */
#define STAMP (-16)

/* ---- a program --------------------------------------------------------------------------------------- */

/* r8 = who. The returned jump leaves for threads that are not asked for. */
static unsigned put_filter(const struct kb_entries *entries, struct kb_raw_code *code, bool everything)
{
	kb_raw_call(code, BPF_FUNC_get_current_pid_tgid);
	kb_raw_move(code, BPF_REG_8, BPF_REG_0);
	if (everything) {
		/* No process is -1. */
		kb_raw_put(code, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_0, 0, 0, 32);
		return kb_raw_put(code, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 0, kb_members_ids_agree() ? (int)getpid() : -1);
	}
	kb_raw_store(code, BPF_W, BPF_REG_10, KEY, BPF_REG_8);
	kb_raw_find(code, entries->members.map, KEY);
	return kb_raw_jump(code, BPF_JEQ, BPF_REG_0);
}

/* What a program does before its stamp, or behind it, is not in the time between a begin's stamp and an end's: a begin stamps
   as late as it can, an end first of all. The reader polls, for waking it would cost the traced thread more than all of this. */
static void put_record(const struct kb_entries *entries, struct kb_raw_code *code, unsigned point, bool stamped)
{
	unsigned lost, out;

	kb_raw_map(code, BPF_REG_1, entries->ring_map);
	kb_raw_set(code, BPF_REG_2, sizeof(struct kb_raw_entry));
	kb_raw_set(code, BPF_REG_3, 0);
	kb_raw_call(code, BPF_FUNC_ringbuf_reserve);
	kb_raw_move(code, BPF_REG_9, BPF_REG_0);
	lost = kb_raw_jump(code, BPF_JEQ, BPF_REG_0);
	/* r9 = the new entry: everything but the stamp. */
	if (kb_entry_points[point].edge == KB_EDGE_FAULT_END)
		kb_raw_set(code, BPF_REG_1, (int)kb_entry_points[point].argument);
	else
		kb_raw_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, 8 * (int)kb_entry_points[point].argument);
	kb_raw_store(code, BPF_DW, BPF_REG_9, offsetof(struct kb_raw_entry, value), BPF_REG_1);
	kb_raw_store(code, BPF_DW, BPF_REG_9, offsetof(struct kb_raw_entry, thread), BPF_REG_8);
	kb_raw_call(code, BPF_FUNC_get_smp_processor_id);
	kb_raw_store(code, BPF_H, BPF_REG_9, offsetof(struct kb_raw_entry, cpu), BPF_REG_0);
	kb_raw_set(code, BPF_REG_1, (int)point);
	kb_raw_store(code, BPF_H, BPF_REG_9, offsetof(struct kb_raw_entry, point), BPF_REG_1);
	kb_raw_load(code, BPF_DW, BPF_REG_1, BPF_REG_7, offsetof(struct kb_entries_control, lost));
	kb_raw_store(code, BPF_W, BPF_REG_9, offsetof(struct kb_raw_entry, lost), BPF_REG_1);
	if (stamped)
		kb_raw_load(code, BPF_DW, BPF_REG_0, BPF_REG_10, STAMP);
	else
		kb_raw_call(code, BPF_FUNC_ktime_get_ns);
	kb_raw_store(code, BPF_DW, BPF_REG_9, offsetof(struct kb_raw_entry, ns), BPF_REG_0);
	kb_raw_move(code, BPF_REG_1, BPF_REG_9);
	kb_raw_set(code, BPF_REG_2, BPF_RB_NO_WAKEUP);
	kb_raw_call(code, BPF_FUNC_ringbuf_submit);
	out = kb_raw_jump(code, BPF_JA, 0);
	kb_raw_land(code, lost);
	kb_raw_set(code, BPF_REG_1, 1);
	kb_raw_add_atomically(code, BPF_REG_7, offsetof(struct kb_entries_control, lost), BPF_REG_1);
	kb_raw_land(code, out);
}

static int load_point(const struct kb_entries *entries, unsigned point, bool everything)
{
	struct kb_raw_code code = { .used = 0 };
	enum kb_edge edge = kb_entry_points[point].edge;
	bool first = edge != KB_EDGE_BEGIN && edge != KB_EDGE_FAULT;
	unsigned off, other;

	kb_raw_move(&code, BPF_REG_6, BPF_REG_1);
	kb_raw_value(&code, BPF_REG_7, entries->control_map);
	kb_raw_load(&code, BPF_DW, BPF_REG_1, BPF_REG_7, offsetof(struct kb_entries_control, on));
	off = kb_raw_jump(&code, BPF_JEQ, BPF_REG_1);
	if (first) {
		kb_raw_call(&code, BPF_FUNC_ktime_get_ns);
		kb_raw_store(&code, BPF_DW, BPF_REG_10, STAMP, BPF_REG_0);
	}
	other = put_filter(entries, &code, everything);
	put_record(entries, &code, point, first);
	kb_raw_land(&code, off);
	kb_raw_land(&code, other);
	kb_raw_return(&code);
	return kb_raw_load_program(&code, edge == KB_EDGE_FAULT_END ? BPF_PROG_TYPE_PERF_EVENT : BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);
}

/* ---- all of them ------------------------------------------------------------------------------------- */

/* A point that this kernel does not have costs its own entries, no others. */
static int attach(struct kb_entries *entries, unsigned point, bool everything)
{
	int program = load_point(entries, point, everything);

	if (program < 0)
		return program;
	entries->programs[point] = program;
	entries->links[point] = kb_raw_attach(program, kb_entry_points[point].tracepoint);
	return entries->links[point] < 0 ? entries->links[point] : 0;
}

static int make_maps(struct kb_entries *entries, bool everything)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	entries->failed = "a control page";
	entries->control_map = kb_raw_new_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct kb_entries_control), 1, BPF_F_MMAPABLE);
	if (entries->control_map < 0)
		return entries->control_map;
	entries->failed = "a ring";
	entries->ring_map = kb_raw_new_map(BPF_MAP_TYPE_RINGBUF, 0, 0, (unsigned)entries->ring_bytes, 0);
	if (entries->ring_map < 0)
		return entries->ring_map;
	entries->failed = "memory of the ring";
	entries->control = kb_raw_memory(entries->control_map, page, PROT_READ | PROT_WRITE, 0);
	entries->consumer = kb_raw_memory(entries->ring_map, page, PROT_READ | PROT_WRITE, 0);
	/* The data stand there twice, one behind the other, so that no entry is ever split. */
	entries->producer = kb_raw_memory(entries->ring_map, page + 2 * (size_t)entries->ring_bytes, PROT_READ, page);
	if (!entries->control || !entries->consumer || !entries->producer)
		return -errno;
	entries->data = (const unsigned char *)(uintptr_t)entries->producer + page;
	entries->failed = "following the command's threads";
	return everything ? 0 : kb_members_open(&entries->members, KB_MEMBERS_MAX);
}

int kb_entries_open(struct kb_entries *entries, uint64_t ring_bytes, bool everything)
{
	int error;

	*entries = (struct kb_entries){ .members = KB_MEMBERS_NONE, .control_map = -1, .ring_map = -1, .ring_bytes = ring_bytes };
	for (unsigned i = 0; i < KB_ENTRY_POINTS_MAX; i++)
		entries->programs[i] = entries->links[i] = -1;
	error = make_maps(entries, everything);
	for (unsigned i = 0; i < kb_entry_point_count && !error; i++)
		if (kb_entry_points[i].edge != KB_EDGE_FAULT_END)
			entries->errors[i] = attach(entries, i, everything);
	if (!error) {
		entries->failed = "tracepoints sys_enter and sys_exit";
		error = entries->errors[0] ? entries->errors[0] : entries->errors[1];
	}
	if (error)
		kb_entries_close(entries);
	return error;
}

/* On every CPU: an event that follows a thread would be one more descriptor and one more copy for each of its children. */
static int attach_event(struct kb_entries *entries, unsigned point, bool everything)
{
	unsigned cpus = kb_raw_possible_cpus();
	int event;

	entries->programs[point] = load_point(entries, point, everything);
	for (unsigned cpu = 0; cpu < cpus && entries->programs[point] >= 0; cpu++) {
		event = kb_raw_attach_event(entries->programs[point], kb_entry_points[point].argument, cpu);
		if (event >= 0)
			entries->events[entries->event_count++] = event;
		else if (event != -ENODEV)
			return event;
	}
	return entries->programs[point] < 0 ? entries->programs[point] : 0;
}

void kb_entries_add_fault_ends(struct kb_entries *entries, bool everything)
{
	unsigned per_point = kb_raw_possible_cpus();

	entries->events = calloc((size_t)per_point * kb_entry_point_count, sizeof *entries->events);
	for (unsigned i = 0; i < kb_entry_point_count; i++)
		if (kb_entry_points[i].edge == KB_EDGE_FAULT_END)
			entries->errors[i] = entries->events ? attach_event(entries, i, everything) : -ENOMEM;
}

void kb_entries_switch(struct kb_entries *entries, bool on)
{
	entries->control->on = on;
}

int kb_entries_calls(struct kb_entries *entries, bool there)
{
	for (unsigned i = 0; i < 2; i++) {
		kb_raw_close(&entries->links[i], 1);
		if (there)
			entries->links[i] = kb_raw_attach(entries->programs[i], kb_entry_points[i].tracepoint);
		if (there && entries->links[i] < 0)
			return entries->links[i];
	}
	return 0;
}

void kb_entries_close(struct kb_entries *entries)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	kb_raw_close(entries->links, KB_ENTRY_POINTS_MAX);
	kb_raw_close(entries->programs, KB_ENTRY_POINTS_MAX);
	kb_raw_close(entries->events, entries->event_count);
	free(entries->events);
	entries->events = NULL;
	entries->event_count = 0;
	kb_members_close(&entries->members);
	if (entries->control)
		munmap((void *)(uintptr_t)entries->control, page);
	if (entries->consumer)
		munmap((void *)(uintptr_t)entries->consumer, page);
	if (entries->producer)
		munmap((void *)(uintptr_t)entries->producer, page + 2 * (size_t)entries->ring_bytes);
	entries->control = NULL;
	entries->consumer = entries->producer = NULL;
	kb_raw_close(&entries->control_map, 1);
	kb_raw_close(&entries->ring_map, 1);
}

/* ---- the ring ---------------------------------------------------------------------------------------- */

/* Each entry has 8 bytes before it: its length with two bits, then where its page is. Documentation/bpf/ringbuf.rst. */
size_t kb_entries_take(struct kb_entries *entries, struct kb_raw_entry *raw, size_t room)
{
	uint64_t at = *entries->consumer, end = __atomic_load_n(entries->producer, __ATOMIC_ACQUIRE);
	size_t count = 0;

	while (at < end && count < room) {
		const unsigned char *place = entries->data + (at & (entries->ring_bytes - 1));
		uint32_t length = __atomic_load_n((const uint32_t *)(const void *)place, __ATOMIC_ACQUIRE);

		if (length & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(length & BPF_RINGBUF_DISCARD_BIT))
			memcpy(&raw[count++], place + BPF_RINGBUF_HDR_SZ, sizeof *raw);
		length = length << 2 >> 2;
		at += (length + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
	}
	__atomic_store_n(entries->consumer, at, __ATOMIC_RELEASE);
	return count;
}
