#!/bin/sh
# Events of counters: named by libpfm4, counted around intervals, held against claims. This machine may have no counters of
# the processor; the kernel's software events go the same way, from the name to the verdict.
# runs: slow, 4 s
set -eu
. "$KB_SRC/test/support/check.sh"

grep -q '^LIBPFM = .' "$KB_BUILD/config.mk" || {
	"$KBENCH" run sys.null --event page-faults --processes 1 --no-store 2>err && fail "--event without libpfm4"
	grep -q 'built without libpfm4' err || fail "$(cat err)"
	echo "lacks libpfm4-dev"
	exit 77
}
quick() {
	timeout 60 "$KBENCH" run --processes 1 --precision 100% --budget 20s --no-store "$@"
}
quick sys.null --event page-faults >/dev/null 2>err || {
	grep -q 'cannot be counted here' err || fail "$(cat err)"
	echo "lacks the right to count events (kernel.perf_event_paranoid)"
	exit 77
}

# A row with a claim in either list: what its evidence and its verdict say. fields: per_op, expected, ok of the event.
field() {
	sed -n '/"counter": "perf:/,/}/s/.*"'"$1"'": \([^,]*\),*$/\1/p' rows.json
}
status() {
	sed -n '/"verdict"/,/}/s/.*"status": "\(.*\)",*/\1/p' rows.json
}
near() {
	awk -v at="$1" -v want="$2" 'BEGIN { exit !(at > 0.99 * want && at < 1.01 * want) }' || fail "$3: $1, not $2"
}

# Asked for: counted, told, judged by nobody. Four may be asked for.
quick fault.anon --event page-faults --event context-switches -v >out || fail "--event: exit code $?"
grep -q 'evidence *perf:page-faults of self: [01][.0-9]* per operation' out || fail "no page-faults: $(cat out)"
grep -q 'evidence *perf:context-switches of self: ' out || fail "no context-switches: $(cat out)"
quick fault.anon --event page-faults --json >rows.json || fail "--event --json: exit code $?"
near "$(field per_op)" 1 "page-faults of fault.anon"
[ "$(field expected)$(field ok)" = nullnull ] || fail "an event that was asked for is judged: $(cat rows.json)"

# Claimed by a benchmark.
claimed() {
	exits "$1" quick --plugin ./events.so --json
	mv out rows.json
}

plugin events events.so -DEVENT='"page-faults"' -DCLAIMED=1 -DUNPROVEN=0
claimed 0
near "$(field per_op)" 1 "page-faults of a plug-in"
[ "$(field ok)" = true ] || fail "1 of 1 does not hold: $(cat rows.json)"
grep -q '"code": "verified_by_events"' rows.json || fail "not verified: $(cat rows.json)"
case $(status) in ok | noisy) ;; *) fail "verified and yet $(status)" ;; esac
# Claimed and asked for is counted once.
quick --plugin ./events.so --event page-faults --json >rows.json
near "$(field per_op)" 1 "page-faults that are claimed and asked for"

plugin events events.so -DEVENT='"page-faults"' -DCLAIMED=1 -DUNPROVEN=1
claimed 0
case $(status) in ok | noisy) ;; *) fail "unproven, verified by an event, and yet $(status)" ;; esac

plugin events events.so -DEVENT='"page-faults"' -DCLAIMED=2 -DUNPROVEN=0
claimed 0
[ "$(status)" = unverified ] || fail "1 of 2 is $(status)"
grep -q '"code": "event_disagrees"' rows.json || fail "1 of 2 is not told: $(cat rows.json)"

# What no machine can count is passed over in silence: a name that libpfm4 does not know stands for it.
plugin events events.so -DEVENT='"no-such-event"' -DCLAIMED=1 -DUNPROVEN=0
claimed 0
[ "$(status)" = unverified ] || fail "a row without any evidence is $(status)"
grep -q 'no-such-event' rows.json err && fail "an event that cannot be counted is mentioned: $(cat rows.json err)"

# Wrong words.
refused() {
	words=$1
	shift
	refuses 2 "$words" run fault.anon --processes 1 --no-store "$@"
}
refused "'no-such-event': libpfm4 reports" --event no-such-event
refused 'libpfm4 reports' --event 'page-faults,context-switches'
refused 'asked for twice' --event page-faults --event page-faults
refused 'more than 4' --event page-faults --event context-switches --event cpu-migrations --event minor-faults \
	--event major-faults
