#!/bin/sh
# doc/campaign.md: its commands run as they stand there, its options and parts are those that there are.
# runs: full, 30 s
set -u
. "$KB_SRC/test/support/check.sh"
needs python3
ln -s "$KB_SRC/test" test

listings sh campaign.md >commands
[ "$(wc -l <commands)" -ge 4 ] || fail "too few commands: $(cat commands)"
while IFS= read -r line; do
	timeout 120 sh -c "$line" >out 2>&1 </dev/null || fail "'$line' ended with $?: $(tail -c 2000 out)"
done <commands
grep -q '<td>export</td><td class="passed">' results/report.html || fail "no report of what the commands ran"
# The long ones are shell, too.
listings 'sh long' campaign.md | sh -n || fail "a command that is no shell"

python3 test/campaign/campaign --help >help
sed -n 's/^| `\(--[a-z]*\)[ `].*/\1/p' "$KB_SRC/doc/campaign.md" >options
[ "$(wc -l <options)" -ge 6 ] || fail "too few options"
while read -r option; do
	grep -q -e "^  $option" help || fail "there is no $option"
done <options
for part in test/campaign/parts/*; do
	case ${part##*/} in *.* | *~ | __*) continue ;; esac
	grep -qx "### ${part##*/}" "$KB_SRC/doc/campaign.md" || fail "doc/campaign.md does not tell about the part ${part##*/}"
done
exit 0
