#!/bin/sh
# kbench runs: what it lists, removes, frees and merges, and that each wrong word is one line and changes nothing. What a kill and a full disk
# leave: unit/workflow/test_runs.c.
# runs: 11 s
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/store_program.sh"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

measure() {
	"$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s "$@" >/dev/null 2>err || fail "run: $(cat err)"
}
count() {
	"$KBENCH" runs --json | grep -c '"state": '
}

# ---- without a store ----------------------------------------------------------------------------------

for words in "runs" "runs --json" "runs --names" "runs remove last" "runs label last x" "runs prune --keep 1" "runs prune --keep 1 --dry-run" \
	"runs gc" "maintain" "compare"; do
	# shellcheck disable=SC2086 # words
	refuses 2 'no store .* yet' $words
done
[ ! -e "$XDG_DATA_HOME/kbench" ] || fail "a store was made"

# ---- lists and labels ---------------------------------------------------------------------------------

measure
measure --label second
gives 0 runs
[ "$(wc -l <out)" -eq 4 ] && says '^run +started +results +verdicts +size +label$' || fail "runs: $(cat out)"
says '^[0-9a-f-]{36}  [0-9-]{10}T[0-9:]{8}Z +1  1 [a-z]+ +[0-9.]+ [kM]B  second$'
says '^2 runs in .*/kbench.db: [0-9.]+ [kM]B'
gives 0 runs --limit 1
[ "$(wc -l <out)" -eq 3 ] && says ' second$' && says '^1 run of 2 in ' || fail "runs --limit: $(cat out)"
gives 0 runs --names
first=$(sed -n '$p' out)
[ "$(wc -l <out)" -eq 3 ] && [ "$(head -n 1 out)" = second ] || fail "runs --names: $(cat out)"
gives 0 runs label last~1 'a "b" <c>'
says "^run $first: label a \"b\" <c>\$"
gives 0 show 'a "b" <c>'
gives 0 runs label "$first" ''
says "^run $first: no label\$"
refuses 2 'a run and its label' runs label last
refuses 2 'the name of the store is empty' runs --store ''
# It could name no run.
refuses 2 "another word than 'last'" runs label last 'last~1'
refuses 2 "unexpected argument 'c'" runs label a b c
refuses 2 'no run "zz"' runs label zz x
refuses 2 'at most 100 bytes of text' runs label last "$(printf 'a\nb')"
refuses 2 'at most 100 bytes of text' runs label last "$(printf '%0101d' 1)"
refuses 2 "no subcommand 'lable', did you mean label" runs lable

# ---- a comparison without words -----------------------------------------------------------------------

gives 0 compare
says "^base  run $first, "
gives 0 compare "$first"
says "^new   run .*, second$"
refuses 2 "'second' is the newest run" compare second
"$KBENCH" run sys.stat --processes 1 --precision 100% --budget 1s >/dev/null
refuses 2 "nothing to compare: run .* has 1 result .sys.null., run .* has 1 result .sys.stat depth=1., none of both" compare
gives 0 runs remove last

# ---- removing -----------------------------------------------------------------------------------------

refuses 2 'which run' runs remove
refuses 2 'no run "zz"' runs remove second zz
[ "$(count)" -eq 2 ] || fail "a run was removed beside an unknown one"
refuses 2 'which runs\? --keep N or --older-than AGE' runs prune
refuses 2 "'30': not an age such as 30d" runs prune --older-than 30
refuses 2 "'d': not an age" runs prune --older-than d
refuses 2 "'-1d': not an age" runs prune --older-than -1d
refuses 2 "unknown option '--keep'" runs --keep 1
gives 0 runs prune --older-than 0h --dry-run
says "^$first " && says '^1 run would be removed, '
gives 0 runs prune --older-than 1h
says '^0 runs removed'
[ "$(count)" -eq 2 ] || fail "prune --dry-run, or of nothing, removed a run"

# One that is measured now stays, and is named; others may go meanwhile.
"$KBENCH" run sys.null --budget 30s --precision 0.001% --processes 1000 --label busy >run 2>&1 &
busy=$!
running() {
	"$KBENCH" runs | grep -q 'running .* busy$'
}
await 30 running || fail "the run does not run: $("$KBENCH" runs)"
refuses 2 'is being measured: end it first; nothing was removed' runs remove "$first" busy
gives 0 runs prune --keep 0 --labelled
says '^2 runs removed, ' && says "^$first "
[ "$("$KBENCH" runs --names | head -n 1)" = busy ] || fail "the run that is measured was removed"
kill -TERM $busy
wait $busy
[ $? -eq 143 ] || fail "the run did not end by the signal: $(cat run)"
grep -q '^run .* in ' run || fail "the run was not kept: $(cat run)"
"$KBENCH" runs | grep -q 'running' && fail "a run that has ended is running"

# ---- space --------------------------------------------------------------------------------------------

