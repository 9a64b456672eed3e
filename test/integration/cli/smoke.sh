#!/bin/sh
# The real programs once around: every benchmark is listed, two are measured, kept and shown, an error is one line.
# check-san runs this with sanitizers, where a report of theirs is a failure.
# runs: 10 s
set -eu
. "$KB_SRC/test/support/check.sh"

# does CODE ARGUMENT...: kbench does, and no sanitizer speaks.
does() {
	gives "$@"
	! grep -E 'Sanitizer|runtime error' out err || fail "kbench $*: a sanitizer speaks"
}

does 0 --version
grep -q "^kbench $(cat "$KB_SRC/VERSION")" out || fail "--version says $(cat out)"
does 0 list --verbose
for file in "$KB_SRC"/bench/*/*.c; do
	name=${file#"$KB_SRC"/bench/}
	name=$(printf '%s' "${name%.c}" | tr / .)
	grep -q "^ *$name\>" out || fail "list leaves out $name"
done
does 0 doctor --facts
does 0 doctor --budget 1s
grep -q "K: .* core cycles a loop\|K: not known" out || fail "doctor says nothing of the core: $(cat out)"
# Two launches: with a sanitizer the parent keeps the core busy while a launch begins, and three that say so would be believed
# (no_steady_state). And of two launches one interval in twenty misses zero, by more than a fiftieth of a turn on a noisy core only.
for try in 1 2 3; do
	"$KBENCH" run self.empty sys.null --processes 2 --budget 10s >out 2>err && break
	grep -q 'an empty operation costs' out && [ $try -lt 3 ] || fail "run: $(cat out err)"
done
! grep -E 'Sanitizer|runtime error' out err || fail "run: a sanitizer speaks"
for name in self.empty sys.null; do
	grep -q "^ *$name\>" out || fail "run says nothing of $name: $(cat out)"
done
does 0 show
does 0 show --json
grep -q 'kbench-result/2' out || fail "show --json says $(cat out)"
does 2 run no.such_benchmark
[ "$(wc -l <err)" -eq 1 ] || fail "an error is not one line: $(cat err)"
