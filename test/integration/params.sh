#!/bin/sh
# kbench params: line, first and second cache against what sysfs says; both kinds of output; reasons; errors.
# What is inferred from time can be spoilt by others, also by those whom nobody here sees: a sibling of the core that belongs to
# another guest. The tool repeats by itself until its budget ends; here it gets two more tries, with more time each. A failure is
# what contradicts sysfs three times while nobody else runs: noise says `unverified` or `not inferable`, or something else each time.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cache=/sys/devices/system/cpu/cpu0/cache

fail() {
	echo "params: $1"
	[ ! -s "$work/out" ] || cat "$work/out"
	exit 1
}

# refused CODE WORDS ARGUMENT...: one line on standard error, nothing on standard output.
refused() {
	code=$1 words=$2
	shift 2
	status=0
	"$KBENCH" params "$@" >"$work/refused" 2>"$work/err" || status=$?
	[ $status -eq "$code" ] || fail "params $*: exit code $status instead of $code"
	[ "$(wc -l <"$work/err")" -eq 1 ] && [ ! -s "$work/refused" ] || fail "params $*: not one line"
	grep -q -- "$words" "$work/err" || fail "params $*: '$(cat "$work/err")' lacks '$words'"
}

refused 2 "did you mean cache" cahce
refused 2 "no parameter 'frequency-of-it-all'" line frequency-of-it-all
refused 2 "budget" --budget 10ms line
refused 2 "budget" --budget never line

# says NAME WORD: whether the line of that name has the word as its match.
says() {
	sed -n "s/^  $1  *//p" "$work/out" | grep -q -- " $2 "
}

# Others run when more than half of the CPUs are wanted, or the host takes time away.
busy() {
	awk -v cpus="$(getconf _NPROCESSORS_ONLN)" '{ exit !($1 > cpus / 2) }' /proc/loadavg
}

agreed=
try() {
	agreed=
	LC_ALL=C COLUMNS=80 timeout 60 "$KBENCH" params line cache --budget "$1" >"$work/out" 2>"$work/err" || fail "exit code $?: $(cat "$work/err")"
	for name in 'line size' 'L1d size' 'L2 size'; do
		says "$name" agree && agreed="$agreed $name"
		! says "$name" disagree || busy || echo "$name" >>"$work/wrong"
	done
}

if [ ! -r "$cache/index0/size" ]; then
	timeout 40 "$KBENCH" params line --budget 5s >"$work/out" || fail "exit code $?"
else
	for budget in 4s 8s 15s; do
		try $budget
		case $agreed in *"line size"*"L1d size"*) break ;; esac
	done
	wrong=$(sort "$work/wrong" 2>/dev/null | uniq -c | sed -n 's/^ *3 //p')
	[ -z "$wrong" ] || fail "three times not what sysfs says: $wrong"
	[ -n "$agreed" ] || busy || grep -q 'unverified\|not inferable' "$work/out" || fail "nothing agrees, and nothing says why"
	# The picture has its axes in plain characters, and a point in the first column.
	grep -q '^ *1*[0-9.]*|o' "$work/out" || fail "no picture"
	grep -Eq '^ +[0-9]+K +[0-9]+[KM] ' "$work/out" || fail "the picture has no scale"
	LC_ALL=C grep -q '[^ -~]' "$work/out" && fail "more than ASCII in the C locale"
fi

# Clock: the addition is the yardstick, and every chain a whole number of cycles, or it says that they are not.
timeout 40 "$KBENCH" params clock --json --budget 2s >"$work/json" || fail "clock: exit code $?"
python3 -c 'import json, sys; sys.exit(not all(e["confidence"] for e in json.load(open(sys.argv[1]))["inferred"] if e["inferred"]))' \
	"$work/json" || fail "clock: a value without confidence"
for part in '"schema": "kbench-params/1"' '"name": "core"' '"unit": "MHz"' '"match": "' '"system": '; do
	grep -q "$part" "$work/json" || fail "--json lacks $part"
done
# Whatever is inferred says how sure it is, whatever does not agree says why, and each source of the system stands for itself.
# Nothing is kept, so no store is made where there is none.
XDG_DATA_HOME=$work/nothing timeout 40 "$KBENCH" params core memory ring --json --budget 1s >"$work/json" || fail "all kinds: exit code $?"
[ ! -e "$work/nothing" ] || fail "params made a store"
python3 - "$work/json" <<'END' || fail "--json: see above"
import json, sys

document = json.load(open(sys.argv[1]))
wrong = []
asked = {"core", "memory"}
for e in document["inferred"]:
    name = e["parameter"] + " " + e["name"]
    asked.discard(e["parameter"])
    if e["inferred"] is not None and not e["confidence"]:
        wrong.append(name + ": no confidence")
    if e["match"] in ("disagree", "unverified", "not inferable") and not e["why"]:
        wrong.append(name + ": no reason")
    if (e["match"] == "not inferable") != (e["inferred"] is None):
        wrong.append(name + ": inferred and not inferable")
    if e["system"] and e["system"]["low"] == e["system"]["high"] and not e["system"].get("claims"):
        wrong.append(name + ": no source")
for curve in document["curves"]:
    if not all(x > 0 and ns > 0 for x, ns in curve["points_ns"]):
        wrong.append(curve["title"] + ": a point that is none")
print("\n".join(wrong + ["no entry of " + name for name in asked]), end="")
sys.exit(1 if wrong or asked else 0)
END
# A signal ends it in order, with what was found.
"$KBENCH" params cache --budget 10s >"$work/out" 2>"$work/err" &
pid=$!
sleep 1
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status -eq 143 ] || fail "ended by a signal: exit code $status: $(cat "$work/err")"
grep -q 'stopped by a signal' "$work/out" || fail "it does not say that it was stopped"

exit 0
