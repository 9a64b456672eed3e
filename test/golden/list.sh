#!/bin/sh
# The shape of `kbench list`: scripts and the completion read it.
set -eu
. "$KB_SRC/test/support/check.sh"

"$KBENCH" list >list
"$KBENCH" list --names >names

# One line a benchmark, one benchmark a file or a Yamba program, in order of names; what does not run here, such as programs of
# other platforms, is counted in a last line, and told with the reason where it is asked for.
sed '/^    and [0-9]* that do not run here: /d' list >lines
left_out=$(sed -n 's/^    and \([0-9]*\) that do not run here: .*/\1/p' list)
awk '{ print $1 }' lines | diff names - || fail "list and list --names differ"
[ "$("$KBENCH" list --verbose | grep -c '^    not available here: ')" -eq "${left_out:-0}" ] || fail "list leaves out $left_out"
# Other worlds (yamba, kernel, sel4) have names only where they run.
(cd "$KB_SRC/bench" && ls */*.c) | sed 's|/|.|; s|\.c$||' | grep -v '^sel4\.' | sort >files
grep -v '^yamba\.\|^kernel\.\|^sel4\.' names | diff files - || fail "files and names differ"
awk '{ print $1 }' lines | LC_ALL=C sort -c || fail "names are not in order"

# name, what one operation is called, summary, parameters in brackets.
grep -Evn '^([a-z]+\.[a-z_]+|yamba\.[A-Za-z0-9_]+) +[a-z][a-z-]* +[^ ].*[^ ]$' lines && fail "a line of another shape (above)"
[ "$(grep -v '^yamba\.' list | wc -L)" -le 160 ] || fail "a line of more than 160 columns"
[ "$(wc -L <list)" -le 210 ] || fail "a line of a Yamba program with more than 210 columns"
"$KBENCH" list cpu.op_latency | grep -q '  \[op=add,xor,imul,load\]$' || fail "parameters of cpu.op_latency"

# Patterns.
[ "$("$KBENCH" list --names sys)" = "$(grep '^sys\.' names)" ] || fail "a domain is not all its benchmarks"
[ "$("$KBENCH" list --names 'sys.nul?' sys.null)" = sys.null ] || fail "a glob and a name, once"

"$KBENCH" list --params >params
grep -Evn '^[a-z_0-9]+=[^ =]+$' params && fail "list --params: a line of another shape (above)"
grep -qx op=imul params || fail "list --params lacks op=imul"

"$KBENCH" list --json >json
grep -q '"schema": "kbench-list/1"' json || fail "list --json has no schema"
[ "$(grep -c '^      "name": ' json)" -eq $(($(wc -l <lines) + ${left_out:-0})) ] || fail "list --json: not one object a benchmark"

# Inside the kernel: one a file, all are told, and where they do not run each with the same reason.
(cd "$KB_SRC/kmod/bench" && ls -- */*.c) | sed 's|.*/||' | sed 's|^|kernel.|; s|\.c$||' | sort >files
"$KBENCH" list kernel | sed -n 's/^\(kernel\.[a-z0-9_]*\) .*/\1/p' | diff files - || fail "files of kmod/bench and rows differ"
reasons=$("$KBENCH" list kernel | grep '^    not available here: ' | sort -u | wc -l)
[ "$reasons" -le 1 ] || fail "list kernel gives $reasons reasons"

"$KBENCH" list --verbose cpu.op_latency | grep -q '^    op=add,xor,imul,load .*(choice: ' || fail "list --verbose"

# It opens no store, also where it could not.
XDG_DATA_HOME=$work/nothing "$KBENCH" list >/dev/null
[ ! -e nothing ] || fail "list made a store"
