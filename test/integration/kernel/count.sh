#!/bin/sh
# kbench kernel insn on a real kernel, Debian's, in an emulated machine that needs no rights: exact counts, a function of one's own, one nop
# in an inline function of the kernel's headers, and everything that must not pass. The image is tools/guest's.
# runs: full, 60 s; it boots an emulated machine
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/kernel_doc.sh"
guest=$KB_SRC/tools/guest

debian_kernel

gives 0 kernel insn --kernel "$image" --headers "$headers" kernel.fib_lookup kernel.null
says '^kernel.fib_lookup  *[1-9][0-9]*  exact$'
says '^kernel.null  *0  exact$'
gives 0 show last
says 'kernel.fib_lookup  *[0-9]* insn  *exact'

# The headers of another kernel, in which siphash() of one word has a nop more: a patch that a module sees.
patched_headers
write_listings .
gives 1 kernel insn --kernel "$image" --headers "$patched" --against "$image" --against-headers "$headers" --bench siphash.c \
	-p bytes=64 --markdown
says '^[|] kernel.siphash [|] [0-9]* [|] [0-9]* [|] [+]1 [(]'
gives 0 kernel insn --kernel "$image" --headers "$headers" --against "$image" --against-headers "$headers" --bench siphash.c -p bytes=64 --json
grep -q '"exact": true' out && grep -q '"decision": "equivalent"' out || fail "the same kernel twice: $(cat out)"

# The turn that a statement is in.
cat >turns.c <<'END'
#include "kbench_kernel.h"

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t next = 0;

	KB_KERNEL_LOOP(n, next += KB_TURN == next);
	return next == n ? 0 : kb_fail(run, EBADMSG, "%llu turns of %llu", next, n);
}

KB_KERNEL_ABOUT(
	.summary = "turns that are numbered", .per = "turn", .portability = KB_PLATFORM, .assumes = "each turn has the next number", .bound = KB_KERNEL,
	.needs = KB_NEED_ROOT,
);
KB_KERNEL_BENCHMARK(.op = op, .base = kb_empty_loop, .checked = true);
END
gives 0 kernel insn --kernel "$image" --headers "$headers" --bench turns.c
says '^kernel.turns  *[1-9][0-9]*  exact$'

# ---- what must not pass -----------------------------------------------------------------------------------------

gives 2 kernel insn --kernel "$PWD/siphash.c"
says 'no kernel for x86_64'
gives 2 kernel insn --kernel "$image" --headers "$PWD"
says 'no headers of a kernel'
mkdir -p wrong/include/generated
echo '#define UTS_RELEASE "9.9.9"' >wrong/include/generated/utsrelease.h
gives 2 kernel insn --kernel "$image" --headers wrong
says 'are headers of 9.9.9'
gives 2 kernel insn --kernel "$image" --headers "$headers" sys.null
says 'no benchmark'
# A wrong result is no count.
sed 's/text->expected = siphash(text->at, text->bytes/text->expected = 1 + siphash(text->at, text->bytes/' siphash.c >wrong.c
gives 5 kernel insn --kernel "$image" --headers "$headers" --bench wrong.c -p bytes=64
says 'kernel.wrong .*invalid: '
[ -z "$(find cache -name '*.part-*')" ] || fail "left: $(find cache -name '*.part-*')"
