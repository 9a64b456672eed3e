#!/bin/sh
# What `kbench run` measures, prints and ends with by its options: left out, tried dry, quiet, sorted, held against an older run; and
# the bar on a terminal.
# runs: 20 s
set -eu
. "$KB_SRC/test/support/check.sh"

# ---- without measuring ----------------------------------------------------------------------------------

gives 0 run sys.null mem.latency -p size=16K,64M --exclude 'mem.latency size=64M*' --exclude '*order=random*' --dry-run
says '^sys.null mem.latency: 2 results would be measured$'
says '^  mem.latency size=16K '
reads 'budget 60 s: the run ends then at the latest, and before that when every 95 % CI is within (±|\+-)1 %'
reads 'least time: more than 1.2 s, for 12 processes \(6 of a result\) of 0.1 s at the least; no run of this machine'
gives 0 run --suite quick --exclude mem --exclude ipc --dry-run --quiet
[ "$(cat out)" = "$(sort out)" ] && grep -qx sys.null out && ! grep -q '^mem\|^ipc\|budget' out || fail "--dry-run --quiet: $(printed)"
gives 0 run sys.null sys.stat --dry-run --budget 1s
reads 'the budget is shorter than that'
gives 0 run sys --dry-run --budget 1s
reads 'the budget is too short: about 3 of [0-9]+ results would get a process, and the others would be skipped'
[ ! -e "$XDG_DATA_HOME/kbench" ] || fail "a dry run made a store"

refuses 2 "--exclude 'sys.nul': no benchmark or result is called so, did you mean sys.null\?" run --exclude sys.nul
refuses 2 '--exclude leaves nothing to measure' run sys.null --exclude sys
refuses 2 "--fail-on 'ok': must be some of noisy, unverified, invalid, skipped and slower" run --fail-on ok
refuses 2 "--sort 'size': must be name, cost, ci or verdict" run --sort size
refuses 2 '--quiet and --verbose exclude each other' run --quiet --verbose
refuses 2 '--baseline and --no-store exclude each other' run --baseline last --no-store
refuses 2 '--dry-run and --json exclude each other' run --dry-run --json
refuses 2 '--skip belongs to --method kanata' run --skip 1
refuses 2 '--fail-on slower: no older run of this machine has these results' run sys.null --fail-on slower
refuses 2 '--baseline none: no store' run sys.null --baseline none
gives 0 list sys --exclude sys.null --names
grep -qx sys.stat out && ! grep -qx sys.null out || fail "list --exclude: $(printed)"

# ---- a budget that is too short ---------------------------------------------------------------------------

# Nobody gets a second process before all have one; what had none is skipped, and what is called noisy has a number.
gives 0 run sys ipc --defaults --budget 2s --no-store --json
[ "$(jq '[.results[] | select(.processes == 0 and .verdict.status != "skipped" or .processes > 0 and .observed.value == null)] | length' out)" = 0 ] ||
	fail "results without a process that are not skipped, or processes without a number: $(jq -c '[.results[] | [.benchmark, .processes, .verdict.status]]' out)"
[ "$(jq 'any(.results[]; any(.verdict.reasons[]; .code == "not_reached")) and any(.results[]; .processes > 1)' out)" = false ] ||
	fail "some have two processes and others none"

# ---- against an older run -------------------------------------------------------------------------------

# What is held against itself is a chain of the core, in core cycles: a system call may differ for real from one second to the next.
plugin adds
for adds in 1000 2000; do
	export ADDS=$adds
	# shellcheck disable=SC2046 # two words
	gives $((adds / 1000 - 1)) run --plugin ./adds.so 'plugin.*' cpu.clock --cpus "$(first_cpu)" --budget 30s --precision 100% \
		--processes 3 $([ $adds -eq 1000 ] && echo --label before || echo --fail-on slower)
	cp out out.$adds
done
! grep -q '^against\|change' out.1000 || fail "a first run has nothing to compare with: $(cat out.1000)"
grep -q '  kbench compare' out.1000 && fail "nor a next step: $(cat out.1000)"
reads 'against run [0-9a-f]{8}-[0-9a-f]{4} \(before\) of [0-9]+ (s|min) ago: 1 slower \(plugin.adds \+[0-9]+ % (±|\+-)[0-9]' out.2000
grep -Eq '^  plugin.adds .* \+[0-9]+ % ' out.2000 || fail "no column of changes: $(cat out.2000)"
grep -Eq '    kbench compare [0-9a-f]{8}-[0-9a-f]{4} last$' out.2000 || fail "no next step: $(cat out.2000)"
says '^kbench run: 1 result is slower \(--fail-on\): plugin.adds$'
next=$(sed -n 's/.*    kbench compare \(.*\)$/\1/p' out.2000)
# shellcheck disable=SC2086
gives 0 compare $next
says '^plugin.adds .* slower !'

