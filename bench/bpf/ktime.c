/*
 * bpf.ktime: a BPF program reads the kernel's clock. Twice this is the least that a pair of stamps of a traced function costs.
 * Each reading is held against the one before: a clock that steps back is a wrong result.
 */
#include <kbench_bpf.h>

static int setup(struct kb_run *run)
{
	int clock = kb_param_is(run, "clock", "monotonic") ? BPF_FUNC_ktime_get_ns
		    : kb_param_is(run, "clock", "boot")    ? BPF_FUNC_ktime_get_boot_ns
							   : BPF_FUNC_ktime_get_coarse_ns;
	/* Two readings: the second is not before the first. The base makes one. */
	const struct bpf_insn twice[] = {
		KB_BPF_CALL(clock), KB_BPF_COPY(BPF_REG_9, BPF_REG_0), KB_BPF_CALL(clock),
		KB_BPF_INSN(BPF_JMP | BPF_JGE | BPF_X, BPF_REG_0, BPF_REG_9, 2, 0),
		KB_BPF_SET(BPF_REG_0, 1), KB_BPF_INSN(BPF_JMP | BPF_JA, 0, 0, 1, 0), KB_BPF_SET(BPF_REG_0, 0),
	};
	const struct bpf_insn once[] = {
		KB_BPF_COPY(BPF_REG_9, BPF_REG_8), KB_BPF_CALL(clock),
		KB_BPF_INSN(BPF_JMP | BPF_JGE | BPF_X, BPF_REG_0, BPF_REG_9, 2, 0),
		KB_BPF_SET(BPF_REG_0, 1), KB_BPF_INSN(BPF_JMP | BPF_JA, 0, 0, 1, 0), KB_BPF_SET(BPF_REG_0, 0),
	};

	return kb_bpf_load(run, (struct kb_bpf_body){ twice, sizeof twice / sizeof twice[0] },
			   (struct kb_bpf_body){ once, sizeof once / sizeof once[0] }, 0);
}

KB_BENCHMARK(
	.summary = "clock reading in a BPF program (batch mean)", .per = "reading", .suite = KB_FULL,
	.portability = KB_PLATFORM, .assumes = "a clock read in a batch costs as much as a single one",
	.max_n = 1 << 24, .needs = KB_NEED_ROOT,
	.params = { { "clock", "which", KB_CHOICE, "monotonic,coarse;boot", .choices = "monotonic,coarse,boot" } },
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .op = kb_bpf_op, .base = kb_bpf_base, .check = kb_bpf_check,
	.base_does = "runs the same program without the call",
);
