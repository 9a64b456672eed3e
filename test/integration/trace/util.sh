#!/bin/sh
# kbench trace util from outside, and the calls of kbench_track.h: the sums close, the command's time is what wait4 says, and the
# two programs of doc/trace-kernel.md do what they say.
# runs: alone, slow, 8 s; for a while a thread with real-time priority has a CPU
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/tracing.sh"

traceable util

# Two threads that compute for 0.2 s of their own time each, and one that sleeps, in what was a shell before.
cat >work.c <<'END'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static void *compute(void *unused)
{
	struct timespec now;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec == 0 && now.tv_nsec < 200000000);
	return unused;
}
static void *rest(void *unused)
{
	usleep(200000);
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], 0, compute, 0);
	pthread_create(&threads[1], 0, rest, 0);
	compute(0);
	return pthread_join(threads[0], 0) + pthread_join(threads[1], 0);
}
END
$cc -O2 work.c -o work -lpthread
"$KBENCH" trace util --json -- sh -c 'sleep 0.01; exec ./work' >json
cat >look.py <<'END'
import json
u = json.load(open("json"))
assert u["schema"] == "kbench-util/1" and u["status"] == 0 and u["lost_ns"] == 0, u
assert u["capacity_ns"] == u["elapsed_ns"] * u["cpus"]
assert u["threads_ns"] + u["idle_ns"] + u["unaccounted_ns"] == u["capacity_ns"], u
assert u["threads_ns"] == sum(r["ns"] for r in u["rows"] if not r["idle"])
assert u["idle_ns"] == sum(r["ns"] for r in u["rows"] if r["idle"])
assert u["closes"] == (abs(u["unaccounted_ns"]) <= u["capacity_ns"] // 1000)
assert u["closes"] or not u["follows"] or u["unreached_cpus"], (u["unaccounted_ns"], u["capacity_ns"])
print("unaccounted for: %.4f %% of %.3f s" % (100 * u["unaccounted_ns"] / u["capacity_ns"], u["capacity_ns"] / 1e9))
if u["follows"]:
    mine = [r["ns"] for r in u["rows"] if r["member"]]
    assert [r["name"] for r in u["rows"] if r["member"]][:2] == ["work"] * 2, u["rows"]
    # Neither of the threads nor of wait4 is what the hypervisor took away, but it is between two switches.
    stolen = u["stolen_ns"] + 20e6
    assert all(0.15e9 < ns < 0.4e9 + stolen for ns in mine[:2]), (mine, stolen)
    assert all(ns < 0.1e9 + stolen for ns in mine[2:]), (mine, stolen)
    assert -20e6 < u["command_ns"] - 0.9 * u["wait4_ns"] < 0.2 * u["wait4_ns"] + stolen, (u["command_ns"], u["wait4_ns"], stolen)
    print("the command: %.1f ms from switch to switch, %.1f ms by wait4" % (u["command_ns"] / 1e6, u["wait4_ns"] / 1e6))
END
python3 look.py
"$KBENCH" trace util --limit 3 -- sh -c 'exit 5' >out
grep -q 'unaccounted .* [nmu]*s .* %' out && grep -q 'exited with 5' out || fail "$(cat out)"

# Children that never wait have one switch, behind their exit: they are the command's all the same.
cat >brood.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0; i < 40; i++) {
		if (fork() == 0) {
			for (volatile int j = 0; j < 100000; j++)
				;
			_exit(0);
		}
		wait(0);
	}
	return 0;
}
END
$cc -O1 brood.c -o brood
"$KBENCH" trace util --json -- ./brood >json
python3 - <<'END'
import json
u = json.load(open("json"))
brood = [r["member"] for r in u["rows"] if r["name"] == "brood"]
assert not u["follows"] or (len(brood) >= 35 and all(brood)), (len(brood), sum(brood))
END

# Who ignores SIGCHLD hands that on; its commands end nevertheless.
timeout 20 python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$KBENCH" trace util --limit 1 -- sh -c 'exit 5' >out || fail "SIGCHLD ignored: exit code $?"
grep -q 'exited with 5' out || fail "SIGCHLD ignored: $(cat out)"

# A thread with real-time priority that never sleeps has a CPU: it is visited nevertheless, while that thread goes on.
if [ "$(nproc)" -ge 2 ] && taskset -c 1 chrt -f 50 true 2>/dev/null; then
	taskset -c 0 timeout -s KILL 20 taskset -c 1 chrt -f 50 sh -c 'while :; do :; done' &
	hog=$!
	code=0
	taskset -c 0 timeout -s KILL 15 "$KBENCH" trace util --limit 1 -- true >out 2>&1 || code=$?
	kill "$hog" && wait "$hog" 2>/dev/null || :
	[ $code -eq 0 ] || fail "beside a thread with real-time priority: exit code $code: $(cat out)"
fi

# ---- the calls ----------------------------------------------------------------------------------------

