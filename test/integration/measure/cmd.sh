#!/bin/sh
# kbench cmd on this machine: what a command is, what runs around it and when, what ends a run and what is left then, what is kept.
# What is decided by numbers is in test/unit/workflow/test_commands.c.
# runs: 12 s
set -eu
. "$KB_SRC/test/support/check.sh"

# checks: the program in Python of the input agrees; where there is no Python, nobody is asked.
checks() {
	if command -v python3 >/dev/null 2>&1; then
		python3 -
	else
		cat >/dev/null
	fi
}

# ---- what is typed wrong ----------------------------------------------------------------------------------

wrong() {
	pattern=$1
	shift
	refuses 2 "$pattern" cmd "$@"
	[ ! -e "$XDG_DATA_HOME/kbench" ] || fail "a store was made: kbench cmd $*"
}

wrong 'a command is needed'
wrong "'--' without a command" --
wrong "'--' without a command" -- true --
wrong "before and after '--'" true -- true
wrong 'a quote that is not closed' -N "a 'b"
wrong 'needs three values: VAR MIN MAX' true -P a 1
wrong 'needs two values: VAR VALUE,...' true -L a
wrong 'MIN must not exceed MAX' -P a 5 1 'true {a}'
wrong 'not a number' -P a x 3 'true {a}'
wrong "'a' stands there twice" -L a 1 -L a 2 true
wrong 'the name of a parameter' -L 'a b' 1 true
wrong 'exclude each other' -L a 1 -P b 1 2 true
wrong 'without --parameter-scan' -D 2 true
wrong '--prepare 2 times for 1' -p true -p true true
wrong '--command-name 2 times for 1' -n a -n b true
wrong '--min-runs 5 exceeds --max-runs 3' -m 5 -M 3 true
wrong '--no-shell and --shell' -N -S bash true
wrong '--output and --show-output' --output null --show-output true
wrong '--input /nonexistent: No such file' --input /nonexistent true
wrong '--output /nonexistent/x: No such file' --output /nonexistent/x true
wrong "--time-unit 'hour'" -u hour true
wrong "unknown option '-la' behind 'ls': if it is the command's, quote both as one word" ls -la
wrong "unknown option '-l'" -la ls
wrong '--store and --no-store' --store x --no-store true

# ---- a difference, and what is kept of it -----------------------------------------------------------------

# Whatever else runs here: naps so different stay so.
gives 1 cmd --gate --json 'sleep 0.02' 'sleep 0.3' -r 12 --label naps
mv out json
checks <<'END' || fail "the result is another one: $(head -c 3000 json)"
import json
run = json.load(open("json"))
a, b = run["results"]
row, = run["comparisons"]
assert a["params"] == {"command": "sleep_0.02"} and a["estimate"]["method"] == "command" and a["per"] == "run", a
assert 0.015e9 < a["estimate"]["value"] < 0.09e9 and a["estimate"]["low"] < a["estimate"]["high"]
assert 5 < row["ratio"]["value"] < 100 and row["decision"] == "slower", row
assert [e["counter"] for e in a["evidence"]] == ["exits"] and a["evidence"][0]["ok"] is True
shell = run["shell_ns"]
assert shell["low"] < shell["value"] < shell["high"] and 0 < shell["value"] < 0.2e9, shell
first = run["commands"][0]
assert first["runs"] >= 12 and set(first["exit_codes"]) == {0} and len(first["exit_codes"]) == first["runs"]
assert first["time_ns"]["low"] < first["time_ns"]["value"] and 0.4e6 < first["memory_bytes"]["value"] < 2e7
assert run["run"]["settings"]["commands"][1]["argv"] == ["sh", "-c", "sleep 0.3"]
END
gives 0 show naps
says 'sleep_0.02 '
gives 0 show naps --json
sed '1,/"results"/d; /^  ],*$/,$d' out >shown
sed '1,/"results"/d; /^  ],*$/,$d' json | cmp - shown || fail "show --json is another result"
gives 0 maintain naps
gives 0 show naps --json
sed '1,/"results"/d; /^  ],*$/,$d' out | cmp - shown || fail "the records give another result"
gives 0 history cmd.run
says '^cmd.run command=sleep_0.3'
gives 0 cmd --label naps2 -r 12 --style none -- sleep 0.02
[ ! -s out ] || fail "--style none prints: $(cat out)"
gives 0 show naps2
says '^COMMANDS, per run$'
says '^  cmd.run sleep_0.02 ' # what was measured, also where it is alone
gives 0 cmd --label naps3 -r 12 -N -n sleep_0.02 'sleep 0.02'
says '^sleep_0.02 '
gives 0 compare naps2 naps3
says '^1 result|only in'

