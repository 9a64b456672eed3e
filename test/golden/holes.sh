#!/bin/sh
# The committed translations in test/data/yamba, and the bytes that composing them must give, are what the compiler and GNU as
# make now. KB_RECORD=1 writes them again (read the difference before it is committed): KB_SRC=... KB_BUILD=... KB_RECORD=1 sh test/golden/holes.sh.
set -eu
. "$KB_SRC/test/support/check.sh"

translate=$KB_BUILD/kbench-translate
data=test/data/yamba
[ -x "$translate" ] || skip "libelf-dev binutils"
# By hand, too.
work=$(mktemp -d)
at_end='rm -rf "$work"'
cd "$KB_SRC"
done=0

# assembler PLATFORM: the command that assembles for it here; nothing if there is none.
assembler() {
	case $1-$(uname -m) in
	x86_64-x86_64) echo as --64 ;;
	x86_32-x86_64) echo as --32 -march=pentium4 ;;
	aarch64-aarch64 | riscv64-riscv64) echo as ;;
	x86_64-*) echo x86_64-linux-gnu-as --64 ;;
	x86_32-*) echo x86_64-linux-gnu-as --32 -march=pentium4 ;;
	*) echo "$1-linux-gnu-as" ;;
	esac
}

# bytes PLATFORM: what the assembler makes of the text, up to its last label, as C.
bytes() {
	program=$(assembler "$1")
	tools=${program%% *}
	tools=${tools%as}
	# shellcheck disable=SC2086 # the program and its option
	$program "$data/holes_$1.s" -o "$work/holes.o"
	"${tools}objcopy" -O binary -j .text "$work/holes.o" "$work/holes.bin"
	count=$((0x$("${tools}nm" "$work/holes.o" | sed -n 's/ [tT] last$//p')))
	printf '/* Made by test/golden/holes.sh from holes_%s.s. */\nstatic const uint8_t wanted[] = {\n' "$1"
	head -c "$count" "$work/holes.bin" | od -An -v -tx1 | sed 's/ \([0-9a-f][0-9a-f]\)/ 0x\1,/g; s/^ /\t/'
	echo '};'
}

# tables FILE: code, holes and labels. The C text around them may become another one, which the test program compiles.
tables() {
	sed -n '/^static const \(uint8_t\|struct kb_hole\|struct kb_label\) /,/^};/p' "$1"
}

# check FILE: what was just made is what is committed.
check() {
	[ "${KB_RECORD:-}" != 1 ] || cp "$work/made" "$1"
	tables "$1" >"$work/committed"
	tables "$work/made" >"$work/now"
	[ -s "$work/now" ] || fail "nothing was made for $1"
	diff "$work/committed" "$work/now" >"$work/difference" || {
		head -n 20 "$work/difference"
		echo "$1 (<) and what is made now (>) differ; KB_RECORD=1 sh test/golden/holes.sh writes it again"
		exit 1
	}
}

for platform in x86_64 x86_32 aarch64 riscv64; do
	program=$(assembler $platform)
	command -v "${program%% *}" >/dev/null 2>&1 || continue
	done=$((done + 1))
	# Without the descriptor: nobody measures it.
	"$translate" $platform $data yamba/lib --program holes_$platform | sed '/^#define KB_NAME/,$d' >"$work/made"
	check $data/holes_$platform.inc
	bytes $platform >"$work/made"
	check $data/holes_$platform.bytes.inc
done
[ $done -gt 0 ] || skip "binutils"
