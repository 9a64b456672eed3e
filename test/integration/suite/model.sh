#!/bin/sh
# kbench model: wrong models are pointed at, predictions that must come out do, a stored run says the same again, the
# listing of doc/model.md is a model, and a command's calls are those that it makes.
# runs: slow, 20 s
set -u
. "$KB_SRC/test/support/check.sh"

# ---- texts --------------------------------------------------------------------------------------------

printf 'about a slip\nwhole time sys.null\npart\ta time sys.fstat\npredict a + 5\n' >wrong.model
gives 2 model --file wrong.model
says '^kbench model: wrong.model:4:11: a time and a number$'
says '^  predict a \+ 5$'
says '^            \^$'

printf 'about a slip\nwhole time sys.nul\npart a time sys.fstat\npredict a\n' >wrong.model
gives 2 model --file wrong.model
says "wrong.model:2:12: no benchmark 'sys.nul', did you mean sys.null"

printf 'about a slip\nwhole time sys.read_zero bytes=0\npart a time sys.fstat\npredict a\n' >wrong.model
gives 2 model --file wrong.model
says 'wrong.model:2:12: .*bytes'

gives 2 model nothing-of-that
says "no model 'nothing-of-that'"
gives 2 model --file absent.model
says 'cannot read absent.model'
gives 2 model command
says 'which command'
gives 2 model command -- ./absent
says "cannot run './absent': No such file"
[ ! -e "$XDG_DATA_HOME/kbench" ] || fail "a store was made by what is wrong"

# All that are there, and all that the page says.
gives 0 model --list
cut -d ' ' -f 1 out | sort >listed
(cd "$KB_SRC/model" && ls ./*.model) | sed 's|^\./||; s|\.model$||' | sort | diff - listed || fail "files (<) and --list (>)"
sed -n 's/^| `\([a-z_]*\)` |.*/\1/p' "$KB_SRC/doc/model.md" | sort | diff - listed || fail "doc/model.md (<) and --list (>)"

gives 0 model --list --json
sed -n 's/^ *"model": "\(.*\)".*/\1/p' out | sort | diff - listed || fail "--list and --list --json"

# The user's own goes before the shipped one.
mkdir -p "$XDG_DATA_HOME/kbench/model"
printf 'about mine\nwhole time sys.null\npart a time sys.null\npredict a\n' >"$XDG_DATA_HOME/kbench/model/copy.model"
gives 0 model --list
says '^copy  *mine$'
rm -r "$XDG_DATA_HOME/kbench"

# ---- predictions --------------------------------------------------------------------------------------

# A row is what it is, and a third of itself less than three of it.
cat >exact.model <<'END'
about   a row predicts itself
over    times = 1, 3
whole   time sys.write_null
part    a time sys.write_null
predict a * $times
END
listings model model.md >listing.model
[ -s listing.model ] || fail "doc/model.md has no listing"

# Quiet: on a busy machine a row may have two modes, and then no typical number.
gives 0 model --file exact.model --file listing.model --budget 40s --processes 3 --precision 100% --label kept --estimate observed
sed -n '/^exact times=1/,/^exact times=3/p' out | grep -q 'deviation  0\.' || fail "a row is not itself"
sed -n '/^exact times=3/,/^$/p' out | grep -q 'deviation  -66\.[67]' || fail "a third is not a third"
says 'circular: '
says '^listing$'
says '    measured '
sed '1,2d; /processes for/d' out >measured

says '; observed estimates$'
gives 0 model --file exact.model --file listing.model --run kept --estimate observed
sed '1,2d; /^of run/d' out | diff measured - || fail "measured (<) and stored (>) differ"

gives 0 model --file exact.model --run kept
says '; headline estimates$'
gives 2 model --estimate median
says "must be headline or observed"
gives 0 model --run kept shell
says 'no number: proc.shell.*the run has no such result'
# All rows of all that are shipped are there: what a command may be charged is so checked one by one.
gives 0 model --run kept
awk '$1 == "part" { part = $2; sub(/^part +[^ ]+ +/, ""); file = "paid_" part ".model"
	print "about " part "\nwhole " $0 "\npart a " $0 "\npredict a" >file }' "$KB_SRC/model/command.model"
set --
for file in paid_*.model; do
	set -- "$@" --file "$file"
done
gives 0 model --run kept "$@"
gives 2 model --run nothing exact
gives 0 model --file exact.model --run kept --json
says '"schema": "kbench-model/1"'
says '"circular": true'

# ---- commands -----------------------------------------------------------------------------------------

gives 0 model command --budget 4s --processes 2 --repeats 4 --timeout 60s -v -- \
	sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=1000; exit 3'
says '^exit code 3, 4 runs on CPU'
says '    remainder '
for call in read write; do
	count=$(awk -v call=$call '$1 == call && $3 == "paid" { print int($2) }' out)
	[ "${count:-0}" -ge 1000 ] && [ "$count" -le 1200 ] || fail "$count calls of $call, not 1000 and a few"
done

# No count is below zero where the command makes fewer calls than a program that does nothing, and each difference has its CI.
gives 0 model command --budget 3s --processes 2 --repeats 9 --json -- true
[ "$(jq '[.command | (.parts[], .calls[]).count | select(. < 0)] | length' out)" = 0 ] || fail "a count below zero: $(jq -c .command.parts out)"
[ "$(jq '.command.excess_events > 0' out)" = true ] || fail 'it makes all the calls of a program that does nothing'
[ "$(jq '.command | [.cpu_ns, .idle_ns, .measured_ns] | all(.low != null and .high != null and .low <= .value and .value <= .high)' out)" = true ] ||
	fail "no CI: $(jq -c '.command | [.cpu_ns, .idle_ns]' out)"
gives 0 model command --budget 3s --processes 2 --repeats 9 -- sleep 0.05
says '^    CPU time of a run: .* the kernel.s part included$'
says '^    not CPU time: [0-9.]* .*ms, while it slept, or others had the CPU$'

# Its whole group goes when it is killed.
gives 5 model command --timeout 300ms -- sh -c 'sleep 77.125 & sleep 77.125'
says 'killed after --timeout of 0.3 s'
sleep 0.2
for entry in /proc/[0-9]*/cmdline; do
	{ tr '\0' ' ' <"$entry"; } 2>/dev/null | grep -q '^sleep 77.125 ' && fail "a killed command left processes behind"
done

# So does what a command has started when kbench itself is killed while it times the command: nobody traces it then, and who
# leaves the process group is found, too.
asleep() {
	for file in $(grep -lsaF 78.28125 /proc/[0-9]*/cmdline); do
		process=${file%/cmdline}
		[ "$(cat "$process/comm" 2>/dev/null)" = sleep ] && grep -q '^TracerPid:[[:space:]]*0$' "$process/status" 2>/dev/null &&
			echo "${process#/proc/}"
	done
}

now_asleep() {
	case $1:$(asleep) in some:?* | none:) ;; *) return 1 ;; esac
}

# until_asleep HOW: asleep() finds something (some), or nothing (none); false after 20 s.
until_asleep() {
	await 20 now_asleep "$1"
}

"$KBENCH" model command --no-store --repeats 10000 --timeout 60s -- sh -c 'sleep 78.28125 & setsid sleep 78.28125 & sleep 0.5' >out 2>err &
pid=$!
until_asleep some || fail 'the command was not timed'
kill -s KILL $pid
wait $pid 2>/dev/null
until_asleep none || fail "kbench was killed and left behind: $(asleep)"
