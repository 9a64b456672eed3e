/*
 * The streaming loops of riscv64, as functions in assembly: one source gives the same bytes, hence the same hash,
 * with every compiler, and code that must not use floating point can hold them. Arguments come in a0 to, a1 from,
 * a2 other, a3 bytes, a4 value. A body has KB_STREAM_UNROLL accesses, loads before their uses, since some cores
 * execute in order. Width is 8: vectors of this architecture have no fixed one. There are no stores past the
 * caches.
 */
#include "arch/stream.h"

#define NAME(op) "kb_stream_" op "_8"
#define WORDS "t0, t1, t2, t3, t4, t5, t6, a7"
#define FLOATS "ft0, ft1, ft2, ft3, ft4, ft5, ft6, ft7"
#define SUMS "fa0, fa1, fa2, fa3, fa4, fa5, fa6, fa7"

#define LOOP(op, prologue, body, step, epilogue) \
	"	.p2align 6\n" \
	NAME(op) ":\n" \
	prologue \
	"	beqz	a3, 2f\n" \
	"	.p2align 6\n" \
	"1:\n" \
	body \
	step \
	"	addi	a3, a3, -64\n" \
	"	bnez	a3, 1b\n" \
	"2:\n" \
	epilogue \
	"	ret\n" \
	NAME(op) "_end:\n"

#define MOVE(pointers) "	.irp p, " pointers "\n	addi	\\p, \\p, 64\n	.endr\n"
/* One instruction for each register r, with `off` the next word's offset. */
#define EACH(registers, text) "	.set off, 0\n	.irp r, " registers "\n	" text "\n	.set off, off + 8\n	.endr\n"
#define ZERO "	li	a0, 0\n"
#define Q "	fmv.d.x	ft8, a4\n"
#define CLEAR "	li	a5, 0\n	li	a6, 0\n"
#define CLEAR_SUMS EACH(SUMS, "fmv.d.x	\\r, zero")
/* Two sums: a chain of one addition a cycle would bound cores that load more. */
#define GATHER "	.irp r, t0, t2, t4, t6\n	add	a5, a5, \\r\n	.endr\n" \
	"	.irp r, t1, t3, t5, a7\n	add	a6, a6, \\r\n	.endr\n"
#define ALL_SUMS "	.irp r, fa1, fa2, fa3, fa4, fa5, fa6, fa7\n	fadd.d	fa0, fa0, \\r\n	.endr\n	fmv.x.d	a0, fa0\n"
#define PAIRWISE(text) "	.irp k, 0, 1, 2, 3, 4, 5, 6, 7\n	" text "\n	.endr\n"
#define LOAD_FROM EACH(FLOATS, "fld	\\r, off(a1)")
#define STORE_TO EACH(FLOATS, "fsd	\\r, off(a0)")

__asm__("	.pushsection .text\n"
	"	.p2align 6\n"          /* before norvc: the linker may have to fill 62 bytes behind compressed code */
	"	.option	push\n"
	"	.option	norvc\n"
	"	.option	arch, +d\n"
	LOOP("read", CLEAR, EACH(WORDS, "ld	\\r, off(a1)") GATHER, MOVE("a1"), "	add	a0, a5, a6\n")
	LOOP("index", CLEAR "	li	a0, 0\n",
	     "	.irp r, " WORDS "\n	slli	a2, a0, 3\n	add	a2, a1, a2\n	ld	\\r, 0(a2)\n	addi	a0, a0, 1\n	.endr\n"
	     GATHER, "", "	add	a0, a5, a6\n")
	LOOP("write", "", EACH(WORDS, "sd	a4, off(a0)"), MOVE("a0"), ZERO)
	LOOP("update", "", EACH(WORDS, "ld	\\r, off(a0)") EACH(WORDS, "add	\\r, \\r, a4") EACH(WORDS, "sd	\\r, off(a0)"),
	     MOVE("a0"), ZERO)
	LOOP("copy", "", EACH(WORDS, "ld	\\r, off(a1)") EACH(WORDS, "sd	\\r, off(a0)"), MOVE("a0, a1"), ZERO)
	LOOP("scale", Q, LOAD_FROM EACH(FLOATS, "fmul.d	\\r, \\r, ft8") STORE_TO, MOVE("a0, a1"), ZERO)
	LOOP("add", "", LOAD_FROM EACH(SUMS, "fld	\\r, off(a2)") PAIRWISE("fadd.d	ft\\k, ft\\k, fa\\k") STORE_TO,
	     MOVE("a0, a1, a2"), ZERO)
	LOOP("triad", Q, LOAD_FROM EACH(SUMS, "fld	\\r, off(a2)") PAIRWISE("fmul.d	fa\\k, fa\\k, ft8")
	     PAIRWISE("fadd.d	ft\\k, ft\\k, fa\\k") STORE_TO, MOVE("a0, a1, a2"), ZERO)
	LOOP("daxpy", Q, LOAD_FROM EACH(SUMS, "fld	\\r, off(a0)") PAIRWISE("fmul.d	ft\\k, ft\\k, ft8")
	     PAIRWISE("fadd.d	ft\\k, ft\\k, fa\\k") STORE_TO, MOVE("a0, a1"), ZERO)
	LOOP("sum", CLEAR_SUMS, LOAD_FROM PAIRWISE("fadd.d	fa\\k, fa\\k, ft\\k"), MOVE("a1"), ALL_SUMS)
	"	.option	pop\n"
	"	.popsection\n");

#define DECLARE(index, name) KB_DECLARE_STREAM(name, 8)
#define LISTED(index, name) [KB_STREAM_##index] = { KB_STREAM_ENTRY(name, 8) },

KB_STREAMS_OF_ALL(DECLARE)

const struct kb_stream_code kb_stream_codes[KB_STREAMS][KB_STREAM_WIDTHS] = { KB_STREAMS_OF_ALL(LISTED) };

unsigned kb_stream_widest(void)
{
	return 8;
}
