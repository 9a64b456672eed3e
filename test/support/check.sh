# shellcheck shell=sh
# What test scripts share: `. "$KB_SRC/test/support/check.sh"` behind their `set`. tools/run-tests has made the empty directory that a test
# starts in, TMPDIR and XDG_DATA_HOME, and removes them with all that is in them.

work=$PWD
# A build with sanitizers is inside the one that was configured.
configured=$KB_BUILD/config.mk
[ -e "$configured" ] || configured=$KB_BUILD/../config.mk
# May be several words.
cc=$(sed -n 's/^CC = //p' "$configured")
arch=$(sed -n 's/^ARCH = //p' "$configured")
failure=$PWD/.failure

# What a test has to do at its end, however that comes about.
at_end=:
trap 'ended=$?; set +e; eval "$at_end"; [ ! -e "$failure" ] || ended=1; exit $ended' EXIT
trap 'exit 130' INT TERM HUP

# fail TEXT: the test has failed. With `set -e` it ends here, else it goes on; from a pipe as well. $case: what is tested now.
fail() {
	printf '%s\n' "${case:+$case: }$*"
	: >"$failure"
	return 1
}

skip() {
	echo "$*"
	exit 77
}

# end_with_us PID...: daemons that the test started end at the latest a second after it, also where it is killed. Leaves $keeper, which ends
# when they have.
end_with_us() {
	setsid sh -c 'while kill -0 "$0" && kill -0 "$1"; do sleep 1; done; kill -9 "$@"' $$ "$@" >/dev/null 2>&1 </dev/null &
	keeper=$!
}

# with_settings: the test changes settings of the machine, or looks whether they stay. Such tests wait for each other.
with_settings() {
	exec 9>"$KB_BUILD/settings.lock"
	flock 9
}

# needs COMMAND...
needs() {
	for command; do
		command -v "$command" >/dev/null 2>&1 || skip "lacks $command"
	done
}

# Whether there are collectors of 32 bits that this kernel executes. 126: a file that cannot be executed, 127: none.
runs_32_bits() {
	"$KB_COLLECT-x86_32" >/dev/null 2>&1 </dev/null || [ $? -lt 126 ]
}

# printed: what the command printed, or the beginning of it.
printed() {
	head -c 4000 out
	head -c 4000 err
}

# exits CODE COMMAND...: it ends so; its streams are in out and err, its exit code in $code.
exits() {
	wanted_code=$1 code=0
	shift
	"$@" >out 2>err || code=$?
	[ $code -eq "$wanted_code" ] || fail "exit code $code, not $wanted_code: $*: $(printed)"
}

# gives CODE ARGUMENT...: kbench does.
gives() {
	kbench_code=$1
	shift
	exits "$kbench_code" "$KBENCH" "$@"
}

# refuses CODE PATTERN ARGUMENT...: kbench ends so, says why in one line, and prints nothing else.
refuses() {
	refused_code=$1 refusal=$2
	shift 2
	gives "$refused_code" "$@"
	[ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] || fail "not one line: kbench $*: $(printed)"
	grep -Eq -e "$refusal" err || fail "kbench $*: no '$refusal' in: $(printed)"
}

# says PATTERN: a line of out or err does.
says() {
	grep -Eq -e "$1" out err || fail "no '$1' in: $(printed)"
}

# reads PATTERN [FILE]: out, or that file, with its line breaks taken away: tables break lines where they must.
reads() {
	tr -s '\n ' '  ' <"${2:-out}" | tr -s ' ' | grep -Eq -e "$1" || fail "no '$1' in: $(head -n 20 "${2:-out}")"
}

# await SECONDS COMMAND...: until it is true; false if it never was.
await() {
	turns=$((20 * $1))
	shift
	until "$@"; do
		turns=$((turns - 1))
		[ $turns -gt 0 ] || return 1
		sleep 0.05
	done
}

# measuring STORE...: a run is under way in each; its signals are its own from then on.
measuring() {
	for store; do
		"$KBENCH" runs --store "$store" --json 2>/dev/null | grep -q '"state": "running"' || return 1
	done
}

# plugin NAME [TARGET [FLAG...]]: the plug-in of test/integration/plugins, as NAME.so or TARGET.
plugin() {
	plugin_source=$KB_SRC/test/integration/plugins/$1.c plugin_target=${2:-$1.so}
	shift $(($# > 2 ? 2 : $#))
	# shellcheck disable=SC2086 # words
	$cc -O2 -Wall -Wextra -Werror -shared -fPIC -I"$KB_SRC/include" "$@" "$plugin_source" -o "$plugin_target" ||
		fail "$plugin_source does not compile" || exit 1
}

# results JSON: a line of fields for each (support/rows.awk).
results() {
	awk -f "$KB_SRC/test/support/rows.awk" "$1"
}

# fields NAME JSON: values of that key in the results, one a line; the printer puts each key on a line.
fields() {
	sed -n "/^  \"results\"/,\$s/^ *\"$1\": \(.*[^,]\),*\$/\1/p" "$2"
}

# listings LANGUAGE PAGE [SECTION]: what stands between ```LANGUAGE and ``` in the page of doc/, or in its sections of that name (a pattern).
listings() {
	awk -v fence="\`\`\`$1" -v section="${3:-}" '
		/^## / { left_out = $0 !~ "^## " section }
		!left_out && $0 == fence { inside = 1; next }
		/^```/ { inside = 0 }
		inside' "$KB_SRC/doc/$2"
}

# examples SUBCOMMAND...: those of its --help.
examples() {
	"$KBENCH" "$@" --help | sed -n '/^examples:/,/^exit codes:/s/^ *kbench/kbench/p'
}

# The first CPU that this process may use.
first_cpu() {
	taskset -cp $$ | sed 's/.*: //; s/[-,].*//'
}

# own_mounts: options of unshare with which a command may mount; none where it may not.
own_mounts() {
	for flags in -m -rm; do
		unshare $flags true 2>/dev/null && echo $flags && return
	done
}
