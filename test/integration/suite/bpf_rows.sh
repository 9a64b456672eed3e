#!/bin/sh
# The rows bpf.*: they count what they claim, a lookup that does not happen is no fast lookup, and without rights they are skipped
# with the reason.
# runs: slow, 4 s
set -eu
. "$KB_SRC/test/support/check.sh"

# measured ARGUMENT...: one launch a row; out and err.
measured() {
	timeout 100 "$KBENCH" run "$@" --processes 1 --precision 100% --budget 30s >out 2>err || fail "run $*: exit code $?: $(cat out err)"
}

# As somebody else, where somebody else can come here.
mkdir nobody && chmod 777 nobody && chmod 755 .
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
if [ "$(id -u)" -eq 0 ] && $nobody test -x "$KBENCH" -a -w "$PWD/nobody" 2>/dev/null; then
	$nobody env TMPDIR="$PWD/nobody" XDG_DATA_HOME="$PWD/nobody" HOME="$PWD/nobody" \
		"$KBENCH" run bpf.null --processes 1 --precision 100% --budget 30s >out 2>err || fail "without rights: exit code $?: $(cat out err)"
	grep -q 'skipped: .*needs root' out || fail "without rights: $(cat out)"
fi

measured bpf.null
if grep -q ' skipped' out; then
	echo "bpf.null: $(sed -n 's/^ *skipped: //p' out | head -n 1)"
	exit 77
fi
network=$(cat /proc/sys/net/ipv4/ip_forward)

# The commands of the page.
listings sh trace-kernel.md Programs >examples
grep -q '^kbench run bpf.null' examples || fail "doc/trace-kernel.md has lost its example"
kbench() {
	timeout 100 "$KBENCH" "$@"
}
. ./examples >out 2>err || fail "$(cat examples): exit code $?: $(cat out err)"

# Every row runs, sees all its runs, and the kernel's own mean goes with it. A helper that the compiler puts in costs nothing that
# can be told: none of those here, as no precision would be reached.
measured bpf.fib_lookup bpf.ktime bpf.map_lookup --defaults -v
cat out >all
measured bpf.helper_call -p helper=random -v
cat out >>all
[ "$(grep -c 'evidence .*seen of self: 1, expected 1 .*: holds' all)" -eq 4 ] || fail "not four rows with all their runs: $(cat all)"
[ "$(grep -c 'covariate .*kernel_ns:' all)" -eq 4 ] || fail "no mean of the kernel's own: $(cat all)"

# A fault's way into the kernel: each access came by the tracepoint once, and what was taken off is told.
measured fault.entry -v
if ! grep -q 'skipped: ' out; then
	grep -q 'covariate .*taken_off_ns:' out && grep -q 'evidence .*minflt of self: 1, .*: holds' out || fail "fault.entry: $(cat out)"
fi

# The trap: with forwarding off the helper answers at once. The same benchmark without that line must not pass.
# own NAME PREFIXES SCRIPT: a plug-in from bench/bpf/fib_lookup.c, changed; its row is invalid.
own() {
	sed "$3" "$KB_SRC/bench/bpf/fib_lookup.c" >"$1.c"
	! cmp -s "$1.c" "$KB_SRC/bench/bpf/fib_lookup.c" || fail "$1: nothing was changed"
	$cc -O2 -shared -fPIC -I"$KB_SRC/include" "$1.c" -o "$1.so" || fail "$1 does not compile"
	timeout 100 "$KBENCH" run "plugin.$1" --plugin "./$1.so" -p "prefixes=$2" --processes 1 --precision 100% --budget 30s >out 2>err || true
	grep -q '^ *plugin\..* invalid' out || fail "$1: $(cat out err)"
}
own closed 0 's/error = error ? error : forward(run);/(void)forward;/'
grep -q 'wrong result, the last 5' out || fail "forwarding off: $(cat out)"
# Addresses that no route leads to.
own astray 1024 's/kb_bpf_map_set(\*map, &i, &all\[i\])/(all[i] = htonl(0xf0000001u), kb_bpf_map_set(*map, \&i, \&all[i]))/'
grep -q 'wrong result, the last' out || fail "no route: $(cat out)"

[ "$(cat /proc/sys/net/ipv4/ip_forward)" = "$network" ] || fail "ip_forward of this machine has changed"
