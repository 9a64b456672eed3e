#!/bin/sh
# The store on a PostgreSQL server, at length: all of the store's tests on files and on the server; the server killed with -9 at random moments while
# several push; and how long the questions of history, compare, show and of sick nodes take over many results, of which each writer has five
# machines of a fleet that is measured daily. Prints what it saw; the exit code is 1 if a test failed, anything was lost or is there twice, or a
# question took more than a second. Without the Debian package postgresql there is nothing to do.
# store_server.sh [--build DIR] [--directory DIR] [--kills N] [--writers N] [--runs N] [--results N] [--tests no] [--fsync on]
# Default: 50 kills, 8 writers with 1500 runs of 20 results each; and 200 runs of 500 results. --runs 20000 is ten million results: 20 GB and half an hour
# to make. With --directory the server's files stay there, and a load that was cut off goes on where it was. With --fsync on the server waits for the disk, as one that is not for a test does.
set -u
KB_SRC=$(cd "$(dirname "$0")/.." && pwd)
kills=50 writers=8 runs=200 results=500 tests=yes fsync=off
. "$KB_SRC/test/support/by_hand.sh"
read_options "kills writers runs results tests fsync" "$@"
postgres_fsync=$fsync
. "$KB_SRC/test/support/postgres.sh"
. "$KB_SRC/test/support/store_program.sh"
at_end='kill $pushers 2>/dev/null; stop_postgres; rm -rf "$scratch"'
pushers=
XDG_DATA_HOME=$scratch/data XDG_CACHE_HOME=$scratch/cache
export XDG_DATA_HOME XDG_CACHE_HOME
[ -x "$postgres_bin/initdb" ] || skip "lacks a PostgreSQL server"
store_program store_make || exit 1
[ -z "$directory" ] || keep_postgres "$directory"
start_postgres || exit 1

# milliseconds COMMAND...: how long it takes; its output in out.
milliseconds() {
	from=$(date +%s%N)
	"$@" >out 2>&1 || fail "$*: $(head -c 2000 out)"
	echo $((($(date +%s%N) - from) / 1000000))
}

# least_of N COMMAND...
least_of() {
	count=$1
	shift
	for _ in $(seq "$count"); do
		milliseconds "$@"
	done | sort -n | head -n 1
}

# ---- the store's own tests -----------------------------------------------------------------------------------
for test in "$KB_BUILD"/test/unit/store/test_*; do
	[ "$tests" = yes ] || break
	case $test in *.[a-z]) continue ;; esac
	(unset KB_TEST_SERVER && "$test") >out 2>&1 && echo "PASS on files: ${test##*/}" || fail "on files: ${test##*/}: $(cat out)"
	# Those of a damaged file, a full disk and files of older versions are about files.
	case ${test##*/} in *_damage | *_disk | *_migrate) continue ;; esac
	"$test" >out 2>&1 && echo "PASS on a server: ${test##*/}" || fail "on a server: ${test##*/}: $(cat out)"
done

# ---- killed --------------------------------------------------------------------------------------------------
if [ "$kills" -gt 0 ]; then
	tell postgres "DROP DATABASE IF EXISTS pushed" 2>/dev/null && tell postgres "CREATE DATABASE pushed" || exit 1
	pushed=$(address pushed)
	for writer in $(seq "$writers"); do
		./store_make "writer$writer.db" 1500 20 "$writer" || exit 1
	done
	for writer in $(seq "$writers"); do
		"$KBENCH" runs push "$pushed" --store "writer$writer.db" --timeout 1000s >"pushed$writer" 2>&1 &
		pushers="$pushers $!"
	done
	killed=0 under_way=0
	while [ $killed -lt "$kills" ]; do
		sleep "$(awk -v seed="$killed$$" 'BEGIN { srand(seed); printf "%.3f", 0.05 + rand() }')"
		kill_postgres
		killed=$((killed + 1))
		# shellcheck disable=SC2086 # ids
		kill -0 $pushers 2>/dev/null && under_way=$((under_way + 1))
		start_postgres || exit 1
	done
	for pusher in $pushers; do
		wait "$pusher" || fail "a writer failed: $(cat pushed*)"
	done
	pushers=
	tell pushed "SELECT count(*), count(DISTINCT id), (SELECT count(*) FROM kbench.result), (SELECT count(*) FROM kbench.summary) FROM kbench.run" >seen
	wanted=$((writers * 1500))
	echo "killed $killed times, $under_way of them while all $writers writers pushed $wanted runs, $((wanted * 20)) results; runs, different ones, results, their JSON: $(tr '|' ' ' <seen)"
	grep -qx "$wanted|$wanted|$((wanted * 20))|$((wanted * 20))" seen || fail "lost or twice"
	tell postgres "DROP DATABASE pushed"
fi

# ---- many results --------------------------------------------------------------------------------------------
if [ "$runs" -gt 0 ]; then
	tell postgres "SELECT 1 FROM pg_database WHERE datname = 'loaded'" | grep -q 1 || tell postgres "CREATE DATABASE loaded"
	loaded=$(address loaded)
	# The tables, before all make them at once.
	./store_make "$loaded" 1 "$results" 1 nodes=5
	before=$(tell loaded "SELECT count(*) FROM kbench.run")
	from=$(date +%s%N)
	for writer in $(seq "$writers"); do
		./store_make "$loaded" $((runs / writers)) "$results" "$writer" nodes=5 &
		pushers="$pushers $!"
	done
	for pusher in $pushers; do
		wait "$pusher" || exit 1
	done
	pushers=
	took=$((($(date +%s%N) - from) / 1000000))
	added=$(($(tell loaded "SELECT count(*) FROM kbench.run") - before))
	[ "$added" -eq 0 ] || echo "loaded $((added * results)) results in $((took / 1000)) s: $((added * results * 1000 / took)) a second by $writers writers"
	tell loaded "VACUUM (ANALYZE)"
	tell loaded "SELECT (SELECT sum(reltuples)::bigint FROM pg_class WHERE relname ~ '^result_[0-9]' AND relkind = 'r') || ' results in ' ||
		pg_size_pretty(pg_database_size('loaded'))"
	for command in "runs --limit 20" "history made.bench_7 -p size=3" "history made.bench_7 --json" "compare last~1 last" "show last" "show last made.bench_7" \
		"history made.bench_7 -p size=3 --fleet" "compare --fleet" "fleet report"; do
		# The first time reads from the disk what the next ones have in memory.
		# shellcheck disable=SC2086 # words
		first=$(milliseconds "$KBENCH" $command --store "$loaded") again=$(least_of 5 "$KBENCH" $command --store "$loaded")
		printf '%6s ms, at first %6s  kbench %s\n' "$again" "$first" "$command"
		[ "$again" -le 1000 ] || fail "kbench $command takes more than a second"
	done
	# milliseconds left the last answer there.
	[ "$(sed -n 's/^\(.*\) deviates: .*/\1/p' out)" = node-1-0 ] || fail "named is not the node that is 5 % dearer: $(cat out)"
fi
[ ! -e "$failure" ]
