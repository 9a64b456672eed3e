#!/bin/sh
# The report page in a browser: web/page.html is what web/src gives, byte for byte; a page opens without a complaint and without a request,
# sorts, filters, prints, and keeps texts texts (test/web/page.mjs). Pictures of it are in web-pictures of the build, to be looked at.
# runs: full, 35 s; a browser, and a build with the packages of npm
set -eu
. "$KB_SRC/test/support/check.sh"
needs node npm chromium

code=0
sh "$KB_SRC/tools/web-page" web page.html >out 2>&1 || code=$?
case $code in
0) ;;
3) skip "npm cannot get the packages of web/package-lock.json: no registry, and not all of them in its cache" ;;
*) fail "web/src cannot be built: $(cat out)" ;;
esac
cmp -s page.html "$KB_SRC/web/page.html" || fail "web/page.html is not what web/src gives: make web, and commit it"
# It may be read on any machine, and names none but those of standards.
if grep -aoE 'https?://[a-z0-9.]*' page.html | grep -v '^http://www\.w3\.org$'; then
	fail "the page names hosts (above)"
fi
[ "$(grep -c '@KBENCH_DATA@' page.html)" -eq 1 ] || fail "the marker of the data is not in the page once"

# The order of the table in a terminal is that of the page.
sed -n 's/^\t{ "\([A-Z][^"]*\)", "[a-z].*/\1/p' "$KB_SRC/src/report/text/table.c" >terminal
(cd web/src && node --input-type=module -e 'import { HEADINGS } from "./model.js"; console.log(HEADINGS.join("\n"))') >headings
cmp -s terminal headings || fail "headings of the table and of the page differ: $(diff terminal headings)"

# Computations of the charts.
cp -R "$KB_SRC/web/test" web/
(cd web && node --test test/*.mjs) >out 2>&1 || fail "web/test: $(grep -E '^ *not ok|Error|actual|expected' out | head -n 20)"

# What kbench itself writes.
gives 0 run sys.null cpu.clock --parallel 1,2 --processes 3 --budget 2s --label '<img src=x onerror=alert(1)>'
gives 0 run sys.null cpu.clock --parallel 1,2 --processes 3 --budget 2s
gives 0 report --compare last~1 last -o report.html
LC_ALL=C.UTF-8 COLUMNS=300 "$KBENCH" show last >table.txt || fail "show: exit code $?"
mkdir -p "$KB_BUILD/web-pictures"
CHROMIUM=$(command -v chromium) node "$KB_SRC/test/web/page.mjs" page.html web "$KB_BUILD/web-pictures" report.html table.txt >out 2>&1 || fail "$(cat out)"
grep '^500 results' out

# A fleet whose answers are known.
. "$KB_SRC/test/support/store_program.sh"
store_program fleet_store || fail "fleet_store does not compile"
./fleet_store fleets.db
gives 0 fleet report --store fleets.db sick-1 --page fleet.html
CHROMIUM=$(command -v chromium) node "$KB_SRC/test/web/fleet.mjs" web "$KB_BUILD/web-pictures" fleet.html >out 2>&1 || fail "$(cat out)"

# Commands that a person copies from it.
while read -r command; do
	case $command in
	"kbench run "*) eval "\"\$KBENCH\" ${command#kbench} --dry-run" >out 2>&1 ;;
	"kbench show "*) eval "\"\$KBENCH\" ${command#kbench}" >out 2>&1 ;;
	*) false ;;
	esac || fail "'$command': $(cat out)"
done <commands.txt
[ "$(wc -l <commands.txt)" -ge 4 ] || fail "the page has few commands"
