#!/bin/sh
# setup with a package manager, a build and a user of our making: what it asks for, when, and how often.
set -eu
tree=$TMPDIR/tree
bin=$TMPDIR/bin
mkdir -p "$tree/tools" "$bin" "$tree/build"
cp "$KB_SRC/setup" "$tree/"

die() {
	echo "setup: $1"
	exit 1
}

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
	code=0
	(cd / && "$tree/setup" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err" <&-) || code=$?
	[ $code -eq "$expected" ] || die "$*: exit code $code, expected $expected: $(cat "$TMPDIR/out" "$TMPDIR/err")"
}

did() {
	grep -c "^$1" "$TMPDIR/journal" || :
}

: >"$TMPDIR/absent"
echo 0 >"$TMPDIR/uid"
does 0 run --seed 1 'sys.*'
[ "$(did apt-get)" -eq 0 ] || die "uses apt-get with nothing to install"
[ "$(did 'kbench run --seed 1 sys')" -eq 1 ] || die "kbench gets $(cat "$TMPDIR/journal")"
[ "$(cat "$TMPDIR/out")" = / ] && [ ! -s "$TMPDIR/err" ] || die "is not quiet: $(cat "$TMPDIR/out" "$TMPDIR/err")"

does 0 test
[ "$(tail -n 1 "$TMPDIR/out")" = "1 passed, 0 failed, 0 skipped" ] || die "test ends with $(cat "$TMPDIR/out")"
[ "$(did 'run-tests.*--full')" -eq 0 ] || die "test is full"
does 0 test --full
[ "$(did 'run-tests.*--full')" -eq 1 ] || die "test --full is not full"

# A missing package: root installs it, with new lists only where the old ones do not do.
printf '%s\n' libjansson-dev zlib1g-dev >"$TMPDIR/absent"
does 0 run
[ "$(did 'apt-get update')" -eq 1 ] && [ "$(did 'apt-get install.* libjansson-dev zlib1g-dev')" -eq 2 ] ||
	die "installs so: $(cat "$TMPDIR/journal")"
does 0 run
[ "$(did 'apt-get update')" -eq 0 ] && [ "$(did 'apt-get install')" -eq 1 ] || die "updates for nothing"
: >"$TMPDIR/offline"
does 2 run
grep -q 'cannot install libjansson-dev zlib1g-dev' "$TMPDIR/err" || die "offline: $(cat "$TMPDIR/err")"

# Without root: one command, nothing done.
echo 1000 >"$TMPDIR/uid"
does 2 run
[ "$(cat "$TMPDIR/out")" = \
	"sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends libjansson-dev zlib1g-dev'" ] ||
	die "without root: $(cat "$TMPDIR/out")"
[ "$(did apt-get)" -eq 0 ] && [ "$(did make)" -eq 0 ] || die "does something without root"
echo libcmocka-dev >"$TMPDIR/absent"
does 0 run
does 2 test

# A build that fails is a failed test.
: >"$TMPDIR/absent"
: >"$TMPDIR/broken"
does 1 test
[ "$(tail -n 1 "$TMPDIR/out")" = "0 passed, 1 failed, 0 skipped" ] || die "a broken build: $(cat "$TMPDIR/out")"
grep -q 'x.c:1: error: no' "$TMPDIR/err" || die "hides the error: $(cat "$TMPDIR/err")"
does 2 run
for wrong in "" walk "test --half" "test --full more"; do
	# shellcheck disable=SC2086 # words
	does 2 $wrong
	[ -s "$TMPDIR/err" ] || die "says nothing about '$wrong'"
done
does 0 --help
