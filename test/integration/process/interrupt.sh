#!/bin/sh
# A run that is ended from outside: by Ctrl-C, by a signal, and by kill -9 at random moments, KB_KILLS times (20; a quick
# run 8; KB_SEED chooses the moments). The store stays sound, loses the launch in flight at most, nothing is left behind.
# runs: slow, 15 s
set -u
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/left.sh"
# A full run takes all twenty; the quick one the first eight.
kills=${KB_KILLS:-$((${KB_FULL:-0} ? 20 : 8))}
seed=${KB_SEED:-1}

plugin notes_launches notes.so
. "$KB_SRC/test/support/store_program.sh"
store_program store_look || exit 1

# start BUDGET: a run of two rows in the background, as leader of a process group like the job of a terminal.
start() {
	: >launches
	KB_TEST_LAUNCHES=$PWD/launches setsid env --default-signal=INT,TERM,HUP "$mark" "$KBENCH" run --plugin ./notes.so \
		-p row=1,2 --processes 1000 --precision 0.001% --budget "$1" --label "$label" --store store.db >out 2>err &
	pid=$!
}

finish() {
	code=0
	wait "$pid" 2>/dev/null || code=$?
	rest=$(left 3)
	[ -z "$rest" ] || fail "left behind: $rest"
}

# What the plug-in noted is there, but for one launch that ended when the run did.
check_store() {
	done=$(wc -l <launches)
	seen=$(./store_look store.db "$label") || {
		fail "the store is damaged: $seen"
		return
	}
	stored=${seen% *} broken=${seen#* }
	[ "$broken" -eq 0 ] || fail "$broken of $stored launches are not whole"
	if [ "$stored" -gt "$done" ] || [ "$stored" -lt $((done - 1)) ]; then
		fail "$done launches were done, $stored are stored"
	fi
	lost=$((lost + done - stored))
	sum=$((sum + stored))
	[ "$stored" -eq 0 ] && return
	# Killed between a launch and what it adds up to, a run has records only; show says so, and how to get the rest.
	"$KBENCH" show --store store.db "$label" >shown 2>&1 || grep -q "'kbench maintain .*' makes them" shown ||
		fail "show says $(cat shown)"
	"$KBENCH" maintain --store store.db "$label" >shown 2>&1 || fail "maintain says $(cat shown)"
	"$KBENCH" show --store store.db "$label" >shown 2>&1 || fail "after analyze show says $(cat shown)"
	"$KBENCH" show --store store.db --json "$label" | grep -q '"code": "record_truncated"' && fail "cut-off records"
}

noted() {
	[ "$(wc -l <launches)" -ge "$1" ]
}

# await_launches N: until so many are noted.
await_launches() {
	await 10 noted "$1" || fail "no launches within 10 s: $(cat err)"
}

# A zombie, or gone: a shell may take the status of a child when it waits for another one, and keeps it for its `wait`.
ended() {
	state=$(sed 's/.*) //; s/ .*//' "/proc/$pid/stat" 2>/dev/null)
	[ "${state:-Z}" = Z ]
}

lost=0 sum=0

# ---- in order: the table is printed, the exit code tells the signal ---------------------------------------

for pair in INT:130 TERM:143 HUP:129; do
	signal=${pair%:*}
	label=$signal case=$signal
	start 60s
	await_launches 6
	# Ctrl-C goes to the whole group.
	kill -s "$signal" -- -"$pid"
	finish
	[ $code -eq "${pair#*:}" ] || fail "exit code $code"
	[ ! -s err ] || fail "on standard error: $(cat err)"
	grep -q '^ *plugin.notes row=1 ' out || fail "no table: $(cat out)"
	grep -q 'stopped by signal' out || fail "does not say why it ended: $(cat out)"
	check_store
	[ "$stored" -ge 5 ] || fail "only $stored launches are stored"
done

# ---- twice at once, as by `timeout`, which sends its signal to the program and then to its group --------------

label=twice case=twice
start 60s
await_launches 3
kill -s INT "$pid"
sleep 0.01
kill -s INT -- -"$pid" 2>/dev/null
finish
[ $code -eq 130 ] || fail "exit code $code"
grep -q 'stopped by signal' out || fail "one request took the table away: $(cat out)"
check_store

# ---- in a hurry: a second Ctrl-C, while another program keeps the store locked ------------------------------

if command -v python3 >/dev/null 2>&1; then
	label=hurry case=hurry
	start 60s
	await_launches 3
	python3 -c 'import sqlite3, time; c = sqlite3.connect("store.db", 10); c.execute("begin immediate"); print(flush=True); time.sleep(8)' >locked &
	holder=$!
	await 10 [ -s locked ] || fail "the store cannot be locked"
	kill -s INT "$pid"
	sleep 0.5
	[ ! -s out ] && kill -0 "$pid" || fail "it did not wait for the store: $(cat out)"
	kill -s INT "$pid"
	await 3 ended || fail "a second Ctrl-C does not end it"
	kill $holder
	wait $holder 2>/dev/null
	finish
	[ $code -eq 130 ] || fail "exit code $code"
	check_store
fi

# ---- killed -----------------------------------------------------------------------------------------------

sum=0 lost=0 number=0
# Between the start of the program and a second later; every other run would have ended by itself half-way.
for delay in $(awk -v n="$kills" -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < n; i++) printf "%.3f\n", 1.2 * rand() }'); do
	number=$((number + 1))
	label=kill-$number case=$label
	budget=60s
	[ $((number % 2)) -eq 0 ] || budget=500ms
	start $budget
	# On a busy machine most of these moments lie before the first launch; some must lie behind it.
	[ $((number % 4)) -ne 0 ] || await_launches 2
	sleep "$delay"
	kill -s KILL "$pid" 2>/dev/null
	finish
	check_store
done
echo "$number kills: $sum launches stored, $lost lost"
[ "$sum" -ge $((number / 4)) ] || fail "too few launches to tell anything"
