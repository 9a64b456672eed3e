#!/bin/sh
# The programs behind the tables and "Open questions" of doc/noise.md still run, each for a moment, and leave nothing behind: what they
# print is judged by people, its form here.
# runs: full, 60 s; programs of an investigation, each for some seconds
set -eu
. "$KB_SRC/test/support/check.sh"
[ "$(uname -m)" = x86_64 ] || skip "their loops are of x86-64"
loops=$KB_SRC/test/loops
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR

# prints PATTERN: that a line of the table begins so.
prints() {
	grep -q "^$1" out || fail "no line '$1' in: $(cat out)"
}

# runs PROGRAM [OPTION...]: for a moment, and nothing is left in the folder for temporary files.
runs() {
	program=$1
	shift
	"$loops/$program" --help >out
	prints 'usage:.*--build'
	timeout 120 "$loops/$program" --build "$KB_BUILD" "$@" >out
	[ -z "$(ls tmp)" ] || fail "$program left $(ls tmp)"
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

runs moves.py --seconds 1
prints "loads  *between additions, pieces of  *20 us: $off %"
prints "after  *10 ms\( the clock is another one by $number %\|: too few\)"
prints "0.1 s of loads:  *\(clock $off\|too few\)"

runs unknown.py --seconds 3
prints "\(two loads, in turn  *[0-9]\|no probes\)"

runs window.py --seconds 1
prints "20  *270  *$number  *$number  *$number  the probe"
prints "the probe at its floor in [0-9]* of [0-9]* turns"
prints "lowest twentieth: .* multiplications wait"
runs window.py --documented
prints "AMD Zen 4  *320  *6  *$number  *$off %"

# ---- the tables -------------------------------------------------------------------------------------------

timeout 60 "$loops/probes.sh" 1 >out
prints 'additions and no-operations  *[0-9.]* %'
prints 'chain and no-operations  *[0-9.]* %'

timeout 100 "$loops/returns.py" --build "$KB_BUILD" --seconds 2 >out
for way in syscall function libc; do
	prints "$way  *\([0-9]* *[0-9.]*\|no uncontended cost\)"
done

# One run of what is in a state file already: nothing is measured.
printf '{"kind": "idle", "number": 1, "seconds": 5, "lmbench": {}, "results": {"sys.null": {"value": 2.0, "observed": 3.0, "unit": "ns"%s}}}\n' \
	', "headline": "uncontended", "status": "ok", "quality": 0.1, "clean": 0.5, "processes": 6' >state
"$KB_SRC/test/noise.py" --state state --print >out || [ $? -eq 1 ]
prints 'sys.null  *2 ns'

# What has been started has ended, those that the scripts hold and stop included.
sleep 0.2
! ps -eo args | grep -F -e "$PWD/tmp/" -e "$loops/" | grep -vF grep || fail "still running"

# The loops of the other architecture, as far as an emulator tells: they compile, run and end.
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
	aarch64-linux-gnu-gcc -static -O2 "$loops/window.c" "$loops/window_aarch64.c" -o tmp/window
	timeout 60 qemu-aarch64 tmp/window 0.2 0 >out
	prints "20 270 $number $number"
fi
