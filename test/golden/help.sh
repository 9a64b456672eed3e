#!/bin/sh
# Every option stands in --help and in the manual page; no one of them has one more. Of the completion: completion.sh.
# runs: 2 s
set -eu
. "$KB_SRC/test/support/check.sh"
page=$KB_SRC/doc/kbench.1
commands="run list new show compare ab cmd fleet serve history report export import analyze params model layers yamba trace kernel sel4 runs doctor maintain"
# Verbs with options of their own: trace.func is `kbench trace func`.
verbs=$(for name in trace runs fleet; do
	"$KBENCH" --complete $name '' | sed "s/\t.*//; s/^/$name./"
done)

# Alone it prints the same as --help, and is no success.
gives 2
[ ! -s err ] && "$KBENCH" --help | cmp - out || fail "kbench alone: $(printed)"
"$KBENCH" help help | cmp - out || fail "help help is not --help"

[ "$(printf '%s\n' $verbs | wc -l)" -ge 10 ] || fail "the verbs of trace, runs and fleet are $verbs"
for name in $commands $verbs; do
	command=$(printf %s "$name" | tr . ' ')
	# shellcheck disable=SC2086 # a verb is two words
	"$KBENCH" $command --help >help || fail "$command --help: exit code $?"
	# shellcheck disable=SC2086
	"$KBENCH" help $command | cmp - help || fail "help $command is not $command --help"
	case $name in
	*.*) "$KBENCH" "${name%.*}" --help | grep -q "^${name#*.}[ :]" || fail "${name%.*} --help does not tell of ${name#*.}" ;;
	esac
	"$KBENCH" --help | grep -q "^  ${command%% *} " || fail "kbench --help does not list $command"
	for part in '^usage: kbench ' '^options:' '^examples:' '^exit codes:'; do
		grep -q "$part" help || fail "$command --help lacks $part"
	done
	[ "$(wc -L <help)" -le 120 ] || fail "$command --help has lines of more than 120 columns"

	# Options of this command only: the lines of its list, not examples.
	sed -n 's/^  \(-[A-Za-z], \|    \)\(--[a-z-]*\).*/\2/p' help | sort >options
	grep -qx -e --help options || fail "$command --help does not list --help"
	grep -vx -e --help options >own || true

	sed -n "/^\.SS \"kbench $command /,/^\.S[SH] [^k]*\$/p" "$page" | sed '1d; /^\.S[SH]/,$d' |
		sed -n '/^\\fB\\-/{ s/\\fR//g; s/\\fB//g; s/\\-/-/g; s/^\(-[A-Za-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p; }' |
		sort >page
	diff own page || fail "$command: --help (<) and kbench.1 (>) differ"

	# Short letters, too.
	sed -n 's/^  -\([A-Za-z]\), --.*/\1/p' help | grep -v h | sort >own || true
	sed -n "/^\.SS \"kbench $command /,/^\.S[SH] [^k]*\$/p" "$page" | sed '1d; /^\.S[SH]/,$d' |
		sed -n 's/^\\fB\\-\([A-Za-z]\)\\fR, .*/\1/p' | sort >page
	diff own page || fail "$command: letters of --help (<) and kbench.1 (>) differ"
done

# The page has sections for these commands and no others.
sed -n 's/^\.SS "kbench \([a-z0-9]*\) .*/\1/p' "$page" | sort -u >sections
printf '%s\n' $commands | sort | diff - sections || fail "commands (<) and sections of kbench.1 (>) differ"

if command -v man >/dev/null 2>&1 && command -v groff >/dev/null 2>&1; then
	for section in 1 3; do
		man --warnings -l "$KB_SRC/doc/kbench.$section" >/dev/null 2>warnings || fail "man cannot read kbench.$section"
		[ ! -s warnings ] || fail "kbench.$section: $(head -n 1 warnings)"
	done
fi
