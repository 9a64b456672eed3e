/*
 * Vector registers that hold something across a context switch. Only registers that no call preserves: the compiler
 * keeps nothing of its own in them here, and nothing between set and holds may use them but the other task.
 */
#include <string.h>

#include "kbench_channel.h"

#define REGISTERS 8
#define WIDEST 64       /* bytes of a register */

#if defined(__x86_64__)

static bool set_basic(uint64_t seed)
{
	__asm__ volatile(
		"movq %0, %%xmm8\n\tpunpcklqdq %%xmm8, %%xmm8\n\tmovdqa %%xmm8, %%xmm9\n\tmovdqa %%xmm8, %%xmm10\n\t"
		"movdqa %%xmm8, %%xmm11\n\tmovdqa %%xmm8, %%xmm12\n\tmovdqa %%xmm8, %%xmm13\n\t"
		"movdqa %%xmm8, %%xmm14\n\tmovdqa %%xmm8, %%xmm15" : : "r"(seed));
	return true;
}

static unsigned get_basic(void *to)
{
	__asm__ volatile(
		"movups %%xmm8, (%0)\n\tmovups %%xmm9, 16(%0)\n\tmovups %%xmm10, 32(%0)\n\tmovups %%xmm11, 48(%0)\n\t"
		"movups %%xmm12, 64(%0)\n\tmovups %%xmm13, 80(%0)\n\tmovups %%xmm14, 96(%0)\n\tmovups %%xmm15, 112(%0)" : : "r"(to) : "memory");
	return 16;
}

/* zmm16 and up: what a library does to clean the upper halves of the first sixteen leaves them alone. */
static bool set_wide(uint64_t seed)
{
	if (__builtin_cpu_supports("avx512f"))
		__asm__ volatile("vpbroadcastq %0, %%zmm16\n\tvpbroadcastq %0, %%zmm17\n\tvpbroadcastq %0, %%zmm18\n\t"
				 "vpbroadcastq %0, %%zmm19\n\tvpbroadcastq %0, %%zmm20\n\tvpbroadcastq %0, %%zmm21\n\t"
				 "vpbroadcastq %0, %%zmm22\n\tvpbroadcastq %0, %%zmm23" : : "r"(seed));
	else if (__builtin_cpu_supports("avx2"))
		__asm__ volatile("vmovq %0, %%xmm8\n\tvpbroadcastq %%xmm8, %%ymm8\n\tvmovdqa %%ymm8, %%ymm9\n\tvmovdqa "
				 "%%ymm8, %%ymm10\n\t"
				 "vmovdqa %%ymm8, %%ymm11\n\tvmovdqa %%ymm8, %%ymm12\n\tvmovdqa %%ymm8, %%ymm13\n\t"
				 "vmovdqa %%ymm8, %%ymm14\n\tvmovdqa %%ymm8, %%ymm15" : : "r"(seed));
	else
		return false;
	return true;
}

static unsigned get_wide(void *to)
{
	if (__builtin_cpu_supports("avx512f")) {
		__asm__ volatile(
			"vmovdqu64 %%zmm16, (%0)\n\tvmovdqu64 %%zmm17, 64(%0)\n\tvmovdqu64 %%zmm18, 128(%0)\n\t"
			"vmovdqu64 %%zmm19, 192(%0)\n\tvmovdqu64 %%zmm20, 256(%0)\n\tvmovdqu64 %%zmm21, 320(%0)\n\t"
			"vmovdqu64 %%zmm22, 384(%0)\n\tvmovdqu64 %%zmm23, 448(%0)" : : "r"(to) : "memory");
		return 64;
	}
	__asm__ volatile("vmovdqu %%ymm8, (%0)\n\tvmovdqu %%ymm9, 32(%0)\n\tvmovdqu %%ymm10, 64(%0)\n\tvmovdqu "
			 "%%ymm11, 96(%0)\n\t"
			 "vmovdqu %%ymm12, 128(%0)\n\tvmovdqu %%ymm13, 160(%0)\n\tvmovdqu %%ymm14, 192(%0)\n\tvmovdqu "
			 "%%ymm15, 224(%0)" : : "r"(to) : "memory");
	return 32;
}

