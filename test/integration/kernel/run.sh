#!/bin/sh
# kbench kernel, run and trace in a kernel that has modules and grants everything, in an emulated machine: what a run loads goes with
# it, however it ends, and what the user loaded stays. The modules themselves: guest.sh; what needs no such kernel: host.sh.
# runs: full, 200 s; it boots an emulated machine
set -u
. "$KB_SRC/test/support/check.sh"
guest=$KB_SRC/tools/guest

image=$("$guest" image --build "$KB_BUILD" 2>error) || {
	code=$?
	cat error
	exit $code
}
"$guest" boot --initramfs "$image" --job host --cpus 2 --memory 256 --seconds 400 >console 2>error
code=$?
cat console error
exit $code