mkdir -p cache/kbench/kernel/0.0.1-gone "cache/kbench/kernel/$(uname -r)" cache/kbench/sel4/01234567 cache/kbench/yamba
echo module >cache/kbench/kernel/0.0.1-gone/kbench.ko
echo image >cache/kbench/sel4/01234567/kb_root.elf
echo program | tee cache/kbench/yamba/old.so >cache/kbench/yamba/new.so
ln -s "$PWD/kept" cache/kbench/yamba/link.so
touch -d '40 days ago' cache/kbench/yamba/old.so cache/kbench/sel4/01234567 cache/kbench/kernel/*
touch -h -d '40 days ago' cache/kbench/yamba/link.so
mkdir kept && touch kept/file
gives 0 runs gc --dry-run
says '^store .*, would be about ' && says '^cache kernel .*: 1 of 2 would be removed, of kernels that are not installed$'
[ -d cache/kbench/kernel/0.0.1-gone ] || fail "gc --dry-run removed something"
before=$(wc -c <"$XDG_DATA_HOME/kbench/kbench.db")
gives 0 runs gc
says '^cache sel4 .*: 1 of 1 removed' && says '^cache yamba .*: 2 of 3 removed, not used for 30 days$'
[ ! -e cache/kbench/kernel/0.0.1-gone ] && [ -d "cache/kbench/kernel/$(uname -r)" ] && [ ! -e cache/kbench/yamba/old.so ] &&
	[ -e cache/kbench/yamba/new.so ] && [ -e kept/file ] || fail "gc removed $(find cache kept)"
[ "$(wc -c <"$XDG_DATA_HOME/kbench/kbench.db")" -lt "$before" ] || fail "gc did not make the store smaller: $(cat out)"
gives 0 show busy
measure --label measured
gives 0 runs gc --records-older-than 0h --json
says '"schema": "kbench-gc/1"' && says '"runs": [12],'
gives 0 show measured
gives 0 maintain
says 'kept as they are: it has no records$'

# ---- many runs ----------------------------------------------------------------------------------------

# 2,900 hours of 2023 and 2024: the first run of each of 19 weeks stays.
store_program store_make
./store_make many.db 2900 2 1
refuses 2 "'0d': in no time" runs prune --older-than 1d --thin 0d --store many.db
refuses 2 'which runs' runs prune --thin 7d --store many.db
gives 0 runs prune --older-than 1d --thin 7d --store many.db
says '^0 runs removed'
gives 0 runs prune --older-than 1d --thin 7d --labelled --dry-run --store many.db
says '^2881 runs would be removed, which started from 2023-11-14T23:13:20Z to 2024-03-14T17:13:20Z; 19 stay$'
gives 0 runs --names --store many.db
grep -v run- out | awk '{ weeks = int((1700000000 + 3600 * (2899 - (NR - 1))) / 604800); first[weeks] = $0 } END { for (week in first) print first[week] }' | sort >wanted
gives 0 runs prune --older-than 1d --thin 7d --labelled --store many.db
says '^2881 runs removed' && says "^'kbench runs gc' gives"
gives 0 runs --names --store many.db
grep -v run- out | sort | diff wanted - || fail "others stay than the first of each week"

# Killed in the middle, it removed all of them or none; once it is in the middle.
seen=
for delay in 02 06 15; do
	cp copied.db many.db 2>/dev/null || { rm -f many.db && ./store_make many.db 2000 5 1 && cp many.db copied.db; }
	"$KBENCH" runs prune --keep 1 --labelled --store many.db >/dev/null 2>&1 &
	pruner=$!
	sleep 0.$delay
	kill -9 $pruner 2>/dev/null && seen=1
	wait $pruner 2>/dev/null
	stay=$("$KBENCH" runs --names --store many.db | grep -vc run-)
	[ "$stay" -eq 2000 ] || [ "$stay" -eq 1 ] || fail "killed after 0.$delay s: $stay runs stay"
	rm -f many.db-wal many.db-shm
done
[ -n "$seen" ] || fail "it was never killed"

# ---- without records ----------------------------------------------------------------------------------

measure --store with.db --label with
gives 0 runs push without.db --without-records --store with.db
says '^without.db: 1 run added$'
gives 0 show with --json --store without.db
cp out there
gives 0 show with --json --store with.db
diff out there >/dev/null || fail "without records the run is another one"
gives 0 show with --plot --store without.db
says "'sys.null' has no records in this store"
gives 0 runs push without.db --store with.db
says '0 runs added, 1 known already$'
gives 0 maintain --store without.db
says 'kept as they are: it has no records$'
gives 0 runs gc --records-older-than 0h --dry-run --store without.db
! grep -q '^records of' out || fail "it has records: $(cat out)"
refuses 2 'would lose the records' runs push postgresql:///none --waiting --without-records

# ---- merging ------------------------------------------------------------------------------------------

measure --store other.db --label theirs
gives 0 runs merge other.db
says '^other.db: 1 run added$'
gives 0 runs merge other.db other.db
[ "$(grep -c '^other.db: 0 runs added, 1 known already$' out)" -eq 2 ] || fail "merged twice: $(cat out)"
"$KBENCH" show theirs --json >here
"$KBENCH" show theirs --json --store other.db | diff - here || fail "a merged run (>) is another one"
gives 0 runs merge other.db --store fresh.db
echo text >text.db
exits 2 "$KBENCH" runs merge other.db text.db
says '1 known already' && says 'text.db: it is damaged or not a store'
refuses 2 'cannot read missing.db: no such file' runs merge missing.db
[ ! -e missing.db ] || fail "missing.db was made"
refuses 2 'which store' runs merge
refuses 2 'another word than postgresql://' runs --store postgresq://host/bench
refuses 2 'another word than postgresql://' run sys.null --store postgresq://host/bench
[ ! -e postgresq: ] || fail 'a file of an address'
