#!/bin/sh
# kbench trace entries from outside: what a program is known to do is counted exactly, in all forms; loss, limit and memory; what
# is refused; and nothing is left in the kernel, after kill -9 either.
# runs: slow, 15 s
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/tracing.sh"
victim=
at_end='[ -z "$victim" ] || kill -9 "$victim" 2>/dev/null'

traceable entries

# 1000 calls by the first thread of a child, 500 by another thread.
cat >calls.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *call(void *count)
{
	for (long i = 0; i < (long)count; i++)
		syscall(SYS_getppid);
	return 0;
}
static sigjmp_buf back;
static void jump(int number)
{
	siglongjmp(back, number);
}
int main(int argc, char **argv)
{
	pthread_t thread;
	long page = sysconf(_SC_PAGESIZE);
	volatile char *pages = mmap(0, 300 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)pages, 300 * page, MADV_NOHUGEPAGE);
	for (int i = 0; i < 300; i++)
		pages[i * page] = 1;
	signal(SIGSEGV, jump);
	if (sigsetjmp(back, 1) == 0)
		*(volatile char *)8 = 1;
	pthread_create(&thread, 0, call, (void *)500);
	call((void *)atol(argv[argc - 1]));
	return pthread_join(thread, 0);
}
END
$cc -O2 calls.c -o calls -lpthread
"$KBENCH" trace entries -o record --perfetto perfetto.json --json -- sh -c './calls 1000; exit 7' >json
"$KBENCH" trace entries --all --perfetto all.json -- sleep 0.1 >out
cat >look.py <<'END'
import json
t = json.load(open("json"))
assert t["schema"] == "kbench-entries/1" and not t["full"] and t["status"] == 7 << 8, t
rows = {(r["kind"], r["name"]): r for r in t["rows"]}
calls = rows["syscall", "getppid"]
lost = t["lost"] > 0
assert lost or calls["count"] in range(1500, 1510), calls     # sh may ask once
assert 0 < calls["min_ns"] <= calls["median_ns"]["value"] <= calls["max_ns"] <= calls["total_ns"], calls
assert sum(r["count"] for r in t["rows"]) == t["entries"]
faults = [r for r in t["rows"] if r["kind"] == "fault_user"]
assert faults, rows.keys()
missing = {m["tracepoint"] for m in t["missing"]}
# 300 pages that are touched, and resolved; one that is not there.
assert lost or sum(r["count"] for r in faults) >= 301, faults
assert lost or "minor-faults" in missing or sum(r["timed"] for r in faults) >= 300, faults
assert all(r["timed"] == 0 or 0 < r["min_ns"] <= r["max_ns"] for r in faults), faults
assert sum(r["timed"] for r in faults) < sum(r["count"] for r in faults), faults
assert t["probe"] is None or t["probe"]["added_ns"]["value"] > 0, t["probe"]
p = json.load(open("perfetto.json"))["traceEvents"]
mine = [e for e in p if e["name"] == "getppid"]
assert len(mine) == calls["count"] and len(p) == t["entries"] + 1, (len(mine), len(p))
assert abs(sum(e["dur"] for e in mine) * 1000 - calls["total_ns"]) < 1, "durations differ"
assert lost or len({e["tid"] for e in mine}) >= 2, "a thread was not followed"
# What stands on a track is one after the other, or one inside the other. With --all, too.
def nested(events):
    tracks = {}
    for e in events:
        if e["ph"] == "X":
            start = round(e["ts"] * 1000)
            tracks.setdefault((e["pid"], e["tid"]), []).append((start, -round(e["dur"] * 1000), e["name"]))
    for track, slices in tracks.items():
        open_ends = []
        for start, minus, name in sorted(slices):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or start - minus <= open_ends[-1], (track, name, start, -minus, open_ends)
            open_ends.append(start - minus)
    return tracks
nested(p)
nested(json.load(open("all.json"))["traceEvents"])
lines = open("record").read().split("\n")
number = " x.number=%d " % calls["number"]
observed = [l for l in lines if l.startswith("o ") and " k=1 " in l and number in l]
assert len(observed) == calls["count"], len(observed)
assert sum(int(l.split()[2]) for l in observed) == calls["total_ns"]
END
python3 look.py
"$KBENCH" analyze record >out || fail "kbench analyze: $(cat out)"

# The log that is full stops, and what is in it stays.
"$KBENCH" trace entries --limit 100 --timeline 5 -- ./calls 1000 >out
grep -q '^100 entries ' out && grep -q 'log full: it stopped at index 100' out || fail "$(cat out)"
[ "$(sed -n '/^ *start ns/,$p' out | wc -l)" -eq 6 ] || fail "no timeline: $(cat out)"

# A ring that is far too small: what is lost is told, and everything that was to be there is there or lost.
"$KBENCH" trace entries --buffer 4K --json -- ./calls 200000 >small
"$KBENCH" trace entries --json -- ./calls 200000 >large
python3 - <<'END'
import json
small, large = json.load(open("small")), json.load(open("large"))
assert small["lost"] > 0, small["lost"]
assert small["raw"] + small["lost"] >= 2 * 200500, small
assert large["raw"] + large["lost"] >= 2 * 200500, large
longest = max(r["max_ns"] for r in small["rows"] if r["name"] == "getppid") if small["entries"] > 100 else 0
assert longest <= small["elapsed_ns"], longest
assert large["peak_kib"] < json.load(open("json"))["peak_kib"] + 16384, (large["peak_kib"], "memory grows with the entries")
print("200,500 calls: %d raw entries lost of %d with a ring of 4 KiB, %d with 16 MiB, %d KiB of memory" % (
	small["lost"], small["raw"] + small["lost"], large["lost"], large["peak_kib"]))
