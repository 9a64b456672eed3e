/*
 * The streaming loops of x86-64, as functions in assembly: one source gives the same bytes, hence the same hash,
 * with every compiler, and code that must not use vector registers can hold them. Arguments come in rdi to, rsi
 * from, rdx other, rcx bytes, r8 value. A body has KB_STREAM_UNROLL accesses, in registers 8 to 15, so that none
 * waits for the one before.
 */
#include "arch/stream.h"

#include "extensions.h"

#define NAME(op, width) "kb_stream_" op "_" width

/* The body for k = 8..15, then the pointers and the count go on. */
#define LOOP(op, width, prologue, body, step, epilogue) \
	"	.p2align 6\n" \
	NAME(op, width) ":\n" \
	prologue \
	"	test	%rcx, %rcx\n" \
	"	jz	2f\n" \
	"	.p2align 6\n" \
	"1:	.irp k, 8, 9, 10, 11, 12, 13, 14, 15\n" \
	body \
	"	.endr\n" \
	step \
	"	sub	$8*" width ", %rcx\n" \
	"	jnz	1b\n" \
	"2:\n" \
	epilogue \
	"	ret\n" \
	NAME(op, width) "_end:\n"

/* Pointers go on by a body. */
#define MOVE(width, pointers) "	.irp p, " pointers "\n	add	$8*" width ", %\\p\n	.endr\n"
#define AT(width, pointer) "8*0+" width "*\\k-" width "*8(%" pointer ")"
#define ZERO "	xor	%eax, %eax\n"

/* ---- integers in general registers: 8 bytes ------------------------------------------------------------ */

#define SAVE "	.irp r, 12, 13, 14, 15, bx\n	push	%r\\r\n	.endr\n"
#define RESTORE "	.irp r, bx, 15, 14, 13, 12\n	pop	%r\\r\n	.endr\n"
#define CLEAR_WORDS SAVE "	mov	%rdx, %rax\n	xor	%ebx, %ebx\n" \
	"	.irp k, 8, 9, 10, 11, 12, 13, 14, 15\n	xor	%r\\k, %r\\k\n	.endr\n"
#define FOLD_WORDS ZERO "	.irp k, 8, 9, 10, 11, 12, 13, 14, 15\n	add	%r\\k, %rax\n	.endr\n" RESTORE
#define VALUE_WORD SAVE "	mov	%r8, %rax\n"
#define DONE_WORD ZERO RESTORE

#define LOOPS_OF_WORDS \
	LOOP("read", "8", CLEAR_WORDS, "	add	" AT("8", "rsi") ", %r\\k\n", MOVE("8", "rsi"), FOLD_WORDS) \
	LOOP("index", "8", CLEAR_WORDS, "	add	(%rsi,%rbx,8), %r\\k\n	add	$1, %rbx\n", "", FOLD_WORDS) \
	LOOP("write", "8", VALUE_WORD, "	mov	%rax, " AT("8", "rdi") "\n", MOVE("8", "rdi"), DONE_WORD) \
	LOOP("writent", "8", VALUE_WORD, "	movnti	%rax, " AT("8", "rdi") "\n", MOVE("8", "rdi"), "	sfence\n" DONE_WORD) \
	LOOP("update", "8", VALUE_WORD, "	add	%rax, " AT("8", "rdi") "\n", MOVE("8", "rdi"), DONE_WORD) \
	LOOP("copy", "8", SAVE, "	mov	" AT("8", "rsi") ", %r\\k\n	mov	%r\\k, " AT("8", "rdi") "\n", \
	     MOVE("8", "rdi, rsi"), DONE_WORD) \
	LOOP("copynt", "8", SAVE, "	mov	" AT("8", "rsi") ", %r\\k\n	movnti	%r\\k, " AT("8", "rdi") "\n", \
	     MOVE("8", "rdi, rsi"), "	sfence\n" DONE_WORD)

/* ---- integers in vectors --------------------------------------------------------------------------------- */

