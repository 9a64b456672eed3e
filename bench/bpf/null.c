/*
 * bpf.null: a BPF program that only counts its runs, by BPF_PROG_TEST_RUN: what the kernel's loop around a program and its call
 * cost. It is the base of the other rows here. A batch's mean: nothing is known about single runs.
 */
#include <kbench_bpf.h>

static int setup(struct kb_run *run)
{
	const struct bpf_insn body[] = { KB_BPF_SET(BPF_REG_0, 0) };

	return kb_bpf_load(run, (struct kb_bpf_body){ body, 1 }, (struct kb_bpf_body){ 0 }, 0);
}

KB_BENCHMARK(
	.summary = "BPF program that only counts (batch mean)", .per = "run", .suite = KB_FULL,
	.portability = KB_PLATFORM, .assumes = "a run in a batch costs as much as a single one",
	.max_n = 1 << 24, .needs = KB_NEED_ROOT,
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .op = kb_bpf_op, .check = kb_bpf_check,
);
