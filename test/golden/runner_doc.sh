#!/bin/sh
# doc/gates.md, the runner of its own: times.sh and the commands of both recipes run as they stand there, with a runner that has the program installed.
# A change that is equal passes, one that is slower does not, and one without a run of main to compare with is told so.
# runs: slow, 5 s
set -u
. "$KB_SRC/test/support/check.sh"

listings 'sh times' gates.md >whole.sh
[ "$(grep -c -- '--budget 60s' whole.sh)" -eq 2 ] || fail "times.sh measures $(grep -c -- '--budget 60s' whole.sh) times"
# Long enough to see three times as many additions.
sed 's/--budget 60s/--budget 3s --processes 4 --precision 50%/' whole.sh >times.sh
cp "$KB_SRC/test/integration/plugins/adds.c" bench.c

mkdir bin
printf '#!/bin/sh\nexec %s -I%s "$@"\n' "$cc" "$KB_SRC/include" >bin/cc
printf '#!/bin/sh\necho "$*" >>%s/journal\n' "$PWD" >bin/sudo
chmod +x bin/cc bin/sudo
ln -s "$KBENCH" bin/kbench
PATH=$PWD/bin:$PATH

# A recipe: its commands, one a line.
recipe() {
	awk -v wanted="$1" '/^```yaml$/ { inside = ++number == wanted; next } /^```$/ { inside = 0 } inside' "$KB_SRC/doc/gates.md" |
		sed -n 's/^ *- run: //p; /^ *script:/,/^  [a-z]/s/^    - //p'
}
for number in 2 3; do
	recipe $number >commands
	[ "$(wc -l <commands)" -eq 2 ] || fail "recipe $number has these commands: $(cat commands)"
	cat commands >>all
done
[ "$(sort all | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" = "2 2 " ] || fail "two recipes with different commands: $(cat all)"

case="nothing to compare with"
LABEL="change 1"
export LABEL
exits 2 sh -eu commands
says "main"
[ "$(cat journal)" = 'apt-get install -y /srv/kbench/*.deb' ] || fail "installs so: $(cat journal)"
[ "$(sed -n 's/^| \([0-9]\) .*run called.*/\1/p' "$KB_SRC/doc/gates.md")" = 0 ] || fail "the page has other codes"

# unsteady: on a busy machine a result may come to no steady state, which is no fault of the recipe.
unsteady() {
	[ $code -eq 5 ] && grep -q 'steady state' out
}

# ends CODE LABEL: the job does. Equals are told apart three times in a thousand, but not twice.
ends() {
	case="a job called $2"
	LABEL=$2
	for try in 1 2; do
		code=0
		sh -eu commands >out 2>err || code=$?
		[ "$1$code" = 01 ] || break
	done
	[ $code -eq "$1" ] || unsteady || fail "exit code $code: $(printed)"
}
ends 0 main
unsteady && skip "lacks a machine that comes to a steady state"
[ -s times.html ] || fail "no page"
ADDS=3000
export ADDS
ends 1 "change 2"
unsteady || says 'slower'
unset ADDS
ends 0 "change 3"
[ "$(kbench runs --names | sort -u | grep -c '^main$\|^change [23]$')" -eq 3 ] || fail "the store has $(kbench runs)"

case="packages"
listings 'sh packages' gates.md | grep -q '^dpkg-buildpackage -us -uc -b ' || fail "another command than that of test/package.sh"
for package in kbench libkbench-dev; do
	grep -qx "Package: $package" "$KB_SRC/debian/control" || fail "no package $package"
done
exit 0
