#!/bin/sh
# The shape of `kbench list`: scripts and the completion read it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "$1"
	exit 1
}

"$KBENCH" list >"$work/list"
"$KBENCH" list --names >"$work/names"

# One line a benchmark, one benchmark a file, in order of names.
awk '{ print $1 }' "$work/list" | diff "$work/names" - || fail "list and list --names differ"
(cd "$KB_SRC/bench" && ls */*.c) | sed 's|/|.|; s|\.c$||' | sort | diff - "$work/names" || fail "files and names differ"
LC_ALL=C sort -c "$work/names" || fail "names are not in order"

# name, what one operation is called, summary, parameters in brackets.
grep -Evn '^[a-z]+\.[a-z_]+ +[a-z][a-z-]* +[^ ].*[^ ]$' "$work/list" && fail "a line of another shape (above)"
[ "$(wc -L <"$work/list")" -le 160 ] || fail "a line of more than 160 columns"
"$KBENCH" list cpu.op_latency | grep -q '  \[op=add,xor,imul,load\]$' || fail "parameters of cpu.op_latency"

# Patterns.
[ "$("$KBENCH" list --names sys)" = "$(grep '^sys\.' "$work/names")" ] || fail "a domain is not all its benchmarks"
[ "$("$KBENCH" list --names 'sys.nul?' sys.null)" = sys.null ] || fail "a glob and a name, once"

"$KBENCH" list --params >"$work/params"
grep -Evn '^[a-z_0-9]+=[^ =]+$' "$work/params" && fail "list --params: a line of another shape (above)"
grep -qx op=imul "$work/params" || fail "list --params lacks op=imul"

"$KBENCH" list --json >"$work/json"
grep -q '"schema": "kbench-list/1"' "$work/json" || fail "list --json has no schema"
[ "$(grep -c '^      "name": ' "$work/json")" = "$(wc -l <"$work/names")" ] || fail "list --json: not one object a benchmark"

"$KBENCH" list --verbose cpu.op_latency | grep -q '^    op=add,xor,imul,load .*(choice: ' || fail "list --verbose"

# It opens no store, also where it could not.
XDG_DATA_HOME=$work/nothing "$KBENCH" list >/dev/null
[ ! -e "$work/nothing" ] || fail "list made a store"
