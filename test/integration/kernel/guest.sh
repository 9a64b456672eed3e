#!/bin/sh
# The kernel modules in a machine of their own: Debian's cloud kernel under emulation loads every module, runs every benchmark by
# sysfs, by /dev/kbench and by kbench run, refuses what it must, survives kills, and has nothing left and nothing to complain
# about at the end. Instruction counts: insn.sh.
# runs: full, 200 s; it boots an emulated machine
set -u
. "$KB_SRC/test/support/check.sh"
guest=$KB_SRC/tools/guest
. "$KB_SRC/test/support/kernel_doc.sh"

# What it says, also when it cannot: the reason is the last line.
image=$("$guest" image --build "$KB_BUILD" 2>error) || {
	code=$?
	cat error
	exit $code
}

# A second archive behind the first: the benchmarks of doc/kernel.md, and its commands.
own_modules "$KB_BUILD/guest/own" >error 2>&1 || {
	tail -n 20 error
	echo "the benchmarks of doc/kernel.md are not built"
	exit 1
}
mkdir -p more/test/own/modules
cp "$KB_BUILD"/guest/own/modules/* more/test/own/modules/
strip --strip-debug more/test/own/modules/*.ko
guest_commands >more/test/own/commands
listings console kernel.md >more/test/own/console
(cd more && find . | cpio -o -H newc --quiet) | cat "$image" - >image.cpio || exit 1
image=image.cpio

# Slab debugging notes who allocated each object: that is how the job finds what was not freed.
"$guest" boot --initramfs "$image" --job functional --cpus 2 --memory 256 --seconds 280 --append 'slub_debug=U,kmalloc-*' >console 2>error
code=$?
cat console error
[ $code -eq 0 ] || exit $code
grep -q '^== end' console || fail "the job did not come to its end"
