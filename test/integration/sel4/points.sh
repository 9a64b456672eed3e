#!/bin/sh
# Trace points inside a real seL4: a nested pair, whose cost is subtracted, one that interleaves with another, and two under conditions. SEL4_SOURCE
# is the kernel's source, of which a copy with such points is built for aarch64 (never in the default tests; PYTHONPATH may name pyfdt).
# runs: full, 1 s; with SEL4_SOURCE 30 s
set -u
. "$KB_SRC/test/support/check.sh"
[ "${SEL4_SOURCE:-}" ] || skip "SEL4_SOURCE names no source of seL4"
needs python3
needs qemu-system-aarch64
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

# What sendSignal() does, and which way it takes: key 2 around all of it, 5 where somebody waits, 6 where nobody does.
cp -r "$SEL4_SOURCE" seL4
python3 - seL4/src/object/notification.c <<'END' || fail "sendSignal() is another one in this source"
import re, sys
text = open(sys.argv[1]).read()
begin = text.index("void sendSignal(")
end = text.index("\n}\n", begin)
body = text[begin:end]
start = body.index("{") + 1
points = "".join(" TRACE_POINT_%s(%d);" % point for point in [
    ("START", 0), ("START", 1), ("STOP", 1), ("STOP", 0),  # nested
    ("START", 3), ("START", 4), ("STOP", 3), ("STOP", 4),  # interleaved
    ("START", 5), ("START", 6), ("START", 2)])
assert body.count("case NtfnState_Waiting: {") == 1 and body.count("case NtfnState_Idle: {") == 1 and "return" not in body
body = body.replace("case NtfnState_Waiting: {", "case NtfnState_Waiting: { TRACE_POINT_STOP(5);")
body = body.replace("case NtfnState_Idle: {", "case NtfnState_Idle: { TRACE_POINT_STOP(6);")
text = text[:begin] + body[:start] + points + body[start:] + "\n    TRACE_POINT_STOP(2);" + text[end:]
open(sys.argv[1], "w").write("#include <benchmark/benchmark.h>\n" + text)
END
PATH=/usr/bin:$PATH
cmake -G Ninja -S seL4 -B b -DCMAKE_TOOLCHAIN_FILE="$PWD/seL4/gcc.cmake" -DKernelVerificationBuild=OFF -DKernelDebugBuild=OFF -DCROSS_COMPILER_PREFIX=aarch64-linux-gnu- \
	-DKernelPlatform=qemu-arm-virt -DKernelSel4Arch=aarch64 -DARM_CPU=cortex-a53 -DKernelArmExportPMUUser=ON -DKernelBenchmarks=tracepoints \
	-DKernelMaxNumTracePoints=8 -DKernelPrinting=ON -DCMAKE_INSTALL_PREFIX="$PWD/kernel" >log 2>&1 && ninja -C b kernel.elf install >>log 2>&1 || fail "the kernel: $(tail -n 5 log)"
SEL4_PREFIX=$PWD/kernel
export SEL4_PREFIX

# 1, 2 ... 5 iterations in two groups each: 30 of somebody who waits, and each test's end is told to one who waits.
gives 0 sel4 build
gives 0 sel4 boot sel4.signal --initial 1 --delta 1 --group-size 5 --groups 2 --clock icount -o "$PWD/image.elf"
timeout -k 5 120 qemu-system-aarch64 -machine virt,secure=off,virtualization=off,highmem=off,gic-version=2 -cpu cortex-a53 -m 1024 -icount shift=0,sleep=off \
	-smp 1 -nodefaults -display none -serial stdio -kernel image.elf >points.log 2>err </dev/null &
emulator=$!
at_end='kill $emulator 2>/dev/null'
# It stays on at the end, as a board does.
is_over() {
	grep -q '^Done!' points.log
}
await 60 is_over || fail "the boot: $(tail -n 3 points.log err)"
kill $emulator
gives 0 trace analyze --nested 0,1 --json points.log
python3 - <<'END' >wrong || fail "points: $(cat wrong)"
import json
log = json.load(open("out"))
keys = {k["key"]: k for k in log["keys"]}
count = {k: v["value"]["samples"] for k, v in keys.items()}
median = {k: v["corrected"]["median_ticks"]["value"] for k, v in keys.items()}
print(count, median)
# All signals, and those of the one condition; of the other there was none, and a START without its STOP is no entry.
assert set(count) == {2, 3, 4, 5} and len(set(count.values())) == 1 and count[2] >= 20, count
# Of two that interleave each contains one end of the other: a START is the shorter one. Of the whole, the path to the condition is a part.
assert 0 < median[3] < median[4] < median[2] and 0 < median[5] < median[2], median
assert log["overhead"]["effective"]["median_ticks"]["value"] > 0, log["overhead"]
END
cat wrong
