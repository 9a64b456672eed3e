#!/bin/sh
# Every option that a page, the manual page or a --help shows behind `kbench COMMAND` is one that this command has: an example that
# went stale is worse than none. What takes time is run elsewhere; this only reads.
set -eu
. "$KB_SRC/test/support/check.sh"

# Whatever ends a command in prose or in a shell begins a new line; then one line a command: "run --budget --json".
# Behind `--` stands somebody else's command line. What yamba hands on to run is looked at by integration/yamba/doc.sh.
commands_in() {
	tr '`|;#()' '\n\n\n\n\n\n' | sed "s/ -- .*//; s/kbench /\\
kbench /g" | awk '
	$1 != "kbench" || $2 !~ /^[a-z][a-z0-9]*$/ || $2 == "yamba" || $2 == "help" { next }
	{
		name = $2
		from = 3
		if ($2 == "trace" && $3 !~ /^[a-z]+$/)
			next
		if (($2 == "trace" || $2 == "runs" || $2 == "fleet") && $3 ~ /^[a-z]+$/) {
			name = $2 "." $3
			from = 4
		}
		for (i = from; i <= NF; i++)
			if (match($i, /^\[?-[-a-z]+/)) {
				word = substr($i, RSTART, RLENGTH)
				sub(/^\[/, "", word)
				if (word ~ /^--?[a-z]/)
					print name, word
			}
	}'
}

for page in "$KB_SRC/README.md" "$KB_SRC"/doc/*.md; do
	commands_in <"$page" | sed "s|^|$(basename "$page") |"
done >used
# The manual page: roff's dashes and fonts away.
sed 's/\\-/-/g; s/\\f[BIR]//g; s/^\.BR* *//; s/"//g' "$KB_SRC/doc/kbench.1" | commands_in | sed 's|^|kbench.1 |' >>used
"$KBENCH" --help | sed -n 's/^  \([a-z0-9]*\)  *[A-Z].*/\1/p' | grep -v '^help$' >commands
[ "$(wc -l <commands)" -ge 15 ] || fail "kbench --help lists too few commands"
for name in $(cat commands) $(for name in trace runs fleet; do "$KBENCH" --complete $name '' | sed "s/\t.*//; s/^/$name./"; done); do
	# shellcheck disable=SC2046 # a verb is two words
	"$KBENCH" $(printf %s "$name" | tr . ' ') --help >help
	sed -n '/^examples:/,/^exit codes:/p' help | commands_in | sed "s|^|$name--help |" >>used
	# Letters and names: "  -p, --param NAME=VALUE".
	sed -n 's/^  \(-[A-Za-z], \|    \)\(--[a-z-]*\).*/\1 \2/p' help | tr -d ',' | tr ' ' '\n' | sed "/^\$/d; s|^|$name |" >>known
done
[ "$(wc -l <used)" -ge 150 ] || {
	echo "only $(wc -l <used) options found in the pages"
	exit 1
}

# A command that does not exist has no options, either.
awk 'NR == FNR { known[$1 " " $2] = 1; next } !(($2 " " $3) in known) { print $1 ": kbench " $2 " has no option " $3; bad = 1 } END { exit bad }' \
	known used
