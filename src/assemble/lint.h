/*
 * What looks wrong in composed code, from its disassembly: Y320 bytes that do not decode, W321 no return or jump at the end,
 * W322 a callee-saved register that is written and not brought back. By reading text, so each is a hint with its place, and
 * a program may have reasons; but a register that is overwritten before anything read it, with no branch before, is lost: Y322.
 */
#ifndef KB_ASSEMBLE_LINT_H
#define KB_ASSEMBLE_LINT_H

#include "code/bits.h"

struct kb_lint {
	unsigned number;                /* 320 321 322 */
	bool error;                     /* Y320 and Y322; else a warning */
	size_t offset;                  /* of the instruction */
	char place[300];                /* "pf.yamba:94" */
	char text[400];                 /* one sentence */
};

/* Calls `found` for each: Y320 by address, W322 or Y322 for the last writing of each register, W321. 0, -ENOENT without an objdump
   for the target, or another -errno. */
int kb_lint(const struct kb_bits *, void (*found)(void *, const struct kb_lint *), void *context);

#endif
