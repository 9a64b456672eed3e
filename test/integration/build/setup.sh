#!/bin/sh
# setup with a package manager, a build and a user of our making: what it asks for, when, and how often.
set -eu
. "$KB_SRC/test/support/check.sh"
tree=$TMPDIR/tree
bin=$TMPDIR/bin
mkdir -p "$tree/tools" "$bin" "$tree/build"
cp "$KB_SRC/setup" "$tree/"

# fake FILE LINE...: a command; all of them write their names and arguments into the journal.
fake() {
	file=$1
	shift
	{
		echo '#!/bin/sh'
		printf "echo \"\${0##*/} \$*\" >>'%s'\n" "$TMPDIR/journal"
		printf '%s\n' "$@"
	} >"$file"
	chmod +x "$file"
}

fake "$bin/dpkg-query" 'for package; do :; done' "grep -qx \"\$package\" '$TMPDIR/absent' && exit 1" \
	'echo "install ok installed"'
fake "$bin/id" "cat '$TMPDIR/uid'"
fake "$bin/apt-get" "[ \"\$1\" = update ] && : >'$TMPDIR/updated'" \
	"[ -f '$TMPDIR/updated' ] || { echo 'E: Unable to locate package'; exit 100; }" "[ ! -f '$TMPDIR/offline' ]"
fake "$bin/make" "[ ! -f '$TMPDIR/broken' ] || { echo 'x.c:1: error: no'; exit 2; }"
fake "$tree/configure"
fake "$tree/tools/run-tests" 'echo "1 passed, 0 failed, 0 skipped"'
fake "$tree/build/kbench" 'pwd'
PATH=$bin:$PATH
export PATH

# does CODE ARGUMENT...: runs setup from another folder and without an input.
does() {
	expected=$1
	shift
	: >"$TMPDIR/journal"
	exits "$expected" env -C / "$tree/setup" "$@" <&-
}

did() {
	grep -c "^$1" "$TMPDIR/journal" || :
}

: >"$TMPDIR/absent"
echo 0 >"$TMPDIR/uid"
does 0 run --seed 1 'sys.*'
[ "$(did apt-get)" -eq 0 ] || fail "uses apt-get with nothing to install"
[ "$(did 'kbench run --seed 1 sys')" -eq 1 ] || fail "kbench gets $(cat "$TMPDIR/journal")"
[ "$(cat out)" = / ] && [ ! -s err ] || fail "is not quiet: $(cat out err)"

does 0 test
[ "$(tail -n 1 out)" = "1 passed, 0 failed, 0 skipped" ] || fail "test ends with $(cat out)"
[ "$(did 'run-tests.*--full')" -eq 0 ] || fail "test is full"
does 0 test --full
[ "$(did 'run-tests.*--full')" -eq 1 ] || fail "test --full is not full"

# A missing package: root installs it, with new lists only where the old ones do not do.
printf '%s\n' libjansson-dev zlib1g-dev >"$TMPDIR/absent"
does 0 run
[ "$(did 'apt-get update')" -eq 1 ] && [ "$(did 'apt-get install.* libjansson-dev zlib1g-dev')" -eq 2 ] ||
	fail "installs so: $(cat "$TMPDIR/journal")"
does 0 run
[ "$(did 'apt-get update')" -eq 0 ] && [ "$(did 'apt-get install')" -eq 1 ] || fail "updates for nothing"
: >"$TMPDIR/offline"
does 2 run
grep -q 'cannot install libjansson-dev zlib1g-dev' err || fail "offline: $(cat err)"

# Without root: one command, nothing done.
echo 1000 >"$TMPDIR/uid"
does 2 run
[ "$(cat out)" = \
	"sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends libjansson-dev zlib1g-dev'" ] ||
	fail "without root: $(cat out)"
[ "$(did apt-get)" -eq 0 ] && [ "$(did make)" -eq 0 ] || fail "does something without root"
echo libcmocka-dev >"$TMPDIR/absent"
does 0 run
does 2 test

# A build that fails is a failed test.
: >"$TMPDIR/absent"
: >"$TMPDIR/broken"
does 1 test
[ "$(tail -n 1 out)" = "0 passed, 1 failed, 0 skipped" ] || fail "a broken build: $(cat out)"
grep -q 'x.c:1: error: no' err || fail "hides the error: $(cat err)"
does 2 run
for wrong in "" walk "test --half" "test --full more"; do
	# shellcheck disable=SC2086 # words
	does 2 $wrong
	[ -s err ] || fail "says nothing about '$wrong'"
done
does 0 --help