END
"$KBENCH" trace entries --slowdown 2 -- ./calls 1000 >out
grep -q 'slow-down: the command takes [0-9.]* times as long' out || fail "no factor: $(cat out)"

# What fails when it is run again is no time of it.
"$KBENCH" trace entries --slowdown 2 -- mkdir once >out
grep -q '^slow-down: not measured, the command ended otherwise' out || fail "runs that fail have a time: $(cat out)"

# terminated ARGUMENT...: SIGTERM, once its command is a sleep; code, out and err.
terminated() {
	"$KBENCH" trace entries "$@" >out 2>err &
	victim=$!
	for _ in $(seq 100); do
		! grep -qs sleep "/proc/$(tr -d ' ' <"/proc/$victim/task/$victim/children")/comm" || break
		sleep 0.1
	done
	kill -TERM "$victim"
	code=0
	wait "$victim" || code=$?
	victim=
}

# A signal during those runs: nothing is told of a pair that is not complete.
terminated --slowdown 2 -- sh -c '[ ! -e again ] || exec sleep 60; : >again'
[ $code -eq 143 ] && grep -q '^slow-down: not measured' out || fail "SIGTERM in a further run: exit code $code: $(cat out err)"

refused 2 'of which command' "$KBENCH" trace entries
refused 2 'no-such' "$KBENCH" trace entries -- ./no-such
refused 2 'power of two' "$KBENCH" trace entries --buffer 5000 -- true
refused 2 'cannot write' "$KBENCH" trace entries -o /no/such/file -- true
for option in -o --perfetto; do
	code=0
	"$KBENCH" trace entries $option /dev/full -- true >out 2>err || code=$?
	[ $code -eq 2 ] && grep -q 'cannot write all of /dev/full: No space' err && grep -q '^syscall  *execve' out ||
		fail "a full disk: exit code $code: $(cat out err)"
done
refused 2 'cannot be one file' "$KBENCH" trace entries -o one --perfetto one -- true
if command -v setpriv >/dev/null && setpriv --bounding-set=-all true 2>/dev/null; then
	refused 3 'EPERM' setpriv --bounding-set=-all "$KBENCH" trace entries -- true
	setpriv --bounding-set=-all "$KBENCH" run fault.entry --store none >out || fail "fault.entry: exit code $?: $(cat out)"
	grep -q 'skipped.*EPERM' out || grep -q 'EPERM' out || fail "fault.entry: $(cat out)"
fi

# SIGTERM ends it with what it has.
terminated -- sleep 60
[ $code -eq 143 ] && grep -q ' entries in ' out || fail "SIGTERM: exit code $code: $(cat out err)"

# kill -9: its programs and maps go with it, and so does the command.
"$KBENCH" trace entries -- sleep 61 >out 2>err &
victim=$!
for _ in $(seq 50); do
	ids=$(cat "/proc/$victim/fdinfo/"* 2>/dev/null | awk '/^prog_id:/ { print "p" $2 } /^map_id:/ { print "m" $2 }' | sort -u)
	[ "$(echo "$ids" | grep -c p)" -lt 10 ] || break
	sleep 0.1
done
[ "$(echo "$ids" | grep -c p)" -ge 10 ] || fail "no programs seen: $ids"
child=$(cat "/proc/$victim/task/$victim/children")
kill -9 "$victim"
wait "$victim" 2>/dev/null || :
victim=
cat >gone.py <<'END'
import ctypes, os, platform, struct, sys, time
number = {"x86_64": 321, "aarch64": 280, "riscv64": 280}[platform.machine()]
libc = ctypes.CDLL(None, use_errno=True)
def there(name):
    attr = ctypes.create_string_buffer(struct.pack("I", int(name[1:])).ljust(128, b"\0"))
    fd = libc.syscall(number, 13 if name[0] == "p" else 14, attr, 128)
    if fd >= 0:
        os.close(fd)
    return fd >= 0
left = sys.argv[1:]
for _ in range(100):
    left = [name for name in left if there(name)]
    if not left:
        sys.exit(0)
    time.sleep(0.1)
sys.exit("left in the kernel: %s" % left)
END
# shellcheck disable=SC2086 # a list
python3 gone.py $ids
for _ in $(seq 50); do
	[ -d "/proc/${child% }" ] && grep -q sleep "/proc/${child% }/comm" 2>/dev/null || break
	sleep 0.1
done
! grep -qs sleep "/proc/${child% }/comm" || fail "the command outlives who traced it"

# The page's commands, as they stand there.
listings sh trace-kernel.md 'Kernel entries' >examples
grep -q '^kbench analyze ls.record' examples || fail "doc/trace-kernel.md has lost its examples"
examples trace entries | sed 's/--slowdown 5/--slowdown 2/' >>examples
. ./examples >out 2>&1 || fail "$(cat examples): exit code $?: $(cat out)"
