#!/bin/sh
# Every row of the suite has a value or says why not, and what it makes is gone afterwards, also when the run is killed:
# processes, files, shared memory, queues, namespaces' mounts, kernel settings. KB_KILLS times (4; a quick run 1).
# A quick run takes the quick selection with one launch a row, a full one a row of each benchmark.
# runs: alone, slow, 20 s; counts of calls and switches are judged, which others disturb
set -u
. "$KB_SRC/test/support/check.sh"
with_settings
. "$KB_SRC/test/support/left.sh"
kills=${KB_KILLS:-$((${KB_FULL:-0} ? 4 : 1))}
suite=quick budget=20
if [ "${KB_FULL:-0}" = 1 ]; then
	suite=full budget=240
fi

# Settings that somebody could change to measure better, and names that outlive a process.
world() {
	for file in /proc/sys/vm/* /proc/sys/kernel/* /proc/sys/fs/* /proc/sys/net/ipv4/ip_local_port_range /sys/block/*/queue/read_ahead_kb \
		/sys/kernel/mm/transparent_hugepage/enabled; do
		case $file in
		# Counters and random numbers, which change by themselves.
		*/kernel/random* | */kernel/ns_last_pid | */kernel/pty | */fs/dentry-state | */fs/file-nr | */fs/inode-* | */fs/aio-nr | \
			*/vm/stat_refresh | */vm/drop_caches | */vm/compact_memory) continue ;;
		esac
		[ -f "$file" ] && printf '%s=%s\n' "$file" "$(cat "$file" 2>/dev/null)"
	done
	cat /proc/sysvipc/msg /proc/sysvipc/sem /proc/sysvipc/shm 2>/dev/null | awk '{ print $1, $2 }'
	ls /dev/shm /dev/mqueue 2>/dev/null
	# Programs that trace mount tracefs and leave it there.
	grep -v -e " tracefs " -e " debugfs " /proc/self/mounts
	ls /sys/class/net
}

# nothing_changed WHEN
nothing_changed() {
	rest=$(left 3)
	[ -z "$rest" ] || fail "$1: left behind: $rest"
	world >after
	diff before after >changed || fail "$1: changed: $(cat changed)"
}

world >before
"$KBENCH" list --suite $suite --names | sort >wanted

# ---- values or reasons --------------------------------------------------------------------------------------

start=$(date +%s)
marked "$KBENCH" run --suite $suite --defaults --processes 1 --precision 100% --budget ${budget}s --no-store --json >json 2>err
code=$?
took=$(($(date +%s) - start))
[ $code -eq 0 ] || [ $code -eq 5 ] || fail "exit code $code: $(head -n 3 err)"
results json >rows
cut -d ' ' -f 1 rows | cut -f 1 | sort -u | diff wanted - >missing || fail "rows that say nothing: $(cat missing)"
# What one launch on a busy machine makes of a number is not judged here, only what the operation did. Partners that spin
# wait for a whole time slice whenever somebody else has their CPU: a row that ran out of time, or whose partners never ran together, gets a
# second chance alone.
late='timeout|do not run at the same time'
again=$(awk -F '\t' -v late="$late" '$2 == "invalid" && ($12 ~ late || $10 ~ late) { sub(/ .*/, "", $1); print $1 }' rows | sort -u)
[ -z "$again" ] || {
	echo "once more: $again"
	# shellcheck disable=SC2086 # names
	marked "$KBENCH" run $again --defaults --processes 1 --precision 100% --budget 90s --timeout 60s --no-store --json >json 2>err
	awk -F '\t' -v late="$late" '!($2 == "invalid" && ($12 ~ late || $10 ~ late))' rows >kept
	results json >>kept
	mv kept rows
}
awk -F '\t' '
	$12 ~ /((op|setup|check|expect|calls|proof)_failed|timeout|crashed|left_behind|truncated)/ || $10 == "" && ($2 != "ok" || $3 == "-") ||
			$10 ~ /not_reached|before its first launch/ {
		printf "%s: %s, headline %s: %s\n", $1, $2, $3, $10
		bad = 1
	}
	{ count[$2]++; total++ }
	END {
		printf "%d rows:", total
		for (verdict in count)
			printf " %d %s", count[verdict], verdict
		print ""
		exit bad
	}' rows || fail 'rows (above)'
# The rule of test/unit/suite/test_unverified.c, as rows tell it.
unproven=$(grep -E 'expect_unknown \[(no claim of it|the benchmark states no)' rows | cut -d ' ' -f 1 | cut -f 1 | sort -u |
	while read -r name; do grep -q "^$name	" "$KB_SRC/test/support/unverified.txt" || echo "$name"; done)
[ -z "$unproven" ] || fail "nothing vouches for: $unproven"
echo "$took s"
# The budget is kept: a row that hangs is a row that is cut off.
[ $took -le $((budget + 20)) ] || fail "took $took s of $budget s"
nothing_changed "after a run"

# ---- killed -------------------------------------------------------------------------------------------------

for delay in $(awk -v n="$kills" -v seed="${KB_SEED:-1}" 'BEGIN { srand(seed); for (i = 0; i < n; i++) printf "%.2f\n", 1 + 4 * rand() }'); do
	setsid env "$mark" "$KBENCH" run --suite $suite --processes 1 --budget 60s --no-store >/dev/null 2>&1 &
	pid=$!
	sleep "$delay"
	kill -s KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	nothing_changed "killed after $delay s"
done
