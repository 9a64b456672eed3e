/*
 * cpu.serialize: instructions that let nothing pass: lfence (x86) and isb (Arm) wait for all that came before, fence.i
 * (RISC-V) also drops fetched instructions, cpuid (x86) does both and belongs to the hypervisor: in a guest each one is an
 * exit. They have no result, so the evidence is the code itself, its count, and time that grows with it.
 */
#include <errno.h>

#include <kbench_code.h>

static const struct kb_chain_code *code;
static uint64_t done;

static int setup(struct kb_run *run)
{
	static const struct { const char *name; enum kb_code code; } all[] = {
		{ "cpuid", KB_CODE_CPUID }, { "lfence", KB_CODE_LFENCE }, { "isb", KB_CODE_ISB }, { "fence.i", KB_CODE_FENCE_I },
	};
	unsigned i = 0;

	while (!kb_param_is(run, "instruction", all[i].name))
		i++;
	code = kb_code(all[i].code);
	return kb_code_ready(run, code, all[i].name);
}

static int op(struct kb_run *run, uint64_t n)
{
	struct kb_loop_state state = { 0 };

	(void)run;
	done = kb_code_run(code, n, &state);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (done != n)
		return kb_fail(run, EILSEQ, "%llu operations instead of %llu", (unsigned long long)done, (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "serializing instruction: cpuid, lfence, isb, fence.i",
	.portability = KB_PLATFORM,
	.assumes = "an instruction cannot begin before the previous one has ended",
	.per = "instruction", .bound = KB_LATENCY,
	.params = {
		{ "instruction", "which", KB_CHOICE, "cpuid,lfence,isb,fence.i", .choices = "cpuid,lfence,isb,fence.i" },
	},
	.setup = setup, .op = op, .check = check,
);
