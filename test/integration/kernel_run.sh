#!/bin/sh
# kbench kernel, run and trace in a kernel that has modules and grants everything, in an emulated machine: what a run loads goes with
# it, however it ends, and what the user loaded stays. The modules themselves: kernel.sh; what needs no such kernel: kernel_host.sh.
set -u
guest=$KB_SRC/tools/guest

[ "${KB_FULL:-0}" = 1 ] || {
	echo "boots an emulated machine: only in the full test"
	exit 77
}
image=$("$guest" image --build "$KB_BUILD" 2>error) || {
	code=$?
	cat error
	exit $code
}
"$guest" boot --initramfs "$image" --job host --cpus 2 --memory 256 --seconds 400 >console 2>error
code=$?
cat console error
exit $code
