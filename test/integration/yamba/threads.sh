#!/bin/sh
# Composed functions in a program of one's own: threads that look up, compose and forget at the same time under the thread sanitizer,
# and what a look-up and a composition cost. Figures are printed; what is required has room for a busy machine.
# runs: slow, 10 s
set -eu
. "$KB_SRC/test/support/check.sh"
use=$KB_SRC/test/data/yamba/use

[ "$arch" = x86_64 ] || skip "the program here is for x86-64"
needs as
gives 0 yamba build "$use/looked.yamba" --emit-c
# shellcheck disable=SC2086 # $cc may be words
$cc -O2 -I. -o cost "$use/cost.c" -pthread >err 2>&1 || fail "cost.c does not compile: $(cat err)"
timeout 60 ./cost >cost.txt || fail "cost ended with $?"
cat cost.txt
# Observed: 0.5 ns more than the bare call, 1.0 ns in turn against 0.7 ns of one, 0.05 ms.
awk '{ of[$1] = $2 } END { exit !(of["looked_up"] < of["call"] + 6 && of["many"] < 4 * of["one"] + 2 && of["compose"] < 2) }' cost.txt ||
	fail "look-ups or composing take long: $(cat cost.txt)"

# Addresses that are drawn from more bits than the sanitizer was made for would end it at once.
# shellcheck disable=SC2086
$cc -O1 -g -fsanitize=thread -I. -o threads "$use/threads.c" -pthread >err 2>&1 || skip "cost alone: this compiler has no thread sanitizer"
code=0
timeout 120 setarch -R ./threads >threads.txt 2>&1 || code=$?
[ $code -eq 0 ] || fail "threads ended with $code: $(head -c 4000 threads.txt)"
cat threads.txt
grep -q '^1000000 rounds, 1[0-9]* compositions, 0 wrong$' threads.txt || fail "not all threads ran: $(cat threads.txt)"
