#!/bin/sh
# A store on a real PostgreSQL server: the store's own tests on it, what roles may do, where passwords may stand, runs that wait for a server that is not
# there, copies between files and servers, and a server that is killed while several push.
# runs: slow, 35 s
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/pages.sh"
. "$KB_SRC/test/support/postgres.sh"
. "$KB_SRC/test/support/store_program.sh"
grep -q '^LIBPQ = -lpq' "$configured" || skip "this build has no libpq"
[ -x "$postgres_bin/initdb" ] || skip "lacks a PostgreSQL server"
needs psql setpriv
at_end='stop_postgres'
start_postgres || fail "no server"

# ---- the store's own tests ----------------------------------------------------------------------------------
for name in store store_comparison store_floor store_result store_retain; do
	"$KB_BUILD/test/unit/store/test_$name" >out 2>&1 || fail "test_$name on a server: $(cat out)"
	! grep -q 'PASSED.* 0 test' out || fail "test_$name tested nothing on a server"
done

# ---- a run, measured into a file and sent ---------------------------------------------------------------------
tell postgres "CREATE DATABASE bench" >tell.out
bench=$(address bench)
refuses 2 'has no store yet' show --store "$bench"
gives 0 run clock.read -p way=plain --processes 2 --budget 5s --store "$bench" --label first
says "run [0-9a-f-]* in postgresql://owner@/bench"
gives 0 runs --store "$bench"
says 'first$'
gives 0 show first --store "$bench"
says 'clock.read'
tell bench "SELECT at IS NOT NULL, (SELECT count(*) > 1 FROM kbench.launch), to_regclass('kbench.result_' || replace(substr(started, 1, 7), '-', '_')) IS NOT NULL FROM kbench.run" >tell.out
grep -qx 't|t|t' tell.out || fail "no time, record or month: $(cat tell.out)"
gives 0 runs pull "$bench" first
gives 0 show first --json
cp out pulled
gives 0 show first --json --store "$bench"
diff out pulled >/dev/null || fail "another run came back"
gives 0 maintain --store "$bench"
gives 0 show first --json --store "$bench"
diff out pulled >/dev/null || fail "made again from its records the run is another one"

# A server that is not there: the run waits, and goes with the next one.
kill_postgres
gives 0 run clock.read -p way=plain --processes 2 --budget 5s --store "$bench" --label waits
says 'cannot open the store.*the run waits in'
says "in $XDG_DATA_HOME/kbench/spool/"
refuses 2 'look whether the server runs' runs --store "$bench"
start_postgres || fail "no server after a kill"
gives 0 runs push --waiting "$bench"
says ': 1 run added$'
gives 0 runs push --waiting "$bench"
says ': 0 runs added$'
gives 0 runs --names --store "$bench"
grep -qx waits out || fail "what waited did not come: $(cat out)"

# The same file, imported by several at once, is one run, and none of them is refused.
tell postgres "CREATE DATABASE imports" >tell.out
imports=$(address imports) pids=
for i in 1 2 3 4 5 6 7 8; do
	"$KBENCH" import "$KB_SRC/test/data/import/google-benchmark/1.json" --store "$imports" >"import.$i" 2>&1 &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || fail "an import beside others: $(cat import.?)"
done
gives 0 runs --names --store "$imports"
[ "$(wc -l <out)" -eq 1 ] || fail "the same import more than once: $(cat out)"

# Without a place of its own such a run is not kept, and no other store is taken for that place.
exits 2 env -u HOME -u XDG_DATA_HOME "$KBENCH" run clock.read -p way=plain --processes 1 --budget 2s --store "$bench" --label homeless
says 'no place for runs that wait for a server.*the run goes on unsaved'
gives 0 runs --names --store "$bench"
! grep -q homeless out || fail "a run without a home was sent"

# ---- the page -------------------------------------------------------------------------------------------------
tell postgres "ALTER DATABASE bench RENAME TO bench_before" >tell.out
mkdir work bin
ln -s "$KBENCH" bin/kbench
gives 0 run clock.read -p way=plain --processes 2 --budget 5s --store work/lab.db
(
	PGHOST=$postgres_home PGUSER=owner PATH=$work/bin:$postgres_bin:$PATH
	export PGHOST PGUSER PATH
	run_pages store.md scale.md
	[ "$count" -ge 7 ] || fail "only $count blocks"
)

tell postgres "DROP DATABASE bench" >tell.out
tell postgres "ALTER DATABASE bench_before RENAME TO bench" >tell.out

# ---- who may do what ------------------------------------------------------------------------------------------
tell bench "CREATE ROLE adder LOGIN; GRANT kbench_writer TO adder; CREATE ROLE looker LOGIN; GRANT kbench_reader TO looker; CREATE ROLE nobody_s LOGIN;
	CREATE ROLE guarded LOGIN PASSWORD 'the secret'; GRANT kbench_reader TO guarded" >tell.out
