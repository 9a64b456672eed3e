#!/bin/sh
# The host's side of benchmarks inside the kernel, without a kernel that has modules: doctor, rows that are skipped, wrong input,
# and launches against a stand-in for /dev/kbench, good, failing and dying ones. What needs a kernel: test/guest/host.sh.
# runs: slow, 18 s
set -eu
. "$KB_SRC/test/support/check.sh"
export COLUMNS=200

collector=$KB_BUILD/kbench-collect-kernel
export XDG_CACHE_HOME="$PWD/cache"

# ---- doctor -----------------------------------------------------------------------------------------------

instances() {
	ls -d /sys/kernel/tracing/instances/kbench* /sys/kernel/debug/tracing/instances/kbench* 2>/dev/null || true
}

mounts=$(wc -l </proc/self/mounts)
gives 0 doctor kernel
for name in modules lockdown headers compiler device bpf fentry kprobe tracefs perf_hardware; do
	grep -Eq "^$name +(yes|E[A-Z0-9]+) +[^ ]" out || fail "doctor does not know $name: $(cat out)"
done
# What is refused is explained.
refused=$(grep -Ec '^[a-z_]+ +E[A-Z]' out || true)
[ "$(grep -c '^        why: ' out)" -eq "$refused" ] && [ "$(grep -c '^        do:  *[^ ]' out)" -eq "$refused" ] ||
	fail "doctor: $refused refused, and not as many reasons and remedies: $(cat out)"
