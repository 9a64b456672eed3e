# shellcheck shell=sh
# What tests of `kbench trace` share. Needs check.sh.

# traceable SUBCOMMAND: the test is skipped where this kernel refuses it, with a reason of one line.
traceable() {
	code=0
	"$KBENCH" trace "$1" -- true >out 2>err || code=$?
	[ $code -ne 3 ] || [ "$(wc -l <err)" -ne 1 ] || skip "$(cat err)"
	[ $code -eq 0 ] || fail "exit code $code: $(cat out err)"
}

# refused CODE PATTERN COMMAND...: it ends so, and one line or two say why.
refused() {
	refused_code=$1 words=$2
	shift 2
	exits "$refused_code" "$@"
	grep -q -e "$words" err && [ "$(wc -l <err)" -le 2 ] || fail "$*: $(cat err)"
}

# As a page writes it.
kbench() {
	timeout 60 "$KBENCH" "$@"
}