#elif defined(__i386__)

/* Eight registers, of which no call preserves any. */
static bool set_basic(uint64_t seed)
{
	__asm__ volatile(
		"movq %0, %%xmm0\n\tpunpcklqdq %%xmm0, %%xmm0\n\tmovdqa %%xmm0, %%xmm1\n\tmovdqa %%xmm0, %%xmm2\n\t"
		"movdqa %%xmm0, %%xmm3\n\tmovdqa %%xmm0, %%xmm4\n\tmovdqa %%xmm0, %%xmm5\n\t"
		"movdqa %%xmm0, %%xmm6\n\tmovdqa %%xmm0, %%xmm7" : : "m"(seed));
	return true;
}

static unsigned get_basic(void *to)
{
	__asm__ volatile(
		"movups %%xmm0, (%0)\n\tmovups %%xmm1, 16(%0)\n\tmovups %%xmm2, 32(%0)\n\tmovups %%xmm3, 48(%0)\n\t"
		"movups %%xmm4, 64(%0)\n\tmovups %%xmm5, 80(%0)\n\tmovups %%xmm6, 96(%0)\n\tmovups %%xmm7, 112(%0)" : : "r"(to) : "memory");
	return 16;
}

#elif defined(__aarch64__)

static bool set_basic(uint64_t seed)
{
	__asm__ volatile("dup v16.2d, %0\n\tdup v17.2d, %0\n\tdup v18.2d, %0\n\tdup v19.2d, %0\n\t"
			 "dup v20.2d, %0\n\tdup v21.2d, %0\n\tdup v22.2d, %0\n\tdup v23.2d, %0" : : "r"(seed));
	return true;
}

static unsigned get_basic(void *to)
{
	__asm__ volatile(
		"stp q16, q17, [%0]\n\tstp q18, q19, [%0, 32]\n\tstp q20, q21, [%0, 64]\n\tstp q22, q23, [%0, 96]" : : "r"(to) : "memory");
	return 16;
}

#elif defined(__riscv)

static bool set_basic(uint64_t seed)
{
	__asm__ volatile("fmv.d.x ft4, %0\n\tfmv.d.x ft5, %0\n\tfmv.d.x ft6, %0\n\tfmv.d.x ft7, %0\n\t"
			 "fmv.d.x ft8, %0\n\tfmv.d.x ft9, %0\n\tfmv.d.x ft10, %0\n\tfmv.d.x ft11, %0" : : "r"(seed));
	return true;
}

static unsigned get_basic(void *to)
{
	__asm__ volatile("fsd ft4, 0(%0)\n\tfsd ft5, 8(%0)\n\tfsd ft6, 16(%0)\n\tfsd ft7, 24(%0)\n\t"
			 "fsd ft8, 32(%0)\n\tfsd ft9, 40(%0)\n\tfsd ft10, 48(%0)\n\tfsd ft11, 56(%0)" : : "r"(to) : "memory");
	return 8;
}

#endif

#if !defined(__x86_64__)

/* No wider registers than these. */
static bool set_wide(uint64_t seed)
{
	(void)seed;
	return false;
}

static unsigned get_wide(void *to)
{
	return get_basic(to);
}

#endif

bool kb_vector_set(bool wide, uint64_t seed)
{
	return wide ? set_wide(seed) : set_basic(seed);
}

bool kb_vector_holds(bool wide, uint64_t seed)
{
	unsigned char all[REGISTERS * WIDEST];
	unsigned bytes = REGISTERS * (wide ? get_wide : get_basic)(all);

	for (unsigned at = 0; at < bytes; at += sizeof seed) {
		if (memcmp(all + at, &seed, sizeof seed))
			return false;
	}
	return true;
}
