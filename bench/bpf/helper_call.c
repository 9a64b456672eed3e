/*
 * bpf.helper_call: one call of a helper from a BPF program, without the program around it. The compiler of newer kernels
 * replaces some by their instructions (jiffies; on some architectures cpu): then this row says what those cost.
 */
#include <kbench_bpf.h>

static int helper(struct kb_run *run)
{
	if (kb_param_is(run, "helper", "cpu"))
		return BPF_FUNC_get_smp_processor_id;
	if (kb_param_is(run, "helper", "numa"))
		return BPF_FUNC_get_numa_node_id;
	return kb_param_is(run, "helper", "jiffies") ? BPF_FUNC_jiffies64 : BPF_FUNC_get_prandom_u32;
}

static int setup(struct kb_run *run)
{
	const struct bpf_insn call[] = { KB_BPF_CALL(helper(run)) }, none[] = { KB_BPF_SET(BPF_REG_0, 0) };

	return kb_bpf_load(run, (struct kb_bpf_body){ call, 1 }, (struct kb_bpf_body){ none, 1 }, KB_BPF_ANY);
}

KB_BENCHMARK(
	.summary = "helper call in a BPF program (batch mean)", .per = "call", .suite = KB_FULL,
	.portability = KB_PLATFORM, .assumes = "a call in a batch costs as much as a single one",
	.max_n = 1 << 24, .needs = KB_NEED_ROOT,
	.params = { { "helper", "which", KB_CHOICE, "cpu,random;numa,jiffies", .choices = "cpu,random,numa,jiffies" } },
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .op = kb_bpf_op, .base = kb_bpf_base, .check = kb_bpf_check,
	.base_does = "runs the same program without the call",
);
