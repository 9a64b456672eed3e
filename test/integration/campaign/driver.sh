#!/bin/sh
# The driver of the campaign with parts of its own: what passed is not repeated, what is left behind or takes too long fails and is ended, a
# call keeps to its minutes, and the page holds what steps print as text.
# runs: 20 s
set -u
. "$KB_SRC/test/support/check.sh"
needs python3
mkdir parts

# Seconds below 0 are for a time limit of a second: twice the seconds, and 60.
cat >parts/one <<'END'
#!/bin/sh
if [ "$1" = --steps ]; then
	if [ "${2:-}" = short ]; then echo passes 1; else printf '%s\n' 'passes 1' 'fails 1' 'skips 1' 'litters 1' 'forks 1' 'hangs -29.5' 'later 90'; fi
	exit
fi
echo "$1" >>"$KB_CAMPAIGN/ran"
case $1 in
passes) [ -x "$KBENCH" ] && [ -d "$KB_SRC/src" ] && [ -d "$XDG_DATA_HOME" ] && [ -z "$(ls -A)" ] && echo "figures: tries=3 lost=0" ;;
fails) echo '<script>alert("1 & 2")</script>'; exit 1 ;;
skips) echo "lacks everything"; exit 77 ;;
litters) : >"$TMPDIR/rest" ;;
forks) setsid sleep 300 >/dev/null 2>&1 </dev/null & echo $! >>"$KB_CAMPAIGN/pids" ;;
hangs) setsid sleep 300 & echo $! >>"$KB_CAMPAIGN/pids"; sleep 300 ;;
esac
END

campaign() {
	python3 "$KB_SRC/test/campaign/campaign" --directory results --parts parts "$@"
}

# A zombie, until its new parent takes its status, or gone.
ended() {
	state=$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null)
	[ "${state:-Z}" = Z ]
}

exits 0 campaign --short
says '^PASS one/passes .* tries=3 lost=0$'
says '^1 passed, 0 failed, 0 skipped$'
exits 0 campaign --short
says '^PASS one/passes \(before\)$'
[ "$(wc -l <results/ran)" -eq 1 ] || fail "what passed is repeated: $(cat results/ran)"
exits 0 campaign --short --again
[ "$(wc -l <results/ran)" -eq 2 ] || fail "--again does not repeat: $(cat results/ran)"

# Another one in the same directory would overwrite what this one writes.
exits 2 flock results/lock python3 "$KB_SRC/test/campaign/campaign" --directory results --parts parts --short
says 'another campaign writes there'

exits 1 campaign --minutes 1 --jobs 2
says '^FAIL one/fails .*: exit code 1'
says '^    <script>'
says '^SKIP one/skips .*: lacks everything'
says '^FAIL one/litters .*: left behind: file rest in TMPDIR'
says '^FAIL one/forks .*: left behind: process [0-9]* \(sleep\)'
says '^FAIL one/hangs .*: still running after 1 s'
says '^1 left for the next call'
[ "$(tail -n 1 out)" = "1 passed, 4 failed, 1 skipped" ] || fail "the last line: $(tail -n 1 out)"
for pid in $(cat results/pids); do
	await 10 ended "$pid" || fail "a step's process lives: $(cat "/proc/$pid/stat")"
done

grep -q '&lt;script&gt;alert(&quot;1 &amp; 2&quot;)&lt;/script&gt;' results/report.html || fail "the page does not escape: $(cat results/report.html)"
grep -q '<script' results/report.html && fail "the page has a script"
grep -q 'prefers-color-scheme: dark' results/report.html || fail "the page has one look only"
python3 - <<'END' || fail "results.json: $(cat results/results.json)"
import json
steps = {entry["step"]: entry for entry in json.load(open("results/results.json"))["steps"]}
assert len(steps) == 6 and steps["passes"]["figures"] == {"tries": "3", "lost": "0"} and steps["passes"]["verdict"] == "passed"
assert all(steps[name]["of"]["commit"] and steps[name]["machine"]["kernel"] and steps[name]["when"] for name in steps)
END

exits 2 campaign none
says "there is no part 'none'; there are one"
exits 2 campaign one/none
says "there is no step 'one/none'"
exits 2 python3 "$KB_SRC/test/campaign/campaign"
says '--directory DIR is needed'
exit 0
