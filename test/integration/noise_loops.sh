#!/bin/sh
# The programs behind "Open questions" of doc/noise.md still run, each for a moment, and leave nothing behind: what they print is judged by
# people, its form here.
set -eu
[ "$(uname -m)" = x86_64 ] || {
	echo "their loops are of x86-64"
	exit 77
}
loops=$KB_SRC/test/loops
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR

# prints PATTERN: that a line of the table begins so.
prints() {
	grep -q "^$1" out || {
		echo "noise_loops: no line '$1' in:"
		cat out
		exit 1
	}
}

# runs PROGRAM [OPTION...]: for a moment, and nothing is left in the folder for temporary files.
runs() {
	program=$1
	shift
	"$loops/$program" --help >out
	prints 'usage:.*--build'
	timeout 120 "$loops/$program" --build "$KB_BUILD" "$@" >out
	[ -z "$(ls tmp)" ] || {
		echo "noise_loops: $program left $(ls tmp)"
		exit 1
	}
}

number='-\{0,1\}[0-9][0-9.]*'
off='[+-][0-9][0-9.]*'

# Without --causes, which traces the kernel: for that moment everybody's calls are dearer.
runs states.py --seconds 0.5 --processes 2
for kind in null called selfpipe badret clock; do
	prints "$kind  *\($number  *$number  *$number %\|too few\)"
done
prints "spinners of the same session  *[0-9][0-9]*  *[0-9]"
prints " *changes of level: [0-9]* with nothing between\|.*too few"

runs cpus.py --rounds 1 --seconds 0.3
[ "$(nproc)" = 1 ] || {
	prints "sys.stat  *\($number  *$number  *$off\|no uncontended cost\)"
	prints "badret  *\($number  *$off\|too few\)"
	prints "interrupts meanwhile: [0-9]* on CPU"
}

runs occasions.py --rounds 1 --seconds 0.3 --writes 40
prints "benchmark  *occasion"
prints "process 1  *\([0-9]* *$number  *$number\|too few\)"

runs last_cache.py --seconds 0.7
prints "alone: [0-9]* blocks"
prints "\(ring 64 MB  *$number  *$number  *ring 16 MB  *\($number\|-\)  *$number\|too few\)"

runs ticks.py --seconds 1 --processes 1
prints "[0-9]* stretches, [0-9]* of them uncontended"
prints "\(all  *[0-9][0-9]*  *$number  *$off\|too little\)"

runs unknown.py --seconds 3
prints "\(two loads, in turn  *[0-9]\|no probes\)"

runs window.py --seconds 1
prints "20  *270  *$number  *$number  *$number  the probe"
prints "the probe at its floor in [0-9]* of [0-9]* turns"
prints "lowest twentieth: .* multiplications wait"
runs window.py --documented
prints "AMD Zen 4  *320  *6  *$number  *$off %"

# What has been started has ended, those that the scripts hold and stop included.
sleep 0.2
! ps -eo args | grep -F -e "$PWD/tmp/" -e "$loops/" | grep -vF grep || {
	echo "noise_loops: still running"
	exit 1
}

# The loops of the other architecture, as far as an emulator tells: they compile, run and end.
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
	aarch64-linux-gnu-gcc -static -O2 "$loops/window.c" "$loops/window_aarch64.c" -o tmp/window
	timeout 60 qemu-aarch64 tmp/window 0.2 0 >out
	prints "20 270 $number $number"
fi