gives 0 run clock.read -p way=plain --processes 2 --budget 5s --store "$(address bench adder)" --label added
gives 0 runs push "$(address bench adder)"
says 'known already'
refuses 2 'permission denied.*kbench_writer' runs remove added --store "$(address bench adder)"
refuses 2 'permission denied' runs label added other --store "$(address bench adder)"
gives 0 show added --store "$(address bench looker)"
refuses 2 'permission denied' runs label added other --store "$(address bench looker)"
refuses 2 'permission denied' runs --store "$(address bench nobody_s)"
gives 0 runs label added other --store "$bench"

# A password stands in a file of libpq's, and nowhere else.
refuses 2 'no password' runs --store "$(address bench guarded)"
printf '*:*:bench:guarded:the secret\n' >pass
chmod 600 pass
PGPASSFILE=$PWD/pass gives 0 runs --store "$(address bench guarded)"
printf '[lab]\nhost=%s\ndbname=bench\nuser=owner\n' "$postgres_home" >services
PGSERVICEFILE=$PWD/services gives 0 runs --names --store 'postgresql://?service=lab'
grep -qx waits out || fail "the service's store is another one"
for secret in 'postgresql://owner:geheim@/bench' 'postgresql:///bench?password=geheim' 'postgres:///bench?sslpassword=geheim'; do
	refuses 2 'has a password' runs --store "$secret"
	refuses 2 'has a password' run clock.read --store "$secret"
	refuses 2 'has a password' runs push "$secret"
	! grep -q geheim err || fail "the password is printed: $(cat err)"
done
refuses 2 'cannot be used' runs --store 'postgresql://%zz/'

# ---- versions ---------------------------------------------------------------------------------------------------
# As the first version left it: without months, and without boots, of which some environments state others, none, or half of one.
boots() {
	tell bench "SELECT id, boot FROM kbench.run JOIN kbench.run_facts ON number = run ORDER BY id" >"$1"
}
for env in '{"readings": {"boot_id": "x-1"}}' '{"readings": {"boot_id": 7}}' '{"readings": ["boot_id"]}' '{"readings": {"boot_id": "x"}'; do
	odd=$((${odd-0} - 1))
	tell bench "INSERT INTO kbench.run (number, id, started, finished, label, command, env_class, env, settings)
		VALUES ($odd, 'odd$odd', '2026-01-01T00:00:00Z', '', '', '', 'e', '$env', '{}');
		INSERT INTO kbench.run_facts VALUES ($odd, '2026-01-01T00:00:00Z', 'e', -1, 0, '', '', '')" >tell.out
done
tell bench "UPDATE kbench.run_facts SET boot = 'x-1' WHERE run = -1" >tell.out
boots boots.before
tell bench "DROP FUNCTION kbench.ready_month(text); ALTER TABLE kbench.run_facts DROP COLUMN boot; ALTER TABLE kbench.result DROP COLUMN waited;
	ALTER TABLE kbench.run DROP COLUMN checksum; ALTER TABLE kbench.run_facts DROP COLUMN checksum; ALTER TABLE kbench.launch DROP COLUMN checksum;
	ALTER TABLE kbench.comparison DROP COLUMN checksum; ALTER TABLE kbench.floor DROP COLUMN checksum; UPDATE kbench.version SET number = 1" >tell.out
refuses 2 'has schema 1.*maintain' runs --store "$bench"
refuses 2 'has schema 1|permission denied' runs push "$(address bench adder)"
gives 0 runs label waits waits --store "$bench"
gives 0 runs push "$(address bench adder)"
boots boots.after
diff boots.before boots.after || fail "boots became others"
grep -qx 'odd-1|x-1' boots.after && grep -qx 'odd-4|' boots.after || fail "the odd ones are not there: $(cat boots.after)"
[ ! -r /proc/sys/kernel/random/boot_id ] || grep -q "|$(cat /proc/sys/kernel/random/boot_id)\$" boots.after || fail "runs of this boot have none"
tell bench "DELETE FROM kbench.run WHERE number < 0" >tell.out
tell bench "UPDATE kbench.version SET number = 99" >tell.out
refuses 2 'schema 99.*newer kbench' runs --store "$bench"

# ---- killed while several push ------------------------------------------------------------------------------------
store_program store_make
tell postgres "CREATE DATABASE pushed" >tell.out
pushed=$(address pushed)
for writer in 1 2 3; do
	./store_make "writer$writer.db" 40 20 "$writer"
	sqlite_runs=$((${sqlite_runs-0} + 40))
done
for writer in 1 2 3; do
	"$KBENCH" runs push "$pushed" --store "writer$writer.db" --timeout 100s >"pushed$writer" 2>&1 &
	eval "pid$writer=\$!"
done
# A server that goes away before a run was sent was not there: that is told at once, and not waited for.
all_send() {
	tell pushed "SELECT count(DISTINCT substr(id, 21, 3)) FROM kbench.run" >tell.out 2>/dev/null && grep -qx 3 tell.out
}
await 20 all_send || fail "no run of each writer comes"
for kill in 1 2 3 4; do
	sleep 0.$((kill * 2))
	kill_postgres
	start_postgres || fail "no server after kill $kill"
done
for writer in 1 2 3; do
	eval "wait \$pid$writer" || fail "writer $writer: $(cat "pushed$writer")"