/* add(m, r): r += m. fold leaves 16 bytes in xmm8. */
#define LOOPS_OF_VECTORS(width, words, r, load, nt, add, clear, spread, fold, done) \
	LOOP("read", width, clear, add(AT(width, "rsi"), r "\\k"), MOVE(width, "rsi"), fold FOLD_VECTOR done) \
	LOOP("index", width, clear "	xor	%eax, %eax\n", \
	     add("(%rsi,%rax,8)", r "\\k") "	add	$" words ", %rax\n", "", fold FOLD_VECTOR done) \
	LOOP("write", width, spread, "	" load "	" r "0, " AT(width, "rdi") "\n", MOVE(width, "rdi"), ZERO done) \
	LOOP("writent", width, spread, "	" nt "	" r "0, " AT(width, "rdi") "\n", MOVE(width, "rdi"), "	sfence\n" ZERO done) \
	LOOP("update", width, spread, "	" load "	" AT(width, "rdi") ", " r "\\k\n" add(r "0", r "\\k") \
	     "	" load "	" r "\\k, " AT(width, "rdi") "\n", MOVE(width, "rdi"), ZERO done) \
	LOOP("copy", width, "", "	" load "	" AT(width, "rsi") ", " r "\\k\n	" load "	" r "\\k, " \
	     AT(width, "rdi") "\n", MOVE(width, "rdi, rsi"), ZERO done) \
	LOOP("copynt", width, "", "	" load "	" AT(width, "rsi") ", " r "\\k\n	" nt "	" r "\\k, " \
	     AT(width, "rdi") "\n", MOVE(width, "rdi, rsi"), "	sfence\n" ZERO done)

#define ADD_SSE(m, r) "	paddq	" m ", " r "\n"
#define ADD_AVX(m, r) "	vpaddq	" m ", " r ", " r "\n"
#define OVER_REGISTERS(text) "	.irp k, 8, 9, 10, 11, 12, 13, 14, 15\n" text "	.endr\n"
#define OVER_OTHERS(text) "	.irp k, 9, 10, 11, 12, 13, 14, 15\n" text "	.endr\n"
#define CLEAR_SSE OVER_REGISTERS("	pxor	%xmm\\k, %xmm\\k\n")
#define CLEAR_AVX OVER_REGISTERS("	vpxor	%xmm\\k, %xmm\\k, %xmm\\k\n")    /* clears the upper parts, too */
#define SPREAD_SSE "	movq	%r8, %xmm0\n	punpcklqdq	%xmm0, %xmm0\n"
#define SPREAD_AVX "	vmovq	%r8, %xmm0\n	vpbroadcastq	%xmm0, %ymm0\n"
#define SPREAD_512 "	vmovq	%r8, %xmm0\n	vpbroadcastq	%xmm0, %zmm0\n"
#define HALVE_512 "	vextracti64x4	$1, %zmm8, %ymm9\n"
#define HALVE_AVX "	vextracti128	$1, %ymm8, %xmm9\n"
#define FOLD_SSE OVER_OTHERS(ADD_SSE("%xmm\\k", "%xmm8"))
#define FOLD_AVX OVER_OTHERS(ADD_AVX("%ymm\\k", "%ymm8")) HALVE_AVX ADD_AVX("%xmm9", "%xmm8")
#define FOLD_512 OVER_OTHERS(ADD_AVX("%zmm\\k", "%zmm8")) HALVE_512 ADD_AVX("%ymm9", "%ymm8") HALVE_AVX ADD_AVX("%xmm9", "%xmm8")
#define FOLD_VECTOR "	movq	%xmm8, %rax\n	punpckhqdq	%xmm8, %xmm8\n	movq	%xmm8, %r8\n	add	%r8, %rax\n"
#define DONE_AVX "	vzeroupper\n"  /* or old code pays for the upper parts ever after */

/* ---- doubles --------------------------------------------------------------------------------------------- */

#define LOOPS_OF_DOUBLES(width, r, load, add, mul, clear, spread, fold, done) \
	LOOP("scale", width, spread, "	" load "	" AT(width, "rsi") ", " r "\\k\n" mul(r "0", r "\\k") \
	     "	" load "	" r "\\k, " AT(width, "rdi") "\n", MOVE(width, "rdi, rsi"), ZERO done) \
	LOOP("add", width, "", "	" load "	" AT(width, "rsi") ", " r "\\k\n" add(AT(width, "rdx"), r "\\k") \
	     "	" load "	" r "\\k, " AT(width, "rdi") "\n", MOVE(width, "rdi, rsi, rdx"), ZERO done) \
	LOOP("triad", width, spread, "	" load "	" AT(width, "rdx") ", " r "\\k\n" mul(r "0", r "\\k") \
	     add(AT(width, "rsi"), r "\\k") "	" load "	" r "\\k, " AT(width, "rdi") "\n", MOVE(width, "rdi, rsi, rdx"), ZERO done) \
	LOOP("daxpy", width, spread, "	" load "	" AT(width, "rsi") ", " r "\\k\n" mul(r "0", r "\\k") \
	     add(AT(width, "rdi"), r "\\k") "	" load "	" r "\\k, " AT(width, "rdi") "\n", MOVE(width, "rdi, rsi"), ZERO done) \
	LOOP("sum", width, clear, add(AT(width, "rsi"), r "\\k"), MOVE(width, "rsi"), fold "	movq	%xmm8, %rax\n" done)

