#!/bin/sh
# Runs that share the modules of a kernel, against a stand-in for one that has modules (preload/modules.c): none unloads what another
# relies on, the last one unloads all, also after kill -9; and what the user loads and unloads stays the user's.
# runs: slow, 9 s
set -u
. "$KB_SRC/test/support/check.sh"

. "$KB_SRC/test/support/kernel_device.sh"
kernel_device
# shellcheck disable=SC2086
$cc -O2 -Wall -Wextra -Werror -std=gnu11 -shared -fPIC -include stdbool.h "$KB_SRC/test/integration/preload/modules.c" -o modules.so -ldl || exit 1

export XDG_CACHE_HOME="$PWD/cache" KB_FAKE_MODULES="$PWD/modules" KB_FAKE_DEVICE="$PWD/device" KB_FAKE_SLOW=100
files=$XDG_CACHE_HOME/kbench/kernel/$(uname -r)
mkdir -p "$files" "$KB_FAKE_MODULES/kernel"
touch "$KB_FAKE_MODULES/kernel/uevent"
version=$(sed -n 's/^#define KB_MODULE_VERSION "\([^"]*\)".*/\1/p' "$KB_SRC/src/base/module_version.h")

# a_module NUMBER NAME: a file of that build.
a_module() {
	printf 'build %s of %s, version=%s\000' "$1" "$2" "$version" >"$files/$2.ko"
}

for module in kbench kbench_memcpy kbench_imul; do
	a_module 1 $module
done

preload="LD_PRELOAD=$PWD/modules.so $PWD/device.so"

ours() {
	timeout 120 env "$preload" "$KBENCH" "$@"
}

# loaded: modules that are there, in one line.
loaded() {
	ls "$KB_FAKE_MODULES" | grep '^kbench' | tr '\n' ' '
}

loaded_are() {
	[ "$(loaded)" = "$1" ]
}

# until_loaded TEXT WHAT: within a minute, as other tests run as well.
until_loaded() {
	await 60 loaded_are "$1" || fail "$2: there is '$(loaded)', not '$1'"
}

# measured FILE WHAT: a run whose rows are numbers.
measured() {
	grep -q '^kernel\.' "$1" && ! grep -q 'skipped\|invalid\|need_unmet' "$1" || fail "$2: $(cat "$1")"
}

# answers CODE PATTERN ARGUMENT...
answers() {
	answer_code=$1 pattern=$2
	shift 2
	exits "$answer_code" ours "$@"
	says "$pattern"
}

# begin FILE: a run that goes on until it is ended, with a store of its own.
begin() {
	rm -f "$1".db*
	# shellcheck disable=SC2086 # words
	env "$preload" "$KBENCH" run kernel.memcpy $run --store "$1.db" --processes 900 >"$1" 2>&1 &
}

has_result() {
	"$KBENCH" runs --store "$1.db" --json 2>/dev/null | grep -q '"results": 1'
}

# until_measured FILE: that run has a number, whenever it ends.
until_measured() {
	await 60 has_result "$1" || fail "the run of $1 measures nothing"
}

measures() {
	cat /proc/[0-9]*/stat 2>/dev/null | grep -q "(kbench-collect-) [A-Z] $1 "
}

# until_measuring PID: a run's launch has been started, so it relies on its modules.
until_measuring() {
	await 60 measures "$1" || fail "a run starts no launch"
}

run='--defaults --method single --budget 120s --precision 100%'

# ---- one after another, and at once ----------------------------------------------------------------------

# shellcheck disable=SC2086 # words
{
	ours run kernel.memcpy $run --no-store --processes 1 >out 2>&1
	measured out "a run alone"
	until_loaded '' "a run alone"

	# The first loads, the second goes on when the first has ended or was killed.
	for end in TERM KILL; do
		begin first
		until_loaded 'kbench kbench_memcpy ' "a run"
		first=$!
		begin second
		second=$!
		until_measuring $second
		[ $end = KILL ] || until_measured first
		kill -$end $first
		wait $first 2>/dev/null
		[ $end = KILL ] || measured first "the first of two"
		sleep 1
		[ "$(loaded)" = 'kbench kbench_memcpy ' ] || fail "behind the first run, ended by $end, there is '$(loaded)'"
		until_measured second
		kill $second
		wait $second
		measured second "a run beside one that was ended by $end"
		until_loaded '' "two runs, one ended by $end"
	done

	# While a run relies on it, the user can neither take it over nor away; then both.
	begin first
	first=$!
	until_loaded 'kbench kbench_memcpy ' "a run"
	answers 5 'a run that measures now has loaded kbench and will unload it' kernel load memcpy
	answers 5 'is in use: end the runs' kernel unload
	kill -9 $first
	wait $first 2>/dev/null
	until_loaded '' "a run that was killed"
	answers 0 '^1 benchmark is in the kernel' kernel load memcpy kbench_memcpy kernel.memcpy
	ours run kernel.memcpy kernel.imul $run --no-store --processes 1 >out 2>&1
	measured out "a run with what the user loaded"
	until_loaded 'kbench kbench_memcpy ' "what the user loaded"
	answers 3 'no module kbench_mutex for this kernel' kernel load imul mutex
	until_loaded 'kbench kbench_memcpy ' "a load that failed"

	# Built again: what is loaded is not what would be measured.
	a_module 2 kbench_memcpy
	ours run kernel.memcpy $run --no-store --processes 1 >out 2>&1
	tr -s ' \n' ' ' <out | grep -q 'kbench_memcpy is loaded, but of another build than' || fail "a module of another build: $(cat out)"
	answers 5 'of another build' kernel load memcpy
	answers 0 '^2 modules unloaded' kernel unload
	until_loaded '' "unload"
	ours run kernel.memcpy $run --no-store --processes 1 >out 2>&1
	measured out "a run of the new build"
}
until_loaded '' "all of it"

# ---- run and guardian are killed together --------------------------------------------------------------------------------

begin first
first=$!
until_loaded 'kbench kbench_memcpy ' "a run"
kill -STOP $first
for child in $(cat /proc/$first/task/$first/children); do
	[ "$(cat /proc/$child/comm)" != kbench-guardian ] || kill -9 $child
done
kill -9 $first
wait $first 2>/dev/null
sleep 0.5
[ "$(loaded)" = 'kbench kbench_memcpy ' ] || fail "nobody is left who unloads, but there is '$(loaded)'"
ours run sys.null --processes 1 --precision 100% --budget 5s --no-store >out 2>&1 || fail "the next run: $(cat out)"
until_loaded '' "the next run"