[ -z "$(instances)" ] || fail "doctor left $(instances)"
[ "$(wc -l </proc/self/mounts)" -eq "$mounts" ] || fail "doctor left a mount"
# The table says what bpf(2) itself answers; without rights nothing but refusals is found, and it does not stop.
gives 0 doctor kernel --json
grep -q '"schema": "kbench-kernel/1"' out || fail "doctor --json: $(cat out)"
[ "$(grep -c '"errno": "E' out)" -eq "$refused" ] || fail "doctor and doctor --json differ"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null 2>&1; then
	timeout 60 setpriv --reuid=65534 --clear-groups --bounding-set=-all "$KBENCH" doctor kernel >out 2>err || fail "doctor as nobody: $(cat err)"
	grep -q '^device  *E[NA][OC]' out || fail "doctor as nobody: $(cat out)"
fi

# ---- wrong input ------------------------------------------------------------------------------------------

refuses 2 "missing subcommand .build, load, unload." kernel
refuses 2 "no subcommand .lode., did you mean load" kernel lode
refuses 2 'goes with build' kernel load --headers /nowhere
refuses 2 'json goes with insn' kernel unload --json
refuses 2 "it is 'kbench doctor kernel' now" kernel doctor
refuses 2 'did you mean null' kernel load nul
refuses 2 'see .kbench list kernel' kernel load nothing_like_it
refuses 2 'no headers of a kernel' kernel build --headers "$PWD"
refuses 2 'unexpected argument' doctor kernel now
refuses 2 'outside 1\.\.' run kernel.spin_lock -p threads=0
# Two launches cannot be alive at once there: ab says what does instead. Of a pattern that means more, the others are compared.
for row in kernel.imul kernel sel4.signal; do
	refuses 2 "kbench ab interleaves its sides, but .*: measure each with .kbench run --label NAME., then .kbench compare NAME NAME." ab --b X=1 $row
done
refuses 2 'kbench ab interleaves its sides' ab --b X=1 sys.null kernel.imul
gives 0 ab --b X=1 '*.null' --processes 1 --budget 1s --no-store --json
grep -q '"row": "sys.null"' out && ! grep -q '"row": "kernel' out || fail "ab of a pattern: $(cat out)"
mkdir -p headers/include/config headers/include/generated other/files
echo '#define UTS_RELEASE "9.9.9-test"' >headers/include/generated/utsrelease.h
refuses 3 'kernel 9.9.9-test is built without modules' kernel build --headers headers
echo CONFIG_MODULES=y >headers/include/config/auto.conf
refuses 2 'holds other things' kernel build --headers headers -o other
refuses 2 'blanks or special' kernel build --headers headers -o 'a b'
refuses 2 'blanks or special' kernel build --headers headers -o 'a;b'

# make fails: one line says why, nothing is left.
printf 'modules:\n\t@echo "bench/null.c:7:2: error: a thing is missing"; false\n' >headers/Makefile
refuses 5 'do not compile: .*a thing is missing' kernel build --headers headers -o made
[ ! -e made ] && [ -z "$(find . -name '*.part-*')" ] || fail "a build that failed left $(find . -name 'made*')"

# make itself says what is wrong, and which folder it leaves.
echo all: >headers/Makefile
refuses 5 'do not compile: .*No rule to make target' kernel build --headers headers -o made

# make ends well and makes nothing, or not all of it: no folder.
for none in true 'touch $(M)/kbench_null.ko'; do
	printf 'modules:\n\t%s\n' "$none" >headers/Makefile
	refuses 5 'make ended well and' kernel build --headers headers -o made
	[ ! -e made ] && [ -z "$(find . -name '*.part-*')" ] || fail "a build that made '$none' left $(find . -name 'made*')"
done

# make fails, and whoever started kbench ignores SIGCHLD: that is a failure, too.
printf 'modules:\n\t@touch $(M)/kbench.ko; echo "error: after all"; false\n' >headers/Makefile
(
	trap '' CHLD
	refuses 5 'do not compile: .*after all' kernel build --headers headers -o made
)

# It ends well: all modules are there at once, and the ones before it are gone.
printf 'modules:\n\ttouch $(M)/kbench.ko $(M)/kbench_null.ko\n' >headers/Makefile
gives 0 kernel build --headers headers -o made
grep -q "2 modules for kernel 9.9.9-test in $PWD/made" out || fail "build: $(cat out)"
touch made/kbench_old.ko
gives 0 kernel build --headers headers -o made
[ "$(ls made | tr '\n' ' ')" = 'kbench.ko kbench_null.ko ' ] || fail "built: $(ls made)"
touch made/mine.c
refuses 2 'holds other things' kernel build --headers headers -o made
[ -e made/mine.c ] && [ -e made/kbench.ko ] || fail "a refused build took $(ls made)"
gives 0 kernel build --headers headers
[ -f "cache/kbench/kernel/9.9.9-test/kbench.ko" ] || fail "not in the cache: $(find cache)"

# Only what is named; and of all, not what needs a function that this kernel keeps for itself.
printf 'modules:\n\techo "$(KB_ONLY)" >%s/only\n\ttouch $(M)/kbench.ko $(M)/kbench_null.ko $(M)/kbench_aes.ko\n\t@echo %s\n' "$PWD" \
	"'WARNING: modpost: \"crypto_of_old\" [\$(M)/kbench_aes.ko] undefined!'" >headers/Makefile
refuses 5 'kbench_aes: kernel 9.9.9-test has no crypto_of_old for modules' kernel build null kernel.aes --headers headers -o named
[ "$(cat only)" = 'null aes' ] && [ ! -e named ] || fail "of what is named there is: $(cat only; ls named)"
gives 0 kernel build --headers headers -o all
[ -z "$(tr -d '\n' <only)" ] && [ ! -e all/kbench_aes.ko ] && [ -e all/kbench_null.ko ] || fail "of all there is: $(cat only; ls all)"
says 'left out kbench_aes: kernel 9.9.9-test has no crypto_of_old for modules'
refuses 2 'did you mean null' kernel build nul --headers headers

# Killed while it compiles: the copy of the sources goes, and make.
printf 'modules:\n\tmktemp >/dev/null; echo $$$$ >%s/make.pid; sleep 60\n' "$PWD" >headers/Makefile
"$KBENCH" kernel build --headers headers -o killed >/dev/null 2>&1 &
build=$!
await 60 [ -s make.pid ] || fail "make was not started"
kill -9 $build
wait $build 2>/dev/null || true
nothing_left() {
	[ -z "$(find . -name '*.part-*' -prune)" ] && ! kill -0 "$(cat make.pid)" 2>/dev/null
}
await 60 nothing_left || :
[ -z "$(find . -name '*.part-*' -prune)" ] || fail "a build that was killed left $(find . -name '*.part-*' -prune)"
! kill -0 "$(cat make.pid)" 2>/dev/null || fail "a build that was killed left make"
[ ! -e killed ] || fail "a build that was killed made something"
! ls "$TMPDIR"/tmp.* 2>/dev/null || fail "a build that was killed left files of its compiler"

# ---- rows that cannot be ------------------------------------------------------------------------------------

if "$KBENCH" list kernel.null | grep -q 'not available here'; then
	gives 0 run kernel.null --no-store
	grep -Eq '^ *kernel\.null .* skipped' out || fail "not skipped: $(cat out)"
	reason=$("$KBENCH" list kernel.null | sed -n 's/^    not available here: //p' | cut -c 1-30)
	tr -s ' \n' ' ' <out | grep -qF "$reason" || fail "run gives another reason than list ($reason): $(cat out)"
	# Of a pattern that means more, what runs is measured.
	gives 0 run '*.null' --processes 1 --budget 10s --no-store
	! grep -q '^ *kernel\.' out || fail "'*.null' has rows of the kernel: $(cat out)"
	gives 3 kernel load null
	[ "$(wc -l <err)" -eq 1 ] || fail "load: $(cat err)"
	gives 0 kernel unload
fi

# ---- launches against a stand-in ------------------------------------------------------------------------------

. "$KB_SRC/test/support/kernel_device.sh"
kernel_device
export KBENCH_DEVICE="$PWD/no-such-device"

# Without the stand-in the path is no device.
gives 0 run kernel.imul --processes 1 --budget 10s --no-store
tr -s ' \n' ' ' <out | grep -q 'no .*: the module kbench is not loaded' || fail "without a device: $(cat out)"

# launch BENCH: one launch by the collector alone; its record is in record.
launch() {
	code=0
	printf 'warm 0 o10 b10\nblock 1 o300 b300 p c o600\nblock 2 o300 q\n' |
		LD_PRELOAD=./device.so timeout 60 "$collector" --device="$KBENCH_DEVICE" --bench="kernel.$1" --seed=3 >record 2>err || code=$?
}

launch imul
[ $code -eq 0 ] || fail "a good launch: exit code $code: $(cat record err)"
gives 0 analyze record
printf 'block 1 o0\n' | LD_PRELOAD=./device.so "$collector" --device="$KBENCH_DEVICE" --bench=kernel.imul >record && fail "a wrong plan is taken"
grep -q '^fail stage=plan errno=22 ' record || fail "a wrong plan: $(cat record)"
# A word of the device in the plan is none of the plan.
printf 'end\n' | LD_PRELOAD=./device.so "$collector" --device="$KBENCH_DEVICE" --bench=kernel.imul >record && fail "a word of the device is taken"
grep -q '^fail stage=plan errno=22 ' record || fail "a word of the device: $(cat record)"

# fails BENCH PATTERN: the record ends with such a `fail` line, and nothing else.
fails() {
	launch "$1"
	[ $code -eq 5 ] || fail "$1: exit code $code: $(cat record err)"
	tail -n 1 record | grep -Eq "^fail $2" || fail "$1: $(tail -n 1 record)"
	[ "$(grep -c '^kbench-record ' record)" -eq 1 ] || fail "$1: not one record: $(cat record)"
}

# The stand-in fails in its third block, the collector sends three and a warm-up.
fails mutex 'stage=op errno=74 "the sum is another one"'
fails rwsem 'stage=setup errno=95 '
fails kmalloc 'stage=setup errno=2 '
grep -q '^note need_unmet ' record || fail "a module that is not loaded is no need: $(cat record)"
fails page_alloc 'stage=setup errno=34 '
fails ktime 'stage=setup errno=5 '
fails xa_load 'stage=teardown errno=5 '
launch spin_lock
[ $code -eq 137 ] || fail "a launch that dies: exit code $code"

# row NAME: its status in out.
row() {
	awk -v name="\"kernel.$1\"" '/^      "benchmark":/ { mine = index($0, name) } mine && /^        "status":/ { gsub(/[",]/, ""); print $2 }' out
}

# The same through kbench run, all in one.
export LD_PRELOAD="$PWD/device.so"
gives 5 run kernel.null kernel.imul kernel.mutex kernel.spin_lock kernel.rwsem kernel.kmalloc --defaults --processes 3 --budget 90s \
	--precision 100% --json
unset LD_PRELOAD
for name in null imul; do
	case $(row $name) in
	ok | noisy | unverified) ;;
	*) fail "kernel.$name is $(row $name): $(cat out)" ;;
	esac
