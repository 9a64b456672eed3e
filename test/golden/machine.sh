#!/bin/sh
# The shape of `kbench doctor` and of its facts, and that --strict says by its exit code what the text says. What they
# find depends on the machine and is not looked at.
# runs: 3 s
set -u
. "$KB_SRC/test/support/check.sh"

"$KBENCH" doctor --facts >env || fail "doctor --facts: exit code $?"
grep -Eq '^environment ID [0-9a-f]{16}, ' env || fail "doctor --facts has no ID"
for key in kernel cpu_model cpus load1; do
	grep -Eq "^  $key +[^ ]" env || fail "doctor --facts does not know $key"
done
"$KBENCH" doctor --facts --json >json || fail "doctor --facts --json: exit code $?"
grep -q "\"id\": \"$(sed -n 's/^environment ID \([0-9a-f]*\),.*/\1/p' env)\"" json || fail "doctor --facts and its --json have two IDs"

# Load may change between two calls: text and exit code must come from one.
"$KBENCH" doctor --strict >doctor
code=$?
grep -Evn '^((fit|unsure|unfit) +[a-z_]+ +[^ ]| +(why:|do:|[^ ]))' doctor && fail "a line of another shape (above)"
for id in clock_source governor load hypervisor pmu permissions; do
	grep -Eq "^[a-z]+ +$id " doctor || fail "doctor does not look at $id"
done
expected=0
! grep -q '^unfit ' doctor || expected=3
[ $code -eq $expected ] || fail "doctor --strict: exit code $code, not $expected"
[ "$(grep -Ec '^(unsure|unfit) ' doctor)" -eq "$(grep -c '^ *why: ' doctor)" ] || fail "a finding without a reason"
"$KBENCH" doctor >/dev/null || fail "doctor without --strict: exit code $?"
"$KBENCH" doctor --json | grep -q '"schema": "kbench-doctor/1"' || fail "doctor --json has no schema"

"$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s --no-store --strict >run 2>err
code=$?
expected=0
! grep -q '^kbench run: unfit environment: ' err || expected=3
# An invalid row weighs more.
! grep -q '^ *sys.null .* invalid' run || expected=5
[ $code -eq $expected ] || fail "run --strict: exit code $code, not $expected"
