// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Stamps at the entry and at the exit of one function of the kernel. The entry's stamp is the last thing that its program
 * does, the exit's the first, so that little of either lies between them; what does is measured on a function that does
 * nothing. Of each pair of programs one is loaded: by trampoline, by probe, or by tracepoint.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "trace/func/shared.h"

/* Where the number of a system call lies at its exit: the same programs run on every architecture. */
struct pt_regs___x86 { long orig_ax; } __attribute__((preserve_access_index));
struct pt_regs___arm64 { int syscallno; } __attribute__((preserve_access_index));
struct pt_regs___riscv { unsigned long a7; } __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct kb_func_event);
	__uint(max_entries, 1);         /* set before loading: CPUs x room */
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct kb_func_cpu);
	__uint(max_entries, 1);         /* set before loading: CPUs */
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__type(key, __u64);
	__type(value, struct kb_func_open);
	__uint(max_entries, 1);         /* set before loading: threads */
} opens SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct kb_func_tally);
	__uint(max_entries, 1);         /* set before loading: CPUs x 2 */
} tallies SEC(".maps");

const volatile __u32 room = 0;          /* entries a CPU */
const volatile __u32 ignored = 0;       /* the process that reads: its own calls are not meant */
const volatile __u32 only = 0;          /* the one process that is meant; 0: all */
const volatile __s64 number = -1;       /* of the system call; -1: any */
const volatile bool tallied = false;    /* pairs are made here, and only counted */

/* Written by user space, and by the first CPU that finds no room. */
__u32 on = 0, closed = 0, turn = 0;

static __always_inline struct kb_func_cpu *counts_of(__u32 cpu)
{
	return bpf_map_lookup_elem(&cpus, &cpu);
}

/* Room for one event; 0: there is none. The place is taken in one step: an interrupt may need one, too. */
static __always_inline struct kb_func_event *reserve(void)
{
	__u32 cpu = bpf_get_smp_processor_id(), index;
	struct kb_func_cpu *mine = counts_of(cpu);
	struct kb_func_event *event;
	__u64 place;

	if (!mine)
		return 0;
	if (closed) {
		__sync_fetch_and_add(&mine->late, 1);
		return 0;
	}
	place = __sync_fetch_and_add(&mine->used, 1);
	if (place >= room) {
		closed = 1;
		if (!mine->closed_ns)
			mine->closed_ns = bpf_ktime_get_ns();
		return 0;
	}
	index = cpu * room + (__u32)place;
	event = bpf_map_lookup_elem(&events, &index);
	if (!event)
		return 0;
	event->interrupts = mine->interrupts;
	event->switches = mine->switches;
	return event;
}

static __always_inline bool wanted(__u64 pid_tgid)
{
	__u32 process = (__u32)(pid_tgid >> 32);

	return on && (!ignored || process != ignored) && (!only || process == only);
}

/* ---- tallies ------------------------------------------------------------------------------------------------------ */

static const struct kb_func_open none;