done
[ "$(row mutex) $(row spin_lock) $(row rwsem) $(row kmalloc)" = 'invalid invalid skipped skipped' ] ||
	fail "rows are $(row mutex) $(row spin_lock) $(row rwsem) $(row kmalloc): $(cat out)"
grep -q 'SIGKILL' out || fail "nothing says how the launch died"

# The line and the graph of the sysfs file, from the store.
gives 0 show last kernel.imul
export LD_PRELOAD="$PWD/device.so"
gives 0 run kernel.imul --method single --processes 2 --budget 4s
grep -Eqx 'min=[0-9]+ max=[0-9]+ count=[0-9]+ 95th=[0-9]+ 90th=[0-9]+ 50th=[0-9]+ mad=[0-9]+' out || fail "no line: $(cat out)"
unset LD_PRELOAD
line=$(grep '^min=' out)
gives 0 show --verbose
grep -qxF "$line" out || fail "show has another line: $(cat out)"

# Copies are for user space. A neighbour is a process all the same, on another CPU, and counts what it did.
export LD_PRELOAD="$PWD/device.so"
gives 0 run kernel.imul --parallel 2 --processes 1 --budget 3s --no-store
tr -s ' \n' ' ' <out | grep -q 'parallel works in user space only' || fail "with copies: $(cat out)"
if [ "$(nproc)" -ge 2 ]; then
	# A neighbour whose CPU the hypervisor has for that long is told of.
	for try in 1 2 3; do
		code=0
		"$KBENCH" run kernel.imul --interfere spin,memory --processes 2 --precision 100% --budget 60s --store beside.db --json >out 2>err || code=$?
		grep -q 'did nothing while this was measured' out || break
	done
	[ $code -eq 0 ] || fail "neighbours: exit code $code: $(cat err; results out)"
	for kind in nothing spin memory; do
		grep -q "\"interference\": \"$kind\"" out || fail "no result under $kind: $(head -n 40 out)"
	done
	[ "$(sed -n '/^  "interference"/,$p' out | grep -c '"ratio"')" -eq 2 ] || fail "not two ratios: $(tail -n 40 out)"
	first=$(first_cpu)
	printf 'warm 0 o10 b10\nblock 1 o30000000 b300\nblock 2 o30000000\n' | "$collector" --device="$KBENCH_DEVICE" --bench=kernel.imul --interference=spin --cpu="$first" \
		--peer-cpu=$((first + 1)) >record || fail "a neighbour: $(cat record)"
	grep -qx 'param interference=spin' record && grep -Eq '^env interference=spin interference_cpu=[0-9]+ .*interference_adds=[1-9]' record ||
		fail "what the neighbour did is not in the record: $(grep -v '^[obs] ' record)"
else
	gives 0 run kernel.imul --interfere spin --processes 1 --budget 3s --no-store
	says 'interference needs a second CPU'
fi
unset LD_PRELOAD