# A table fits the terminal: the decision is not what is cut, and what has no room is named. Times are medians, and both ends of a ratio are there.
exits 0 env COLUMNS=80 "$KBENCH" cmd --no-store -r 4 'sleep 0.01' 'sleep 0.03; : of a rather long text' 'sleep 0.01'
awk '/^command /, /^start-up/ { if (length > 82) exit 1 }' out || fail "longer than 80 columns: $(cat out)"
says '^command +median ms +.*ratio \[95 % CI\] +verdict$'
says '^ +[0-9.]+ .* [0-9.]+ \[[0-9.]+, >?[0-9.]+\] '
reads 'no room in 80 columns for: switches, faults, .*; -v prints them'
exits 0 env COLUMNS=140 "$KBENCH" cmd --no-store -r 3 'sleep 0.002' 'sleep 0.006'
says ' mean +user +system +MiB +faults +switches '

# A command that does nothing has no unit: the shell's is taken.
gives 0 cmd --no-store -r 12 :
says '^command +median [um]s '
reads 'start-up of the shell, .* median [0-9.]+, mean [0-9.]+ [^ ]+ [um]s'

# ---- order of what runs around ----------------------------------------------------------------------------

gives 0 cmd --no-store -r 3 -w 1 -s 'echo s{a} >>log' -p 'echo p{a} >>log' -c 'echo c{a} >>log' -L a 1,2 'echo {a} >>log'
tr '\n' ' ' <log >line
# hyperfine's users expect a setup right before the runs of its command.
says '^kbench cmd: all 2 setups run before the first run of any command'
grep -Eq '^s1 s2 (p1 1 p2 2 |p2 2 p1 1 ){4}c1 c2 $' line || fail "in this order: $(cat line)"
rm log
gives 0 cmd --no-store -r 2 -s true true true
[ ! -s err ] || fail "a note of setups that are the same: $(cat err)"
gives 0 cmd --no-store -r 2 -p 'echo a >>log' -p 'echo b >>log' --reference 'echo 0 >>log' 'echo 1 >>log'
[ "$(paste -sd, log | grep -o 'a,0' | wc -l),$(paste -sd, log | grep -o 'b,1' | wc -l)" = 3,3 ] || fail "prepared in this order: $(paste -sd, log)"
gives 0 cmd --no-store -r 2 -P n 0.001 0.002 -D 0.0005 'sleep {n}'
for n in 0.0010 0.0015 0.0020; do
	says "^sleep $n "
done

gives 0 cmd --no-store -r 2 -L file a,b -L n 1,2 -n 'c {file}' -p ': {n}' 'true {flie}'
says '^kbench cmd: \{file\} is in no command, --setup, --prepare or --cleanup: its values change nothing$'
[ "$(wc -l <err)" -eq 1 ] || fail "more notes: $(cat err)"

# ---- input, output, memory --------------------------------------------------------------------------------

