# The host's side in a kernel that has modules: doctor, load, run, unload; whatever ends a run, no module stays. And kbench trace, which
# needs no module.
. /test/common.sh
export XDG_DATA_HOME=/tmp/data XDG_CACHE_HOME=/tmp/cache

# loaded: our modules, in one line.
loaded() {
	lsmod | sed -n 's/^\(kbench[a-z0-9_]*\) .*/\1/p' | sort | tr '\n' ' '
}

# becomes -z|-n WHAT: no module of ours is there, or one is, within some seconds, of a busy machine more: the guardian ends a moment
# after the run.
becomes() {
	tries=0
	until [ "$1" "$(loaded)" ]; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || {
			complain "$2: loaded are '$(loaded)'"
			return
		}
		usleep 100000
	done
}

gone() {
	becomes -z "$1 left modules"
}

arrived() {
	becomes -n "$1 loads nothing"
}

# ours CODE ARGUMENT...: kbench, its output in /tmp/out and /tmp/err.
ours() {
	expected=$1
	shift
	kbench "$@" >/tmp/out 2>/tmp/err
	code=$?
	[ $code -eq "$expected" ] || complain "kbench $*: exit code $code, not $expected: $(tail -n 3 /tmp/err)"
}

part doctor
ours 0 doctor kernel
cat /tmp/out
for name in modules built bpf raw_tp; do
	grep -q "^$name  *yes " /tmp/out || complain "doctor: $(grep "^$name " /tmp/out)"
done
grep -q 'kernel\.\* can be measured' /tmp/out || complain "doctor: $(tail -n 1 /tmp/out)"

part 'load and unload'
ours 0 list kernel
! grep -q 'not available' /tmp/out || complain "list: $(grep 'not available' /tmp/out | head -n 1)"
ours 0 kernel load null imul
[ "$(loaded)" = "kbench kbench_imul kbench_null " ] || complain "load: $(loaded)"
ours 0 kernel load kernel.null
ours 2 kernel load nul
grep -q 'did you mean null' /tmp/err || complain "load nul: $(cat /tmp/err)"

part 'what the user loaded stays'
ours 0 run kernel.null kernel.kmalloc --defaults --processes 1 --budget 20s --precision 100% --no-store
cat /tmp/out
grep -q '^ *kernel.kmalloc ' /tmp/out || complain "run: $(cat /tmp/out /tmp/err)"
[ "$(loaded)" = "kbench kbench_imul kbench_null " ] || complain "run took or left: $(loaded)"
ours 0 kernel unload
grep -q '^3 modules' /tmp/out || complain "unload: $(cat /tmp/out)"
gone unload

part 'a run loads and unloads'
ours 0 run kernel.null kernel.imul --processes 3 --budget 20s --precision 100% --json
gone 'a run'
for verdict in $(sed -n 's/^        "status": "\(.*\)".*/\1/p' /tmp/out); do
	case $verdict in
	ok | noisy | unverified) ;;
	*) complain "a row is $verdict: $(grep '"detail"' /tmp/out | head -n 3)" ;;
	esac
done
grep -A 4 '"estimate"' /tmp/out | head -n 20
ours 0 show --verbose
cat /tmp/out

part "two runs take turns"
kbench run kernel.null --processes 3 --budget 20s --precision 100% --no-store >/tmp/other 2>&1 &
other=$!
ours 0 run kernel.imul --processes 3 --budget 20s --precision 100% --no-store
wait $other || complain "the other run: $(cat /tmp/other)"
! grep skipped /tmp/out /tmp/other || complain "a run was skipped beside another"
gone 'two runs'

part "two runs share a module"
kbench run kernel.imul --processes 900 --budget 60s --no-store >/tmp/other 2>&1 &
other=$!
arrived "a run"
kbench run kernel.imul --processes 2 --budget 20s --precision 100% --no-store >/tmp/shared 2>&1 &
shared=$!
usleep 1500000
ours 5 kernel unload
ours 5 kernel load imul
grep -q 'a run that measures now has loaded kbench' /tmp/err || complain "load beside a run: $(cat /tmp/err)"
kill -9 $other
wait $other 2>/dev/null
wait $shared || complain "the run that was left: $(cat /tmp/shared)"
grep -q '^ *kernel.imul ' /tmp/shared && ! grep skipped /tmp/shared || complain "the run that was left: $(cat /tmp/shared)"
gone 'two runs, one killed'

part "another build is loaded"
ours 0 kernel load imul
mkdir -p "$XDG_CACHE_HOME/kbench/kernel/$(uname -r)"
cp "$modules/kbench_null.ko" "$XDG_CACHE_HOME/kbench/kernel/$(uname -r)/kbench_imul.ko"
ours 5 kernel load imul
grep -q 'of another build' /tmp/err || complain "another build: $(cat /tmp/err)"
ours 0 run kernel.imul --processes 1 --budget 20s --precision 100% --no-store
grep -q 'skipped' /tmp/out || complain "another build is measured: $(cat /tmp/out)"
rm -r "$XDG_CACHE_HOME"
ours 0 kernel unload

part "/sys is read-only"
mount -o remount,ro /sys
ours 0 run kernel.imul --method single --processes 1 --budget 20s --precision 100% --no-store
mount -o remount,rw /sys
! grep -q 'skipped' /tmp/out || complain "a run: $(cat /tmp/out)"
gone 'a run below a /sys that is read-only'

part "the article's line"
ours 0 run kernel.imul --method single --processes 2 --budget 20s --precision 100% --no-store
grep -Ex 'min=[0-9]+ max=[0-9]+ count=[0-9]+ 95th=[0-9]+ 90th=[0-9]+ 50th=[0-9]+ mad=[0-9]+' /tmp/out || complain "no line: $(cat /tmp/out)"

part 'kill -9'
for when in 0 700000; do
	kbench run kernel.null kernel.imul --processes 20 --budget 30s --no-store >/dev/null 2>&1 &
	run=$!
	arrived "a run"
	usleep $when
	kill -9 $run
	wait $run 2>/dev/null
	gone "a run killed after $when us"
done
[ ! -e $kbench ] || complain "$kbench is still there"

part 'a module that does not load'
mkdir -p "$XDG_CACHE_HOME/kbench/kernel/$(uname -r)"
cp "$modules/kbench_null.ko" "$XDG_CACHE_HOME/kbench/kernel/$(uname -r)/kbench_imul.ko"
dd if=/dev/zero of="$XDG_CACHE_HOME/kbench/kernel/$(uname -r)/kbench_imul.ko" bs=1 seek=100 count=4000 conv=notrunc 2>/dev/null
ours 0 run kernel.imul --processes 1 --budget 20s --precision 100% --no-store
grep -q 'skipped' /tmp/out && grep -q "cannot use kbench_imul: E" /tmp/out || complain "a broken module: $(cat /tmp/out)"
gone 'a broken module'
ours 2 kernel load null imul
gone 'a load that failed'
rm -r "$XDG_CACHE_HOME"

part 'without modules'
rm -f "$modules"/kbench.ko
ours 0 run kernel.null --no-store
grep -q "kbench kernel build" /tmp/out || complain "without modules: $(cat /tmp/out)"
ours 3 kernel load
gone 'nothing'
. /test/trace.sh
. /test/entries.sh
finish
