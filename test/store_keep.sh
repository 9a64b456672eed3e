#!/bin/sh
# What keeping a store in bounds costs on a PostgreSQL server that a fleet fills, and what stays: bytes of a result with and without its records, runs that
# are pruned row by row and by whole months, records that are dropped, and runs that are thinned; the same of a file. Prints what it saw; the exit code is 1
# if something is left of what went, or went that should stay. Without the Debian package postgresql there is nothing to do.
# store_keep.sh [--build DIR] [--directory DIR] [--runs N] [--results N] [--bytes N]
# Default: 2900 runs, an hour apart, that is four months, of 100 results each; and 2900 results over the
# same months with records of as many bytes as those of the real run. With --directory the
# server's files lie there and stay.
set -u
KB_SRC=$(cd "$(dirname "$0")/.." && pwd)
runs=2900 results=100 bytes=
. "$KB_SRC/test/support/by_hand.sh"
read_options "runs results bytes" "$@"
. "$KB_SRC/test/support/postgres.sh"
. "$KB_SRC/test/support/store_program.sh"
at_end='stop_postgres; rm -rf "$scratch"'
XDG_DATA_HOME=$scratch/data XDG_CACHE_HOME=$scratch/cache
export XDG_DATA_HOME XDG_CACHE_HOME
[ -x "$postgres_bin/initdb" ] || skip "lacks a PostgreSQL server"
store_program store_make || exit 1
[ -z "$directory" ] || keep_postgres "$directory"
start_postgres || exit 1

# timed COMMAND...: its output in out, milliseconds in took.
timed() {
	from=$(date +%s%N)
	"$@" >out 2>&1 || fail "$*: $(head -c 2000 out)"
	took=$((($(date +%s%N) - from) / 1000000))
	[ "$took" -gt 0 ] || took=1
}
# copied NAME: a database of this name, as it was loaded.
copied() {
	tell postgres "DROP DATABASE IF EXISTS $1" 2>/dev/null
	tell postgres "CREATE DATABASE $1 TEMPLATE loaded" || exit 1
}
# days DATE: how many have passed since.
days() {
	echo $((($(date +%s) - $(date -u -d "$1" +%s)) / 86400))
}
# whole NAME: rows of each table, and of those without a run.
whole() {
	for table in run_facts launch summary result; do
		orphans=$(tell "$1" "SELECT count(*) FROM kbench.$table WHERE run NOT IN (SELECT number FROM kbench.run)")
		[ "$orphans" -eq 0 ] || fail "$1: $orphans rows of $table have no run"
	done
}
# pruned NAME WORDS...: prunes it, and prints how many results went, and how fast.
pruned() {
	name=$1
	shift
	was=$(tell "$name" "SELECT count(*) FROM kbench.result")
	size=$(tell "$name" "SELECT pg_database_size('$name')")
	timed "$KBENCH" runs prune --labelled "$@" --store "$(address "$name")"
	is=$(tell "$name" "SELECT count(*) FROM kbench.result")
	printf '%s results of %s went in %s ms, %s a second; %s MB became %s MB: kbench runs prune --labelled %s\n' $((was - is)) "$was" "$took" \
		$(((was - is) * 1000 / took)) $((size >> 20)) $(($(tell "$name" "SELECT pg_database_size('$name')") >> 20)) "$*"
	whole "$name"
}

# ---- what a real run takes ------------------------------------------------------------------------------------
"$KBENCH" run sys --budget 20s --store real.db >out 2>&1
"$KBENCH" runs push --without-records without.db --store real.db >out 2>&1 || fail "push: $(cat out)"
"$KBENCH" runs --json --store real.db >real.json
"$KBENCH" runs --json --store without.db >without.json
sum() {
	awk -v name="\"$2\":" '$1 == name { sum += $2 } END { print sum + 0 }' "$1"
}
measured=$(sum real.json results)
[ -n "$bytes" ] || bytes=$((($(sum real.json bytes) - $(sum without.json bytes)) / measured))
echo "a real run, kbench run sys --budget 20s: $measured results, $(($(sum real.json bytes) / measured)) bytes a result with records, $((
	$(sum without.json bytes) / measured)) without"

