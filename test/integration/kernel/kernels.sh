#!/bin/sh
# Kernels that the other tests do not boot: with PREEMPT_RT, where locks sleep and no window closes, and a newer one. Some of the modules build,
# load, run and unload there, and kbench measures and traces.
# runs: full, 110 s; it boots three emulated machines
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/kernel_doc.sh"
guest=$KB_SRC/tools/guest
KB_GUEST=
export KB_GUEST

# boots KERNEL JOB IMAGE...: in $console.
boots() {
	console=console-$2
	KB_GUEST_KERNEL=$1 "$guest" boot --initramfs "$3" --job "$2" --cpus 2 --memory 384 --seconds 200 >"$console" 2>error
}

# passes KERNEL IMAGE: the job `kernels`, to its end.
passes() {
	boots "$1" kernels "$2" && grep -q '^== end' "$console" || {
		cat "$console" error
		fail "$1: the job did not end well"
	}
}

some='null mutex spin_lock rwsem kmalloc fib_lookup timer_wakeup'
image=$(KB_GUEST_KERNEL=rt "$guest" image --build "$KB_BUILD" --only "$some" 2>error) || {
	code=$?
	cat error
	exit $code
}
passes rt "$image"
grep -q 'PREEMPT_RT' "$console" || fail "the kernel rt is none: $(head -n 5 "$console")"

# A kernel that complains fails whatever the job says, and what it said is printed.
! boots rt complains "$image" || fail "a kernel that complains passes: $(cat "$console")"
grep -q 'BUG: a complaint \[of the test\] by complains.sh' "$console" || fail "the complaint is not printed: $(cat "$console")"

# The other one by kbench kernel build, with a benchmark of a user's, whose description comes with it. These headers have the kernel's types.
folder=$(KB_GUEST_KERNEL=6.12 "$guest" fetch 2>error) || {
	cat error
	fail "no kernel 6.12"
}
headers=$(ls -d "$folder"/system/usr/src/linux-headers-*-cloud-amd64)
write_listings .
# shellcheck disable=SC2086 # words
gives 0 kernel build $some --bench siphash.c --headers "$headers" -o "$PWD/made"
command -v pahole >/dev/null || says 'no pahole: the modules are built without their types'
[ -s made/kbench_siphash.bench ] && [ -s made/kbench_siphash.ko ] || fail "made: $(ls made)"
KB_GUEST_KERNEL=6.12 "$guest" initramfs --into own.cpio --modules made --programs "$KB_BUILD" 2>error || fail "$(cat error)"
passes 6.12 own.cpio
grep -q '^kernel.siphash ' "$console" || fail "a benchmark of a user's is not known: $(cat "$console")"
# Where there is pahole, it is called.
mkdir bin
printf '#!/bin/sh\n: >"%s/called"\nexit 1\n' "$PWD" >bin/pahole
chmod +x bin/pahole
PATH=$PWD/bin:$PATH "$KBENCH" kernel build null --headers "$headers" -o "$PWD/typed" >out 2>err && [ ! -e called ] && fail "pahole is not called: $(cat out err)"
! grep -q 'no pahole' err || fail "pahole is there: $(cat err)"
[ "$(KB_GUEST_KERNEL=.. "$guest" fetch 2>&1)" = "guest: KB_GUEST_KERNEL=..: must be rt, a version like 6.12, or both: 6.12-rt; or arm64" ] || fail "a kernel called '..'"