#define ADD_SD(m, r) "	addsd	" m ", " r "\n"
#define MUL_SD(m, r) "	mulsd	" m ", " r "\n"
#define ADD_PD(m, r) "	addpd	" m ", " r "\n"
#define MUL_PD(m, r) "	mulpd	" m ", " r "\n"
#define ADD_VPD(m, r) "	vaddpd	" m ", " r ", " r "\n"
#define MUL_VPD(m, r) "	vmulpd	" m ", " r ", " r "\n"
#define LAST_TWO "	movhlps	%xmm8, %xmm9\n" ADD_SD("%xmm9", "%xmm8")
#define SUM_SD OVER_OTHERS(ADD_SD("%xmm\\k", "%xmm8"))
#define SUM_SSE OVER_OTHERS(ADD_PD("%xmm\\k", "%xmm8")) LAST_TWO
#define SUM_AVX OVER_OTHERS(ADD_VPD("%ymm\\k", "%ymm8")) HALVE_AVX ADD_VPD("%xmm9", "%xmm8") DONE_AVX LAST_TWO
#define SUM_512 OVER_OTHERS(ADD_VPD("%zmm\\k", "%zmm8")) HALVE_512 ADD_VPD("%ymm9", "%ymm8") HALVE_AVX \
	ADD_VPD("%xmm9", "%xmm8") DONE_AVX LAST_TWO

__asm__("	.pushsection .text\n"
	LOOPS_OF_WORDS
	LOOPS_OF_VECTORS("16", "2", "%xmm", "movdqa", "movntdq", ADD_SSE, CLEAR_SSE, SPREAD_SSE, FOLD_SSE, "")
	LOOPS_OF_VECTORS("32", "4", "%ymm", "vmovdqa", "vmovntdq", ADD_AVX, CLEAR_AVX, SPREAD_AVX, FOLD_AVX DONE_AVX, DONE_AVX)
	LOOPS_OF_DOUBLES("8", "%xmm", "movsd", ADD_SD, MUL_SD, CLEAR_SSE, SPREAD_SSE, SUM_SD, "")
	LOOPS_OF_DOUBLES("16", "%xmm", "movapd", ADD_PD, MUL_PD, CLEAR_SSE, SPREAD_SSE, SUM_SSE, "")
	LOOPS_OF_DOUBLES("32", "%ymm", "vmovapd", ADD_VPD, MUL_VPD, CLEAR_AVX, SPREAD_AVX, SUM_AVX, DONE_AVX)
	LOOPS_OF_VECTORS("64", "8", "%zmm", "vmovdqa64", "vmovntdq", ADD_AVX, CLEAR_AVX, SPREAD_512, FOLD_512 DONE_AVX, DONE_AVX)
	LOOPS_OF_DOUBLES("64", "%zmm", "vmovapd", ADD_VPD, MUL_VPD, CLEAR_AVX, SPREAD_512, SUM_512, DONE_AVX)
	"	.popsection\n");

/* ---- the table ------------------------------------------------------------------------------------------- */

#define DECLARE(index, name) KB_DECLARE_STREAM(name, 8) KB_DECLARE_STREAM(name, 16) KB_DECLARE_STREAM(name, 32) KB_DECLARE_STREAM(name, 64)
#define LISTED(index, name) \
	[KB_STREAM_##index] = { KB_STREAM_ENTRY(name, 8), KB_STREAM_ENTRY(name, 16), KB_STREAM_ENTRY(name, 32), KB_STREAM_ENTRY(name, 64) },

KB_STREAMS_OF_ALL(DECLARE) KB_STREAMS_PAST_CACHES(DECLARE)

const struct kb_stream_code kb_stream_codes[KB_STREAMS][KB_STREAM_WIDTHS] = { KB_STREAMS_OF_ALL(LISTED) KB_STREAMS_PAST_CACHES(LISTED) };

/* ---- what this CPU executes ------------------------------------------------------------------------------ */

/* AVX2 is bit 5 of leaf 7 EBX; OSXSAVE bit 27 of leaf 1 ECX, without which XCR0 cannot be read. */
unsigned kb_stream_widest(void)
{
	uint32_t a, b, c = 0, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1) || !kb_saves_registers(0x06))
		return 16;
	if (kb_arch_has(KB_HAS_AVX512))
		return 64;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 5 & 1) ? 32 : 16;
}