printf 'one\ntwo\n' >input
gives 0 cmd --no-store -r 3 --input input --output output cat
cmp input output || fail "the output of cat is $(cat output)"
gives 0 cmd --no-store -r 2 --output pipe 'head -c 300000 /dev/zero; [ ! -t 1 ] && [ -p /dev/stdout ]'
gives 0 cmd --no-store -r 2 --show-output 'echo shown'
[ "$(grep -c '^shown$' out)" -eq 3 ] || fail "--show-output: $(cat out)"
gives 0 cmd --no-store -r 3 --json -- true -- dd if=/dev/zero of=/dev/null bs=64M count=1
checks <<'END' || fail "peak memory: $(grep -A 3 memory_bytes out)"
import json
small, large = [c["memory_bytes"]["value"] for c in json.load(open("out"))["commands"]]
assert 2e5 < small < 8e6 and 64e6 < large < 90e6
END

# On a terminal: blocks, and what so many runs take rather than the time that does not end them. Nothing of it among a command's output.
if command -v script >/dev/null 2>&1; then
	TERM=xterm script -qec "'$KBENCH' cmd --no-store -r 4 'sleep 0.4'" /dev/null >out </dev/null
	says '[1-3] blocks?, [0-9]+ s, about [0-9]+ s left'
	TERM=xterm script -qec "'$KBENCH' cmd --no-store -r 2 --show-output 'echo shown'" /dev/null >out </dev/null
	grep -q ' left' out && fail "progress among output: $(cat out)"
fi

# As many arguments as the system takes, and no zombies of processes that left their group and ended.
gives 0 cmd --no-store -r 2 --style none -- true $(seq 6000)
gives 0 cmd --no-store -r 40 --style none -- sh -c 'setsid sh -c "echo >left; exec sleep 0.1" &
until [ -e left ]; do :; done; rm left; [ "$(ps -eo ppid,stat | grep -c "^ *$(ps -o ppid= -p $PPID | tr -d " ") *Z")" -lt 20 ]'

# ---- failures ---------------------------------------------------------------------------------------------

gives 5 cmd 'exit 3' true
says "^kbench cmd: 'exit 3' ended with exit code 3 \(-i measures it all the same\)$"
[ ! -s out ] || fail "a table of nothing: $(cat out)"
refuses 5 "'nonexistent' cannot be run: program not found \(exit code 127\)" cmd --no-store -- nonexistent
gives 5 cmd --no-store true nonexistent
says "'nonexistent' ended with exit code 127 \(program not found\); its standard error ends with$"
says '^  .*nonexistent.*not found'
# The last lines of what it wrote, as visible text. A run that counts writes to no file of ours.
gives 5 cmd --no-store 'for i in 1 2 3 4 5; do printf "line $i \033[31m\n" >&2; done; exit 7'
says "exit code 7 \(-i measures it all the same\); its standard error ends with$"
says '^  line 5 \?\[31m$'
[ "$(grep -c '^  line' err)" -eq 4 ] || fail "other lines: $(cat err)"
refuses 5 "^kbench cmd: the shell 'nonexistent -x' cannot be run: program not found" cmd --no-store -S 'nonexistent -x' true
gives 5 cmd --no-store -w 0 'echo why >&2; exit 7'
says 'exit code 7 \(-i measures it all the same, --show-output shows why\)$'
gives 5 cmd --no-store 'yes | head -c 50000000 >&2; exit 7'
says '^  y$'
refuses 5 "ended by signal 9" cmd --no-store 'kill -9 $$'
refuses 5 "'sleep 3600' killed after --timeout of 0.1 s" cmd --no-store --timeout 100ms -- sleep 3600
refuses 5 'left processes behind' cmd --no-store 'sleep 61.375 & true'
gives 5 cmd --no-store -s 'echo why >&2; exit 2' true
says "^kbench cmd: --setup 'echo why >&2; exit 2' ended with exit code 2; its standard error ends with$"
says '^  why$'
refuses 5 "^kbench cmd: --prepare 'exit 2' ended with exit code 2$" cmd --no-store -p 'exit 2' true
gives 0 cmd --no-store -i -r 12 -v 'sleep 0.005; exit 3'
says '12 runs did not end with exit code 0, the last with exit code 3'
# One that fails later: what was measured before is printed.
gives 5 cmd --no-store -w 0 -r 6 'echo x >>count; [ $(wc -l <count) -lt 4 ]' 'sleep 0.002'
says 'ended with exit code 1'
says '^sleep 0.002 '
says 'invalid: the operation failed'

