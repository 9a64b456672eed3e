#!/bin/sh
# How many instructions benchmarks of the kernel execute, on a machine whose clock counts them: min and p50 of each row must be
# those that were recorded for the same kernel, emulator, CPU, command line and compiler (test/data/kernel). Values of another
# combination are not comparable: then this is skipped, and says how to record them. The same boot says what three ways to one function
# of the kernel give, to the instruction (test/guest/agree.sh).
# runs: full, 100 s; it boots an emulated machine
set -u
. "$KB_SRC/test/support/check.sh"
guest=$KB_SRC/tools/guest
golden=$KB_SRC/tools/guest-insn

image=$("$guest" image --build "$KB_BUILD" 2>error) || {
	code=$?
	cat error
	exit $code
}
exec "$golden" check --initramfs "$image"
