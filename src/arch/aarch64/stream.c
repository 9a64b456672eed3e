/*
 * The streaming loops of aarch64, as functions in assembly: one source gives the same bytes, hence the same hash,
 * with every compiler, and code that must not use vector registers can hold them. Arguments come in x0 to, x1 from,
 * x2 other, x3 bytes, x4 value. A body has KB_STREAM_UNROLL accesses, in registers of their own, so that none waits
 * for the one before. Widths are 8 and 16; scalable vectors have no fixed width.
 */
#include "arch/stream.h"

#define NAME(op, width) "kb_stream_" op "_" width
#define RANGE " 16, 17, 18, 19, 20, 21, 22, 23\n"
#define PAIRS " 16, 18, 20, 22\n"

/* The body for each k of `registers`, then the pointers and the count go on. */
#define LOOP(op, width, registers, prologue, body, step, epilogue) \
	"	.p2align 6\n" \
	NAME(op, width) ":\n" \
	prologue \
	"	cbz	x3, 2f\n" \
	"	.p2align 6\n" \
	"1:	.irp k," registers \
	body \
	"	.endr\n" \
	step \
	"	subs	x3, x3, #8*" width "\n" \
	"	b.ne	1b\n" \
	"2:\n" \
	epilogue \
	"	ret\n" \
	NAME(op, width) "_end:\n"

#define MOVE(width, pointers) "	.irp p, " pointers "\n	add	\\p, \\p, #8*" width "\n	.endr\n"
#define AT(width, pointer) "[" pointer ", #" width "*\\k-" width "*16]"
#define ZERO "	mov	x0, #0\n"
#define CLEAR "	.irp k," RANGE "	movi	v\\k\\().2d, #0\n	.endr\n	mov	x5, #0\n"

/* l: the register of an access as loads name it, d or q; v: the suffix of arithmetic on it, and of q's first lane. A
   sum is gathered in v16, then its upper half is added; that is 0 for width 8. */
#define FOLD(add) "	.irp k, 17, 18, 19, 20, 21, 22, 23\n	" add "	v16.2d, v16.2d, v\\k\\().2d\n	.endr\n"
#define LOOPS(width, l, reg, spread) \
	LOOP("read", width, RANGE, CLEAR, "	ldr	" l "0, " AT(width, "x1") "\n	add	v\\k\\().2d, v\\k\\().2d, v0.2d\n", \
	     MOVE(width, "x1"), FOLD("add") "	addp	d0, v16.2d\n	fmov	x0, d0\n") \
	LOOP("index", width, RANGE, CLEAR, "	lsl	x6, x5, #3\n	ldr	" l "0, [x1, x6]\n	add	x5, x5, #" width "/8\n" \
	     "	add	v\\k\\().2d, v\\k\\().2d, v0.2d\n", "", FOLD("add") "	addp	d0, v16.2d\n	fmov	x0, d0\n") \
	LOOP("write", width, RANGE, spread, "	str	" l "1, " AT(width, "x0") "\n", MOVE(width, "x0"), ZERO) \
	LOOP("writent", width, PAIRS, spread, "	stnp	" l "1, " l "1, " AT(width, "x0") "\n", MOVE(width, "x0"), ZERO) \
	LOOP("update", width, RANGE, spread, "	ldr	" l "\\k, " AT(width, "x0") "\n	add	v\\k\\().2d, v\\k\\().2d, v1.2d\n" \
	     "	str	" l "\\k, " AT(width, "x0") "\n", MOVE(width, "x0"), ZERO) \
	LOOP("copy", width, RANGE, "", "	ldr	" l "\\k, " AT(width, "x1") "\n	str	" l "\\k, " AT(width, "x0") "\n", \
	     MOVE(width, "x0, x1"), ZERO) \
	LOOP("copynt", width, PAIRS, "", "	ldnp	" l "2, " l "3, " AT(width, "x1") "\n	stnp	" l "2, " l "3, " \
	     AT(width, "x0") "\n", MOVE(width, "x0, x1"), ZERO) \
	LOOP("scale", width, RANGE, spread, "	ldr	" l "\\k, " AT(width, "x1") "\n	fmul	" reg("\\k") ", " reg("\\k") ", " \
	     reg("1") "\n	str	" l "\\k, " AT(width, "x0") "\n", MOVE(width, "x0, x1"), ZERO) \
	LOOP("add", width, RANGE, "", "	ldr	" l "\\k, " AT(width, "x1") "\n	ldr	" l "2, " AT(width, "x2") "\n	fadd	" \
	     reg("\\k") ", " reg("\\k") ", " reg("2") "\n	str	" l "\\k, " AT(width, "x0") "\n", \
	     MOVE(width, "x0, x1, x2"), ZERO) \
	LOOP("triad", width, RANGE, spread, "	ldr	" l "\\k, " AT(width, "x2") "\n	ldr	" l "2, " AT(width, "x1") "\n	fmul	" \
	     reg("\\k") ", " reg("\\k") ", " reg("1") "\n	fadd	" reg("\\k") ", " reg("\\k") ", " reg("2") "\n	str	" l \
	     "\\k, " AT(width, "x0") "\n", MOVE(width, "x0, x1, x2"), ZERO) \
	LOOP("daxpy", width, RANGE, spread, "	ldr	" l "\\k, " AT(width, "x1") "\n	ldr	" l "2, " AT(width, "x0") "\n	fmul	" \
	     reg("\\k") ", " reg("\\k") ", " reg("1") "\n	fadd	" reg("\\k") ", " reg("\\k") ", " reg("2") "\n	str	" l \
	     "\\k, " AT(width, "x0") "\n", MOVE(width, "x0, x1"), ZERO) \
	LOOP("sum", width, RANGE, CLEAR, "	ldr	" l "0, " AT(width, "x1") "\n	fadd	v\\k\\().2d, v\\k\\().2d, v0.2d\n", \
	     MOVE(width, "x1"), FOLD("fadd") "	faddp	d0, v16.2d\n	fmov	x0, d0\n")

#define SCALAR(k) "d" k
#define VECTOR(k) "v" k "\\().2d"

/* A load of d clears the upper half of its vector, so sums of width 8 may add whole vectors. */
__asm__("	.pushsection .text\n"
	"	.arch_extension fp\n"
	"	.arch_extension simd\n"
	LOOPS("8", "d", SCALAR, "	fmov	d1, x4\n")
	LOOPS("16", "q", VECTOR, "	dup	v1.2d, x4\n")
	"	.popsection\n");

#define DECLARE(index, name) KB_DECLARE_STREAM(name, 8) KB_DECLARE_STREAM(name, 16)
#define LISTED(index, name) [KB_STREAM_##index] = { KB_STREAM_ENTRY(name, 8), KB_STREAM_ENTRY(name, 16) },

KB_STREAMS_OF_ALL(DECLARE) KB_STREAMS_PAST_CACHES(DECLARE)

const struct kb_stream_code kb_stream_codes[KB_STREAMS][KB_STREAM_WIDTHS] = { KB_STREAMS_OF_ALL(LISTED) KB_STREAMS_PAST_CACHES(LISTED) };

/* Every core with a user space has the 128-bit vectors. */
unsigned kb_stream_widest(void)
{
	return 16;
}