done
tell pushed "SELECT count(*), count(DISTINCT id), (SELECT count(*) FROM kbench.result), (SELECT count(*) FROM kbench.summary) FROM kbench.run" >tell.out
grep -qx "$sqlite_runs|$sqlite_runs|$((sqlite_runs * 20))|$((sqlite_runs * 20))" tell.out || fail "lost or twice: $(cat tell.out)"
gives 0 runs copy "$pushed" back.db
says ": $sqlite_runs runs added$"

# ---- old runs -----------------------------------------------------------------------------------------------------
tell postgres "CREATE DATABASE old" >tell.out
old=$(address old)
./store_make "$old" 60 20 1 bytes=600 hours=48
tell old "CREATE ROLE old_adder LOGIN; GRANT kbench_writer TO old_adder; CREATE TABLE firsts AS
	SELECT id, at FROM (SELECT id, at, row_number() OVER (PARTITION BY floor(extract(epoch FROM at) / 604800) ORDER BY started) AS nth FROM kbench.run) AS runs
	WHERE nth = 1" >tell.out
refuses 2 'only its owner may, owner' runs prune --older-than 1d --labelled --store "$(address old old_adder)"
refuses 2 'only its owner may, owner' runs gc --records-older-than 1d --store "$(address old old_adder)"

# nothing_left: no table has rows of a run that went.
nothing_left() {
	for table in run_facts launch summary result comparison floor; do
		tell old "SELECT count(*) FROM kbench.$table WHERE run NOT IN (SELECT number FROM kbench.run)" >tell.out
		grep -qx 0 tell.out || fail "rows of $table have no run: $(cat tell.out)"
	done
}
# A month whose records are all old is empty, and its space is free; its results are there.
january=$((($(date +%s) - $(date -u -d 2024-01-01 +%s)) / 86400))d
tell old "SELECT sum(pg_total_relation_size(oid)) > 200000 FROM pg_class WHERE relname IN ('launch_2023_11', 'launch_2023_12')" >tell.out
grep -qx t tell.out || fail "too few records to see them go"
gives 0 runs gc --records-older-than "$january" --store "$old"
says 'records of [0-9]+ runs dropped'
tell old "SELECT pg_relation_size('kbench.launch_2023_12'), pg_relation_size('kbench.launch_2024_01') > 0, (SELECT count(*) FROM kbench.result)" >tell.out
grep -qx '0|t|1200' tell.out || fail "records of other months went: $(cat tell.out)"

# What is killed in the middle leaves all: kbench, or the server. It is in the middle while a reader's lock keeps months from being dropped.
dropping() {
	tell old "SELECT 'yes' FROM pg_stat_activity WHERE application_name = 'kbench' AND query LIKE 'DO %DROP TABLE%'" 2>/dev/null | grep -q yes
}
reading() {
	tell old "SELECT 'yes' FROM pg_locks WHERE relation = 'kbench.result'::regclass AND mode = 'AccessShareLock' AND granted" 2>/dev/null | grep -q yes
}
not_dropping() {
	! dropping
}
for who in kbench server; do
	psql -XAtq -h "$postgres_home" -U owner -d old -c "BEGIN" -c "LOCK TABLE kbench.result IN ACCESS SHARE MODE" -c "SELECT pg_sleep(60)" >/dev/null 2>&1 &
	reader=$!
	await 10 reading || fail "the reader has no lock"
	"$KBENCH" runs prune --keep 1 --labelled --store "$old" >pruned 2>&1 &
	pruner=$!
	await 10 dropping || fail "it does not drop months: $(cat pruned)"
	if [ $who = server ]; then
		kill_postgres
		start_postgres || fail "no server after a kill while it pruned"
	else
		kill -9 $pruner
		tell old "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)' AND pid <> pg_backend_pid()" >tell.out
		await 10 not_dropping || fail "the server goes on without the one that asked"
	fi
	! wait $pruner 2>/dev/null || fail "it pruned, and was not killed"
	kill $reader 2>/dev/null || :
	wait $reader 2>/dev/null || :
	tell old "SELECT count(*), (SELECT count(*) FROM kbench.result) FROM kbench.run" >tell.out
	grep -qx '60|1200' tell.out || fail "$who was killed while it pruned: $(cat tell.out)"
	nothing_left
done
gives 0 runs prune --older-than 1d --thin 7d --labelled --store "$old"
tell old "SELECT count(*) > 10, bool_and(firsts.id IS NOT NULL AND run.id IS NOT NULL) FROM kbench.run FULL JOIN firsts USING (id)" >tell.out
grep -qx 't|t' tell.out || fail "others stay than the first of each week: $(cat tell.out)"
nothing_left
# Months that go whole have no tables any more.
gives 0 runs prune --older-than "$january" --labelled --store "$old"
tell old "SELECT to_regclass('kbench.result_2023_12') IS NULL, to_regclass('kbench.launch_2024_01') IS NOT NULL, min(started) > '2024' FROM kbench.run" >tell.out
grep -qx 't|t|t' tell.out || fail "months are not as they should be: $(cat tell.out)"
nothing_left
gives 0 runs push "$(address old old_adder)" --without-records --store writer1.db
says ': 40 runs added$'
