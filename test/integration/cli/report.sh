#!/bin/sh
# kbench report: a page of fifty results stays small, text from labels and parameters stays text, and a file is written whole or not at all.
# runs: 3 s
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/store_program.sh"
needs python3
store_program page_store || fail "page_store does not compile"
./page_store page.db

case="a page"
gives 0 report --store page.db --compare before 01965e7a-0000-7000-8000-000000000002 -o page.html
says '^page\.html: [0-9]+ KB, 50 results, [0-9]+ of 120000 samples$'
[ "$(wc -c <page.html)" -le 600000 ] || fail "$(wc -c <page.html) bytes"
grep -q '@KBENCH_DATA@' page.html && fail "the marker is still there"
"$KBENCH" report --store page.db --json --compare before 01965e7a-0000-7000-8000-000000000002 >page.json
python3 "$KB_SRC/test/integration/cli/report_check.py" page.html page.json || fail "the page"

case="a run, and two that are compared"
gives 0 report --store page.db before --compare before 01965e7a-0000-7000-8000-000000000002 'sys.call number=3' --json
[ "$(grep -o '"timeline":' out | wc -l)" -eq 1 ] && grep -q '"label":"before"' out || fail "other runs"

case="standard output"
"$KBENCH" report --store page.db --compare before 01965e7a-0000-7000-8000-000000000002 >again.html
sed 's/"made":"[^"]*"//' page.html >one && sed 's/"made":"[^"]*"//' again.html | cmp - one || fail "another page"
gives 0 report --store page.db before 'sys.call number=7' -o -
[ "$(grep -c 'id="data"' out)" -eq 1 ] || fail "no page"
python3 -c '
import pty, sys
sys.exit(pty.spawn(sys.argv[1:], lambda fd: b"" if not (data := __import__("os").read(fd, 4096)) else data) >> 8)' \
	"$KBENCH" report --store page.db </dev/null >out 2>&1 && fail "a page on a terminal"
says '-o FILE\.html'

case="text that is no UTF-8"
gives 0 report --store page.db 01965e7a-0000-7000-8000-000000000003 'sys.call number=3' --json
iconv -f UTF-8 -t UTF-8 out >/dev/null || fail "no UTF-8"
grep -q 'broken ?? ? ?' out || fail "label: $(grep -o '"label":"[^"]*"' out)"

case="names of files"
name='a<b>"c
d.html'
gives 0 report --store page.db before -o "$name"
[ -s "$name" ] && [ "$(wc -l <out)" -eq 1 ] || fail "not one line: $(cat out)"

case="what cannot be done"
echo old >kept.html
refuses 2 "no run.*'nosuch'" report --store page.db nosuch -o kept.html
refuses 2 'needs two values' report --store page.db -o kept.html --compare before
refuses 2 'nosuch' report --store page.db --compare before nosuch -o kept.html
refuses 2 'nosuch' report --store page.db --compare nosuch before -o kept.html
refuses 2 'No such file' report --store page.db before -o none/page.html
refuses 2 'Is a directory' report --store page.db before -o .
refuses 2 'No space left' report --store page.db before -o /dev/full
refuses 2 'no store' report --store none.db -o kept.html
[ "$(cat kept.html)" = old ] || fail "a file was touched"
code=0
"$KBENCH" report --store page.db before >/dev/full 2>err || code=$?
[ $code -eq 2 ] && says 'cannot write' || fail "a full disk: exit code $code"
for left in *.html.*; do
	[ ! -e "$left" ] || fail "left behind: $left"
done

case="runs of older versions"
gzip -dc "$KB_SRC/test/data/old_store/store.db.gz" >old.db
"$KBENCH" runs --json --store old.db | sed -n 's/^ *"id": "\(.*\)",*/\1/p' >runs
[ "$(wc -l <runs)" -ge 3 ] || fail "no runs in the old store"
while read -r run; do
	"$KBENCH" show "$run" --store old.db >/dev/null 2>&1 || continue
	"$KBENCH" report --store old.db "$run" --json >>old.json || fail "run $run: exit code $?"
done <runs
python3 -c '
import json, sys
for line in open("old.json"):
    run = json.loads(line)["runs"][0]
    assert len(run["results"]) == len(run["samples"]) > 0, run["run"]
    assert all(s is None or s["causes"][2] == "not probed" for s in run["samples"]), run["run"]
' || fail "a run"