# ---- loaded ---------------------------------------------------------------------------------------------------
tell postgres "SELECT 1 FROM pg_database WHERE datname = 'loaded'" | grep -q 1 || tell postgres "CREATE DATABASE loaded"
timed ./store_make "$(address loaded)" "$runs" "$results" 1
tell loaded "VACUUM (ANALYZE)"
count=$(tell loaded "SELECT count(*) FROM kbench.result")
echo "loaded $count results in $took ms; $(($(tell loaded "SELECT pg_database_size('loaded')") / count)) bytes a result on the server, without records"
# The second month's last day: what is older is one and a half months, or so.
oldest=$(tell loaded "SELECT min(started) FROM kbench.run")
newest=$(tell loaded "SELECT max(started) FROM kbench.run")
second=$(tell loaded "SELECT DISTINCT substr(started, 1, 7) FROM kbench.run ORDER BY 1 OFFSET 1 LIMIT 1")
border=$(days "$second-01")d

# ---- runs -----------------------------------------------------------------------------------------------------
copied months
pruned months --older-than "$border"
pruned months --keep 1
[ "$(tell months "SELECT count(*) FROM kbench.run")" -eq 1 ] || fail "another number than one run stays"
copied thinned
pruned thinned --older-than 0h --thin 7d
spans=$((($(date -u -d "$newest" +%s) / 604800) - ($(date -u -d "$oldest" +%s) / 604800) + 1))
[ "$(tell thinned "SELECT count(*) FROM kbench.run")" -eq $spans ] || fail "not one run in each of $spans spans stays"
pruned thinned --older-than 0h --thin 7d
size=$(tell thinned "SELECT pg_database_size('thinned')")
timed "$KBENCH" runs gc --store "$(address thinned)"
echo "$((size >> 20)) MB became $(($(tell thinned "SELECT pg_database_size('thinned')") >> 20)) MB in $took ms: kbench runs gc"
for name in months thinned; do
	tell postgres "DROP DATABASE $name"
done

# ---- records --------------------------------------------------------------------------------------------------
tell postgres "DROP DATABASE IF EXISTS recorded" 2>/dev/null
tell postgres "CREATE DATABASE recorded" || exit 1
./store_make "$(address recorded)" 145 20 1 "bytes=$bytes" "hours=$(((runs + 144) / 145))" || exit 1
size=$(tell recorded "SELECT pg_database_size('recorded')")
count=$(tell recorded "SELECT count(*) FROM kbench.result")
echo "$count results with records of $bytes bytes: $((size / count)) bytes a result on the server"
timed "$KBENCH" runs gc --records-older-than "$border" --store "$(address recorded)"
echo "records of $((count - $(tell recorded "SELECT count(*) FROM kbench.launch"))) results dropped in $took ms; $((size >> 20)) MB became $((
	$(tell recorded "SELECT pg_database_size('recorded')") >> 20)) MB: kbench runs gc --records-older-than $border"
[ "$(tell recorded "SELECT count(*) FROM kbench.result")" -eq "$count" ] || fail "results went with their records"
tell postgres "DROP DATABASE recorded"

# ---- a file ---------------------------------------------------------------------------------------------------
./store_make file.db "$runs" "$results" 1 || exit 1
count=$((runs * results))
echo "a file: $(($(wc -c <file.db) / count)) bytes a result, without records"
timed "$KBENCH" runs prune --labelled --older-than 0h --thin 7d --store file.db
echo "$((count - spans * results)) results of a file went in $took ms, $(((count - spans * results) * 1000 / took)) a second: kbench runs prune --labelled --older-than 0h --thin 7d"
[ "$("$KBENCH" runs --json --store file.db | grep -c '"state": ')" -eq $spans ] || fail "not one run in each of $spans spans stays in the file"
[ ! -e "$failure" ]