# No CI is printed narrower than 0.1 %, so this ends with as many processes as a result gets, long before its budget.
gives 0 run cpu.op_latency -p op=add --cpus "$(first_cpu)" --budget 120s --precision 0.001% --no-store
reads 'precision not reached with as many processes as a result gets: 0 of 1 results within (±|\+-)0.001 %; 12[01] processes'

# Two results out of three are enough for a baseline, one out of three must be named.
gives 0 run sys.null --cpus "$(first_cpu)" --budget 10s --precision 100% --processes 1 --no-store --quiet --sort verdict --unit us
[ "$(wc -l <out)" -eq 2 ] && says '^ *cost ' && says '^  sys.null +[0-9.]+ us ' && [ ! -s err ] || fail "--quiet: $(printed)"
gives 5 run cpu.clock sys.fstat --cpus "$(first_cpu)" --budget 10s --precision 100% --processes 1 --sort cost --fail-on noisy --baseline before
says '^kbench run: 2 results are noisy \(--fail-on\): .*sys\.fstat'
says 'not compared: 1'
! grep -q '^SYSTEM CALLS' out || fail "--sort leaves headings: $(printed)"

# ---- the bar ----------------------------------------------------------------------------------------------

command -v python3 >/dev/null 2>&1 || exit 0
cat >terminal.py <<'END'
# terminal.py WIDTH ctrl-c|- COMMAND...: runs it on a terminal of its own and checks what the bar leaves behind.
import fcntl, os, pty, re, struct, sys, termios
width, interrupt = int(sys.argv[1]), sys.argv[2] == "ctrl-c"
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
seen, sent = b"", False
while True:
    try:
        more = os.read(fd, 65536)
    except OSError:
        more = b""
    if not more:
        break
    seen += more
    if interrupt and not sent and b" left: sys.null" in seen:
        os.write(fd, b"\x03")
        sent = True
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
text = seen.decode()
bars = [bar for bar in re.findall("\r\x1b\\[K([^\r\n]*)", text) if " left" in bar]
print("bars", len(bars), "widest", max(map(len, bars), default=0), "code", code)
print("last", repr(bars[-1]) if bars else "-")
print(text.split("\x1b[K")[-1].replace("\r", ""))
END
on_terminal() {
	python3 terminal.py "$@" >terminal 2>&1 || fail "terminal.py: $(cat terminal)"
}
run="run sys.null sys.fstat --budget 500ms --no-store"
# On a busy machine half a second may be over before the first process begins, and with it the bar.
# shellcheck disable=SC2086
TERM=xterm LC_ALL=C NO_COLOR=1 on_terminal 70 - "$KBENCH" $run --budget 8s --processes 3 --precision 100%
grep -Eq '^bars [0-9]+ widest [0-9]+ code 0$' terminal && grep -Eq "^last '\[#+-*\] [0-2]/2 results, [0-9]+ s, at most [0-9]+ s left" terminal ||
	fail "the bar: $(cat terminal)"
[ "$(sed -n 's/^bars .* widest \([0-9]*\) .*/\1/p' terminal)" -lt 70 ] || fail "too wide: $(cat terminal)"
# What follows the bar stands where it stood.
grep -q '^sys.null sys.fstat - 2 results' terminal || fail "nothing was erased: $(cat terminal)"
# shellcheck disable=SC2086
TERM=xterm LC_ALL=C on_terminal 70 ctrl-c "$KBENCH" $run --budget 60s
grep -q ' code 130$' terminal && grep -q '^sys.null sys.fstat - 2 results' terminal && grep -q '^stopped by signal 2' terminal ||
	fail "Ctrl-C: $(cat terminal)"
for quiet in TERM=dumb TERM= QUIET=--quiet; do
	# shellcheck disable=SC2086
	env TERM=xterm LC_ALL=C "$quiet" python3 terminal.py 70 - "$KBENCH" $run $([ "$quiet" = QUIET=--quiet ] && echo --quiet) >terminal
	grep -q '^bars 0 ' terminal || fail "$quiet: $(cat terminal)"
done
