#!/bin/sh
# Programs in test/golden/yamba carry what must be said of them: lines `// expect: LINE:COLUMN NUMBER`, one for each error and
# warning, no more and no less. good/ compiles (warnings may stand there), bad/ does not. Files in with/ are transcluded by
# others. Without a mark a file is checked, all of them by one command. Marks, and what they ask:
#   // start: CLASS [NAME=VALUE...]   could that program start here?
#   // show: [OPTION...] CALL         composing it: expected is `LINE NUMBER`
#   // build: CLASS                   the C compiler's errors: expected is `LINE C`
#   // needs: PLATFORM [cc]           left out without the assembler of that platform, or a C compiler
# Files are written for x86_64 where they do not say otherwise.
# runs: 4 s
set -eu
. "$KB_SRC/test/support/check.sh"
here=$KB_SRC/test/golden/yamba
XDG_CACHE_HOME=$work/cache
CC=$(sed -n 's/^CC = //p' "$KB_BUILD/config.mk")
export XDG_CACHE_HOME CC

# found FILE: PATH:LINE:COLUMN NUMBER of what was said.
found() {
	sed -nE "s,^$here/(.*:[0-9]+:[0-9]+): (error|warning) (Y[0-9]+): .*,\1 \3,p" "$1"
}

# Platforms of which nothing can be assembled here. What only the assembler can find is left out there.
absent=
for platform in x86_64 x86_32 aarch64 riscv64; do
	timeout 20 "$KBENCH" yamba check compiler_$platform >out 2>&1 || fail "compiler_$platform: $(cat out)"
	! grep -q 'its assembler is not here' out || absent="$absent $platform"
done
command -v "$CC" >/dev/null || absent="$absent cc"
[ -x "$KB_BUILD/kbench-translate" ] || absent="$absent x86_64"
[ "$(sed -n 's/^ARCH = //p' "$KB_BUILD/config.mk")" = x86_64 ] || absent="$absent build"
[ -z "$absent" ] || echo "left out, for it is not here:$absent"

# lacks FILE: whether it needs what is absent. A file whose diagnostics are the assembler's is for x86_64 if it says nothing.
lacks() {
	for need in $(sed -n 's|^// needs: ||p' "$1") $(grep -aq '^// expect: .* Y[23]\|^// show:' "$1" && echo x86_64) \
		$(grep -aq '^// show:' "$1" && echo cc) $(grep -aq '^// build:' "$1" && echo build); do
		case " $absent " in
		*" $need "*) return 0 ;;
		esac
	done
	return 1
}

marked=$(grep -al '^// \(start\|show\|build\): ' "$here"/good/*.yamba "$here"/bad/*.yamba)
expecting=
plain=
for file in "$here"/good/*.yamba "$here"/bad/*.yamba; do
	[ -z "$absent" ] || ! lacks "$file" || continue
	expecting="$expecting $file"
	case $marked in
	*"$file"*) ;;
	*) plain="$plain $file" ;;
	esac
done

# Errors of the file itself only, or of what stands in with/ in the name of that file.
# shellcheck disable=SC2086 # names of our own files hold no blanks
grep -aH '^// expect: ' $expecting "$here"/with/*.yamba |
	sed "s|^$here/\(.*\):[^/]*// expect: \([^ ]*\) \([A-Z][0-9]*\).*|\1:\2 \3|" | tr -d '\r' | sort >expected

code=0
# shellcheck disable=SC2086
timeout 60 "$KBENCH" yamba check --limit 100000 $plain >out 2>err || code=$?
[ "$code" -eq 2 ] || fail "exit code $code, $(tail -n 1 err)"
cp err said

# one FILE MARK WORD...: what a mark asks for.
one() {
	file=$1
	mark=$2
	shift 2
	case $mark in
	start)
		class=$1
		shift
		set -- --start "$class" $(printf ' -p %s' "$@" | sed 's/^ -p $//')
		timeout 20 "$KBENCH" yamba check "$@" "$file" >one 2>told
		;;
	show) timeout 20 "$KBENCH" yamba show "$file" "$@" >one 2>told ;;
	build) timeout 20 "$KBENCH" yamba build -o built --start "$1" "$file" >one 2>told ;;
	esac
}

