# kbench itself: a row of every benchmark through kbench run, which loads what it needs and leaves nothing. An emulated machine is
# noisy, and one launch does not make a row precise; but nothing fails, is refuted or is skipped. Of two modules, which are for
# this bed only, kbench knows nothing.
part "kbench run"
export XDG_DATA_HOME=/tmp/data XDG_CACHE_HOME=/tmp/cache
kbench run 'kernel.*' --defaults --processes 1 --precision 100% --budget 200s --json >/tmp/rows.json 2>/tmp/rows.error
code=$?
[ $code -eq 0 ] || complain "kbench run: exit code $code: $(tail -n 5 /tmp/rows.error)"
sed -n 's/^ *"benchmark": "\(.*\)".*/\1/p; s/^        "status": "\(.*\)".*/\1/p' /tmp/rows.json | sed 'N; s/\n/ /' >/tmp/rows
[ "$(wc -l </tmp/rows)" -eq "$(ls "$modules"/kbench_*.ko | grep -vc -e _lie -e _fib_table)" ] || complain "$(wc -l </tmp/rows) rows, not one of each module"
grep -Ev ' (ok|noisy|unverified)$' /tmp/rows >/tmp/wrong
[ ! -s /tmp/wrong ] || complain "rows: $(cat /tmp/wrong) $(grep '"detail"' /tmp/rows.json | sort -u | head -n 5)"
cut -d ' ' -f 2 /tmp/rows | sort | uniq -c
# What a loop takes under an emulator says nothing of a core: a sample with contention probes would be said to be contended.
! grep -q 'contention_not_excluded' /tmp/rows.json || complain "an emulated core is said to be contended"
# The guardian ends a moment after the run.
tries=0
while [ -e $kbench ] && [ $tries -lt 300 ]; do
	tries=$((tries + 1))
	usleep 100000
done
[ ! -e $kbench ] || complain "kbench run left $(lsmod | grep kbench)"

# Without a clock that counts instructions the time is the emulator's own: of user space and kernel nothing is ok, and nothing is in ns.
part "no times"
grep -v ' unverified$' /tmp/rows >/tmp/wrong
[ ! -s /tmp/wrong ] || complain "under an emulator: $(cat /tmp/wrong)"
kbench run sys.null --defaults --processes 1 --precision 100% --budget 60s >/tmp/out 2>&1
cat /tmp/out
grep -qE '^ +sys.null +- +unverified +an emulator supplies the clock' /tmp/out || complain "under an emulator: $(cat /tmp/out)"
kbench export --format csv last~1 >/tmp/out 2>/tmp/error
! grep -E ',(estimate|observed|mean),' /tmp/out || complain "under an emulator a row has a number"
