#!/bin/sh
# Programs in test/golden/yamba carry what the front end must say of them: lines `// expect: LINE:COLUMN NUMBER`, one for
# each error and warning, no more and no less. good/ compiles (warnings may stand there), bad/ does not. A line
# `// start: CLASS [NAME=VALUE...]` asks whether that program could start here. Files in with/ are transcluded by others.
set -eu
here=$KB_SRC/test/golden/yamba
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "yamba: $1"
	exit 1
}

# found FILE: PATH:LINE:COLUMN NUMBER of what was said.
found() {
	sed -nE "s,^$here/(.*:[0-9]+:[0-9]+): (error|warning) (Y[0-9]+): .*,\1 \3,p" "$1"
}

# Errors of the file itself only, or of what stands in with/ in the name of that file.
grep -aH '^// expect: ' "$here"/good/*.yamba "$here"/bad/*.yamba "$here"/with/*.yamba |
	sed "s|^$here/\(.*\):[^/]*// expect: \(.*\) \(Y[0-9]*\).*|\1:\2 \3|" | tr -d '\r' | sort >"$work/expected"

starting=$(grep -al '^// start: ' "$here"/good/*.yamba "$here"/bad/*.yamba)
plain=$(ls "$here"/good/*.yamba "$here"/bad/*.yamba | grep -vxF "$starting")
code=0
# shellcheck disable=SC2086 # names of our own files hold no blanks
timeout 20 "$KBENCH" yamba check --errors 100000 $plain >"$work/out" 2>"$work/err" || code=$?
[ "$code" -eq 2 ] || fail "exit code $code, $(tail -n 1 "$work/err")"
for file in $starting; do
	set -- $(sed -n 's|^// start: \(.*\)|\1|p' "$file" | tr -d '\r')
	class=$1
	shift
	options=
	for setting; do
		options="$options -p $setting"
	done
	# shellcheck disable=SC2086
	timeout 20 "$KBENCH" yamba check --start "$class" $options "$file" >"$work/one" 2>>"$work/err" || code=$?
done
[ "$code" -eq 2 ] || fail "exit code $code"
found "$work/err" | sort >"$work/found"
diff "$work/expected" "$work/found" >"$work/diff" ||
	fail "expected (<) and found (>) differ: $(cat "$work/diff")"

# Good ones have no error, bad ones have one; each diagnostic shows the line, a caret below it and what to do.
! grep '^good/' "$work/found" | grep -v 'Y124$\|Y131$' || fail "an error in a good program (above)"
for file in "$here"/bad/*.yamba; do
	grep -q "^bad/${file##*/}:" "$work/expected" || fail "${file##*/} expects nothing"
done
awk -v here="$here" '
index($0, here) == 1 && / (error|warning) Y[0-9]*: / { split($0, part, ":"); column = part[3]; state = 1; next }
state == 1 { line = $0; state = 2; next }
state == 2 { if ($0 !~ /^[ \t]*\^$/ || length($0) > 105) { print "no caret: " line; bad = 1 } state = 3; next }
state == 3 { if ($0 !~ /^    [^ ]/) { print "no remedy: " line; bad = 1 } state = 0 }
END { exit bad }' "$work/err" || fail "a message without its parts (above)"

# How many are printed is limited, and the rest is counted.
timeout 5 "$KBENCH" yamba check --errors 2 "$here/bad/many.yamba" 2>"$work/err" >/dev/null && fail "many: exit code 0"
[ "$(grep -c ': error Y' "$work/err")" -eq 2 ] || fail "more than two errors"
grep -qx 'and [0-9]* more' "$work/err" || fail "the rest is not counted"

# The library, and the porting sheet.
timeout 5 "$KBENCH" yamba check x86_64 x86_32 aarch64 riscv64 compiler_x86_64 compiler_x86_32 compiler_aarch64 \
	compiler_riscv64 linux >"$work/out" 2>&1 || fail "the library: $(cat "$work/out")"
grep -qx 'checked: 9 classes, 0 errors, 0 warnings; not assembled' "$work/out" || fail "the library: $(cat "$work/out")"
timeout 5 "$KBENCH" yamba port "$here/good/pagefault.yamba" 2>&1 | sed "s|$here/||" >"$work/sheet"
diff "$here/pagefault.port" "$work/sheet" >"$work/diff" || fail "the porting sheet differs: $(cat "$work/diff")"

# What is no program, and what is no file.
for words in "" "check" "port" "scheck $here/good/pagefault.yamba" "check $here/none.yamba" "check no_such_class" "check $here" \
	"check -p a=1 x86_64" "check --errors 0 x86_64" "check --start none x86_64" "check /dev/zero" "check --nothing x"; do
	code=0
	# shellcheck disable=SC2086
	timeout 5 "$KBENCH" yamba $words >"$work/out" 2>"$work/err" || code=$?
	[ "$code" -eq 2 ] || fail "kbench yamba $words: exit code $code"
	[ "$(wc -l <"$work/err")" -eq 1 ] || fail "kbench yamba $words: not one line: $(cat "$work/err")"
done
