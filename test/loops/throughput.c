/*
 * Loops whose throughput is known from the processor's tables, of other mixes than the contention probe's: multiplications, loads,
 * fused multiply-adds, branches that are not taken. Each is a body of independent instructions, unrolled, so that only the number of
 * units decides. x86-64 only.
 */
#include <kbench.h>

#define UNROLL 96u

static int work(struct kb_run *run, uint64_t n)
{
	static double cell __attribute__((aligned(64)));
	uint64_t loops = n / UNROLL;

	if (kb_param_is(run, "op", "imul"))
		__asm__ volatile(".p2align 6\n1:\n.rept 12\n"
				 ".irp r,rax,rbx,rsi,rdi,r8,r9,r10,r11\n imul %%rdx, %%\\r\n.endr\n.endr\n dec %%rcx\n jnz 1b\n"
				 : "+c"(loops) : : "rax", "rbx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
	else if (kb_param_is(run, "op", "load"))
		__asm__ volatile(".p2align 6\n1:\n.rept 12\n"
				 ".irp r,rax,rbx,rsi,rdi,r8,r9,r10,r11\n mov (%[cell]), %%\\r\n.endr\n.endr\n dec %%rcx\n jnz 1b\n"
				 : "+c"(loops) : [cell] "r"(&cell) : "rax", "rbx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
	else if (kb_param_is(run, "op", "fma"))
		__asm__ volatile(".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12\n vxorps %%xmm\\r, %%xmm\\r, %%xmm\\r\n.endr\n"
				 ".p2align 6\n1:\n.rept 8\n"
				 ".irp r,0,1,2,3,4,5,6,7,8,9,10,11\n vfmadd231sd %%xmm12, %%xmm12, %%xmm\\r\n.endr\n.endr\n dec %%rcx\n jnz 1b\n"
				 : "+c"(loops) : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
				   "xmm11", "xmm12", "cc");
	else /* the one that closes the loop is taken, and one of them */
		__asm__ volatile(".p2align 6\n1:\n test %%rsp, %%rsp\n.rept 95\n jz 2f\n nop\n.endr\n2:\n dec %%rcx\n jnz 1b\n"
				 : "+c"(loops) : : "cc");
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return n % UNROLL ? kb_fail(run, 22, "n is no multiple of the loop's body") : 0;
}

KB_BENCHMARK(
	.summary = "an instruction of a loop of independent ones",
	.per = "instruction", .bound = KB_ISSUE, .granule = UNROLL,
	.params = { { "op", "the instruction", KB_CHOICE, "imul,load,fma,branch", 0, 0, "imul,load,fma,branch" } },
	.op = work, .check = check,
);
