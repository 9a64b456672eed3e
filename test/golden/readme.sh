#!/bin/sh
# The README: every `kbench` command in it runs, the benchmarks of its table exist, its files are there, it is short.
# runs: full, 15 s; it measures what the README measures
set -u
. "$KB_SRC/test/support/check.sh"
readme=$KB_SRC/README.md
[ "$(wc -l <"$readme")" -le 110 ] || fail "longer than 110 lines"

PATH=$(dirname "$KBENCH"):$PATH
listings sh ../README.md | grep '^kbench' >commands
[ -s commands ] || fail "no commands found"
while IFS= read -r line; do
	# A short budget is enough to see that the command works.
	case $line in 'kbench run'* | 'kbench ab'*) line="${line%%#*} --budget 1s" ;; esac
	timeout 60 sh -c "$line" >out 2>err </dev/null || fail "'$line' ended with $?: $(head -n 1 err)"
done <commands

kbench list --names >names
sed -n '/^ *cost .* verdict /,/^```$/p' "$readme" | sed -n 's/^  \([a-z]*\.[a-z0-9_]*\).*/\1/p' | sort -u >shown
[ "$(wc -l <shown)" -ge 5 ] || fail "the result shows fewer than five benchmarks"
while read -r name; do
	grep -qx "$name" names || fail "no benchmark $name"
done <shown

for target in $(grep -o '](doc/[^)]*)' "$readme" | tr -d '](' | tr -d ')'); do
	[ -f "$KB_SRC/$target" ] || fail "no file $target"
done
for word in run test; do
	grep -q "^    ./setup $word" "$readme" || fail "no ./setup $word"
	sh "$KB_SRC/setup" --help | grep -q "setup $word" || fail "./setup does not know $word"
done