/* The idle thread is one a CPU. The same program never runs twice at once on a CPU: what would interrupt it is left out by the kernel. */
static __always_inline int begin_tallied(__u64 id)
{
	__u32 cpu = bpf_get_smp_processor_id(), depth;
	__u64 thread = (__u32)id ? (__u32)id : (1ull << 32) + cpu;
	struct kb_func_cpu *mine = counts_of(cpu);
	struct kb_func_open *open = bpf_map_lookup_elem(&opens, &thread);

	if (!open) {
		bpf_map_update_elem(&opens, &thread, &none, BPF_ANY);
		open = bpf_map_lookup_elem(&opens, &thread);
	}
	if (!mine || !open)
		return 0;
	if (open->turn != turn) {
		open->turn = turn;
		open->depth = 0;
	}
	mine->entered++;
	depth = open->depth;
	/* Until it has its stamp: an interrupt whose entry was left out, as this program was running, has an exit all the same. */
	if (depth < KB_FUNC_NESTED)
		open->at[depth].ns = 0;
	open->depth = depth + 1;
	if (depth >= KB_FUNC_NESTED)
		return 0;
	open->at[depth].cpu = cpu;
	open->at[depth].interrupts = mine->interrupts;
	open->at[depth].switches = mine->switches;
	open->at[depth].ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int end_tallied(__u64 id, __u64 now)
{
	__u32 cpu = bpf_get_smp_processor_id(), depth, index = 2 * cpu, bin;
	__u64 thread = (__u32)id ? (__u32)id : (1ull << 32) + cpu, lasted;
	struct kb_func_cpu *mine = counts_of(cpu);
	struct kb_func_open *open = bpf_map_lookup_elem(&opens, &thread);
	struct kb_func_tally *tally;

	if (!mine)
		return 0;
	if (!open || open->turn != turn || open->depth == 0) {
		mine->unopened++;
		return 0;
	}
	depth = --open->depth;
	if (depth >= KB_FUNC_NESTED)
		return 0;
	if (open->at[depth].ns == 0) {
		mine->unopened++;
		return 0;
	}
	lasted = now - open->at[depth].ns;
	index += open->at[depth].cpu != cpu || open->at[depth].interrupts != mine->interrupts || open->at[depth].switches != mine->switches;
	tally = bpf_map_lookup_elem(&tallies, &index);
	bin = kb_func_bin(lasted);
	if (!tally || bin >= KB_FUNC_BINS)
		return 0;
	if (tally->count == 0 || lasted < tally->shortest)
		tally->shortest = lasted;
	if (lasted > tally->longest)
		tally->longest = lasted;
	tally->count++;
	tally->sum += lasted;
	tally->bins[bin]++;
	return 0;
}

/* ---- both ends ---------------------------------------------------------------------------------------------------- */

static __always_inline int enter(void)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct kb_func_event *event;

	if (!wanted(id))
		return 0;
	if (tallied)
		return begin_tallied(id);
	event = reserve();
	if (!event)
		return 0;
	event->tid = (__u32)id;
	event->kind = 0;
	event->ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int leave(__u64 now)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct kb_func_event *event;

	if (!wanted(id))
		return 0;
	if (tallied)
		return end_tallied(id, now);
	event = reserve();
	if (!event)
		return 0;
	event->tid = (__u32)id;
	event->kind = KB_FUNC_EXIT;
	event->ns = now;
	return 0;
}

/* The target is set before loading. */
SEC("fentry/bpf_fentry_test1")
int trampoline_enter(void *context)
{
	return enter();
}

SEC("fexit/bpf_fentry_test1")
int trampoline_leave(void *context)
{
	return leave(bpf_ktime_get_ns());
}

SEC("kprobe")
int probe_enter(void *context)
{
	return enter();
}

SEC("kretprobe")
int probe_leave(void *context)
{
	return leave(bpf_ktime_get_ns());
}

SEC("raw_tp/sys_enter")
int call_enter(struct bpf_raw_tracepoint_args *context)
{
	return number < 0 || (__s64)context->args[1] == number ? enter() : 0;
}

static __always_inline __s64 number_of(void *regs)
{
	struct pt_regs___x86 *x86 = regs;
	struct pt_regs___arm64 *arm64 = regs;
	struct pt_regs___riscv *riscv = regs;

	if (bpf_core_field_exists(x86->orig_ax))
		return BPF_CORE_READ(x86, orig_ax);
	if (bpf_core_field_exists(arm64->syscallno))
		return BPF_CORE_READ(arm64, syscallno);
	if (bpf_core_field_exists(riscv->a7))
		return (__s64)BPF_CORE_READ(riscv, a7);
	return -1;
}

SEC("raw_tp/sys_exit")
int call_leave(struct bpf_raw_tracepoint_args *context)
{
	__u64 now = bpf_ktime_get_ns();

	return number < 0 || number_of((void *)context->args[0]) == number ? leave(now) : 0;
}

/* Any two tracepoints of which the second ends what the first begins; they are named when they are attached. */
SEC("raw_tp")
int point_enter(void *context)
{
	return enter();
}

SEC("raw_tp")
int point_leave(void *context)
{
	return leave(bpf_ktime_get_ns());
}

/*
 * Interrupts and switches are counted for each CPU. Whoever finds a count changed between the two ends of a call, on one CPU,
 * knows that the call was not alone there. Both come with interrupts off, so nothing but an NMI gets between these additions,
 * and that has added one itself.
 */
SEC("raw_tp")
int count_interrupt(void *context)
{
	struct kb_func_cpu *mine = counts_of(bpf_get_smp_processor_id());

	if (mine && on)
		mine->interrupts++;
	return 0;
}

SEC("raw_tp/sched_switch")
int count_switch(void *context)
{
	struct kb_func_cpu *mine = counts_of(bpf_get_smp_processor_id());

	if (mine && on)
		mine->switches++;
	return 0;
}

/* BPF_PROG_TEST_RUN of it calls the kernel's function that does nothing; nothing need be attached for that. */
SEC("fentry/bpf_fentry_test1")
int call_null(void *context)
{
	return 0;
}

char licence[] SEC("license") = "Dual MIT/GPL";