# ---- signals ----------------------------------------------------------------------------------------------

"$KBENCH" cmd --label stopped -w 0 -c 'echo cleaned >>cleaned' -- sh -c 'echo >>begun; [ $(wc -l <begun) -lt 3 ] || sleep 61.625' >out 2>err &
await 10 sh -c '[ -e begun ] && [ $(wc -l <begun) -ge 3 ]' || fail 'it did not begin'
kill -TERM $!
code=0
wait $! || code=$?
[ $code -eq 143 ] || fail "exit code $code after a signal: $(printed)"
says 'stopped by signal 15'
[ "$(wc -l <cleaned)" -eq 1 ] || fail 'cleanup did not run once'
gives 0 show stopped --json
grep -q '"samples": 2' out || fail "what was measured is not kept: $(grep samples out)"
! pgrep -f 'sleep 61\.(375|625)' >/dev/null || fail 'a process is left'

# Nothing is left either where nobody can clean up.
"$KBENCH" cmd --no-store -w 0 -- sh -c 'echo >>killed; sleep 61.625 & sleep 61.625' >/dev/null 2>&1 &
await 10 [ -e killed ] || fail 'it did not begin'
kill -KILL $!
wait $! 2>/dev/null || :
gone() {
	! pgrep -f 'sleep 61\.625' >/dev/null
}
await 10 gone || fail 'a process is left after kill -9'

# ---- hostile names ----------------------------------------------------------------------------------------

name=$(printf '=a|`b`"<i>\n\033[31m\351')
gives 0 cmd --no-store -r 3 -n "$name" -n plain --export-json t.json --export-csv t.csv --export-markdown t.md true true
grep -q "$(printf '\033')" out t.md && fail 'an escape sequence is printed'
checks <<'END' || fail "exports: $(cat t.csv t.md)"
import csv, json
names = [r["command"] for r in json.load(open("t.json"))["results"]]
assert len(names) == 2 and names[1] == "plain", names
rows = list(csv.reader(open("t.csv", encoding="latin1", newline="")))
assert rows[1][0].startswith("'=a|") and len(rows[1]) == 8 and len(rows) == 3, rows
lines = open("t.md", encoding="utf-8", errors="replace").read().splitlines()
assert len(lines) == 4 and lines[2].count(" | ") == 4, lines
END

exits 0 env LC_ALL=C "$KBENCH" cmd --no-store -r 3 -n "$(printf 'na\303\257f')" true
says '^na\?f '

# Written whole or not at all, and not in place of the run.
refuses 2 "cannot write '/nonexistent/x': No such file" cmd --no-store -r 2 --export-json /nonexistent/x 'echo >>ran'
refuses 2 "cannot write '/dev': Is a directory" cmd --no-store -r 2 --export-csv /dev 'echo >>ran'
[ ! -e ran ] || fail 'commands ran for a file that cannot be written'
gives 2 cmd --no-store -r 2 --export-markdown /dev/full true
says "cannot write '/dev/full': No space"
says '^true '

# ---- the page ---------------------------------------------------------------------------------------------

head -c 2000 "$KB_SRC/doc/cmd.md" >file
listings sh cmd.md | sed 's/^kbench cmd/"$KBENCH" cmd -r 2/; s/^kbench/"$KBENCH"/' >page
[ "$(wc -l <page)" -ge 5 ] || fail 'doc/cmd.md has no listings'
sh -e page >out 2>err || fail "a listing of doc/cmd.md: $(printed)"