# listing NAME: the listing of the page that begins with this name.
listing() {
	awk -v name="$1" '/^```c$/ { getline; on = index($0, name) } /^```$/ { on = 0 } on' "$KB_SRC/doc/trace-kernel.md" >"$1"
	[ -s "$1" ] || fail "doc/trace-kernel.md has no $1"
	$cc -std=gnu11 -O2 -Wall -Wextra -Werror -I"$KB_SRC/include" "$1" "$KB_BUILD/libkbench.a" -o "${1%.c}"
	ldd "${1%.c}" | grep -v 'libc\.\|vdso\|ld-linux\|libpthread' && fail "$1 needs more than libc"
	return 0
}
listing utilisation.c
code=0
./utilisation >out 2>err || code=$?
if [ $code -eq 3 ] && grep -q 'another PID namespace' err; then
	echo "the calls: $(cat err)"
	exit 77
fi
[ $code -eq 0 ] || fail "utilisation.c: exit code $code: $(cat out err)"
awk '
/^Init/ { thread = $5 }
/^Idle/ { idle = $5 }
/^Overall/ { total = $4 }
/^unaccounted/ { left = $3 }
END {
	if (NR != 4 || !(thread > 0 && thread + idle <= total * 1.02 && left < total * 0.05 && -left < total * 0.05))
		exit 1
}' out || fail "utilisation.c: $(cat out)"
listing entries.c
./entries >out
grep -q '^[0-9]* entries, 0 lost, 1[0-9][0-9][0-9] system calls$' out || fail "entries.c: $(cat out)"

# Semantics: no effect without a reset; a full buffer stays; a thread's counter survives a reset, and idle does not.
cat >semantics.c <<'END'
#include <kbench_track.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
/* A child of fork() holds nothing of it in the kernel. */
static int holds(void)
{
	char path[40], name[64] = "";
	int count = kb_track_finalise() != 0;
	for (int fd = 3; fd < 200; fd++) {
		sprintf(path, "/proc/self/fd/%d", fd);
		count += readlink(path, name, sizeof name - 1) > 0 && strstr(name, "bpf") != 0;
	}
	return count;
}
static uint64_t log_buffer[4 * 100 + 4];
static void spin(void)
{
	for (volatile unsigned i = 0; i < 20000000; i++)
		;
}
int main(void)
{
	struct kb_track_utilisation first, second, third;
	uint64_t guard = log_buffer[400] = 0x123456789;
	assert(kb_track_finalise() == 0 && kb_track_get(0, &first) == -EINVAL);
	assert(kb_track_reset_thread(0) == 0 && kb_track_reset() == 0);
	assert(kb_track_reset_thread(0) == -EBUSY && kb_track_reset() == -EBUSY && kb_track_get(0, &first) == -EBUSY);
	spin();
	assert(kb_track_finalise() == 0 && kb_track_get(0, &first) == 0 && first.thread_ns > 0);
	assert(kb_track_finalise() == 0);
	assert(kb_track_set_log_buffer(log_buffer, 100 * 32) == 0 && kb_track_reset() == 0);
	assert(kb_track_set_log_buffer(0, 0) == -EBUSY);
	int status = 0, child = fork();
	if (child == 0)
		_exit(holds());
	assert(waitpid(child, &status, 0) == child && status == 0);
	for (int i = 0; i < 1000; i++)
		getppid();
	spin();
	assert(kb_track_finalise() == 100 && kb_track_lost() >= 1900 && log_buffer[400] == guard);
	assert(kb_track_get(0, &second) == 0 && second.thread_ns > first.thread_ns);
	assert(kb_track_reset_thread(0) == 0 && kb_track_reset() == 0);
	assert(kb_track_finalise() <= 100 && kb_track_get(0, &third) == 0 && third.thread_ns < second.thread_ns);
	kb_track_release();
	return 0;
}
END
$cc -O2 -Wall -Wno-unused -I"$KB_SRC/include" semantics.c "$KB_BUILD/libkbench.a" -o semantics
./semantics

# A program that does not track has nothing of it.
printf '#include <kbench_trace.h>\nint main(void)\n{\n\treturn kb_trace_begin(10);\n}\n' >points.c
$cc -O2 -I"$KB_SRC/include" -I"$KB_BUILD/made" points.c "$KB_BUILD/libkbench.a" -o points
! nm points | grep -q 'kb_raw_\|kb_track_' || fail "a program with trace points alone has the tracking, too"

# The commands of the page and of the help, as they stand there; of the benchmark one launch.
listings sh trace-kernel.md '(Utilisation|From a user fault)' >examples
examples trace util >>examples
[ "$(grep -c '^kbench trace util' examples)" -ge 3 ] && grep -q '^kbench run -v fault.entry' examples || fail "examples are lost: $(cat examples)"
sed -i 's/^kbench run .*/& --processes 1 --precision 100% --budget 10s/' examples
(set -e && . ./examples) >out 2>&1 || fail "$(cat examples): exit code $?: $(cat out)"

refused 2 'by which command' "$KBENCH" trace util
refused 2 'no-such' "$KBENCH" trace util -- ./no-such
if command -v setpriv >/dev/null && setpriv --bounding-set=-all true 2>/dev/null; then
	refused 3 'EPERM' setpriv --bounding-set=-all "$KBENCH" trace util -- true
	refused 3 'EPERM' setpriv --bounding-set=-all ./utilisation
fi
# Thread ids of a container are somebody else's outside of it.
if unshare --pid --fork true 2>/dev/null; then
	refused 3 'another PID namespace' unshare --pid --fork ./utilisation
fi