: >found
for file in $marked; do
	case $expecting in
	*"$file"*) ;;
	*) continue ;;
	esac
	set -- $(sed -n 's,^// \(start\|show\|build\): ,\1 ,p' "$file" | tr -d '\r')
	code=0
	one "$file" "$@" || code=$?
	case $file in
	*/good/*) [ "$code" -eq 0 ] ;;
	*) [ "$code" -eq 2 ] ;;
	esac || fail "$file: exit code $code"
	if [ "$1" = start ]; then
		cat told >>said
	else
		sed -nE "s,^$here/(.*:[0-9]+):[0-9]+: error Y230: .*,\1 C,p; t; s,^$here/(.*:[0-9]+): (error|warning) ([YW][0-9]+): .*,\1 \3,p" \
			told | sort -u >>found
	fi
done
found said >>found
sort -o found found
diff expected found >diff ||
	fail "expected (<) and found (>) differ: $(cat diff)"

# Good ones have no error, bad ones have one; each diagnostic shows the line, a caret below it and what to do.
! grep '^good/' found | grep -v 'Y124$\|Y131$\|W[0-9]*$' || fail "an error in a good program (above)"
for file in "$here"/bad/*.yamba; do
	grep -aq '^// expect: ' "$file" || fail "${file##*/} expects nothing"
done
[ "$(ls "$here/bad" | wc -l)" -ge 200 ] || fail "fewer than 200 bad programs"
awk -v here="$here" '
index($0, here) == 1 && / (error|warning) Y[0-9]*: / { split($0, part, ":"); column = part[3]; state = 1; next }
state == 1 { line = $0; state = 2; next }
state == 2 { if ($0 !~ /^[ \t]*\^$/ || length($0) > 105) { print "no caret: " line; bad = 1 } state = 3; next }
state == 3 { if ($0 !~ /^    [^ ]/) { print "no remedy: " line; bad = 1 } state = 0 }
END { exit bad }' said || fail "a message without its parts (above)"

# How many are printed is limited, and the rest is counted.
timeout 5 "$KBENCH" yamba check --limit 2 "$here/bad/many.yamba" 2>err >/dev/null && fail "many: exit code 0"
[ "$(grep -c ': error Y' err)" -eq 2 ] || fail "more than two errors"
grep -qx 'and [0-9]* more' err || fail "the rest is not counted"

# The library, and the porting sheet.
timeout 5 "$KBENCH" yamba check x86_64 x86_32 aarch64 riscv64 compiler_x86_64 compiler_x86_32 compiler_aarch64 \
	compiler_riscv64 linux >out 2>&1 || fail "the library: $(cat out)"
grep -qx 'checked: 9 classes, 0 errors, 0 warnings; [0-9]* asm blocks assembled.*' out || fail "the library: $(cat out)"
timeout 5 "$KBENCH" yamba port "$here/good/pagefault.yamba" 2>&1 | sed "s|$here/||" >sheet
diff "$here/pagefault.port" sheet >diff || fail "the porting sheet differs: $(cat diff)"

# What is no program, and what is no file.
for words in "" "check" "port" "scheck $here/good/pagefault.yamba" "check $here/none.yamba" "check no_such_class" "check $here" \
	"check -p a=1 x86_64" "port --start x86_64 x86_64" "check --limit 0 x86_64" "check --start none x86_64" "check /dev/zero" "check --nothing x"; do
	code=0
	# shellcheck disable=SC2086
	timeout 5 "$KBENCH" yamba $words >out 2>err || code=$?
	[ "$code" -eq 2 ] || fail "kbench yamba $words: exit code $code"
	[ "$(wc -l <err)" -eq 1 ] || fail "kbench yamba $words: not one line: $(cat err)"
done
