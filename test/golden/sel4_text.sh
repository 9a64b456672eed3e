#!/bin/sh
# The machine code of the seL4 root server's two critical parts, for the three architectures: what runs between two tests (flow.c,
# without optimisation) and the measuring loops; what a circle does once before is not in it.
# Compared by hash with test/golden/sel4_text.txt, whose lines are those of known compilers; of others nothing can be said. After a change that is meant: KB_SRC=... KB_BUILD=... sh test/golden/sel4_text.sh --record
# runs: slow, 4 s
set -u
. "$KB_SRC/test/support/check.sh"
# By hand, too.
work=$(mktemp -d)
at_end='rm -rf "$work"'
cd "$work" || exit 1
src=$KB_SRC known=$KB_SRC/test/golden/sel4_text.txt

common="-std=gnu11 -ffreestanding -ffunction-sections -fno-pie -fno-stack-protector -fno-asynchronous-unwind-tables -ftls-model=local-exec -DNDEBUG -nostdinc
	-I$src/include -I$src/sel4 -I$src/src -I$src/src/os/sel4 -I$src/test/sel4/double/include"

# bytes: of the functions in $work/o, one by one, so that the place of each does not count.
bytes() {
	sections=$("${tools}objdump" -h o | awk '$2 ~ /^\.text\./ && $2 !~ /\.(setup|choose)(\.|$)/ { print $2 }' | sort)
	[ "$sections" ] || exit 1
	for section in $sections; do
		"${tools}objdump" -s -j "$section" o | grep -E '^(Contents| [0-9a-f])' || exit 1
	done
}
# text NAME FLAG... FILE: its hash.
text() {
	name=$1
	shift
	# shellcheck disable=SC2086 # flags are words, and a compiler may be several
	$cc $common $machine -isystem "$headers" "-I$src/src/os/sel4/$arch" "-I$src/src/arch/$arch" "$@" -c -o o &&
		bytes >text &&
		printf '%s %s %.16s %s\n' "$arch" "$name" "$(sha256sum <text)" "$version" || exit 1
}
all_of() {
	text flow -O0 "$src/sel4/flow.c"
	text loops -O2 "$src/sel4/loops.c"
	for file in "$src"/bench/sel4/*.c; do
		name=$(basename "$file" .c)
		text "$name" -O2 -falign-functions=64 -fno-align-loops "-DKB_NAME=\"sel4.$name\"" "-DKB_SYMBOL=kb_timed_loop_$name" "$file"
	done
}

compared=0 unknown=
[ "${1:-}" != --record ] || touch new
for arch in x86_64 riscv64 aarch64; do
	tools=$arch-linux-gnu-
	case $arch in
	x86_64) machine="-mgeneral-regs-only -fcf-protection=none -mno-red-zone" ;;
	riscv64) machine="-march=rv64imac_zicsr_zifencei -mabi=lp64 -mcmodel=medany -mno-relax" ;;
	aarch64) machine="-mgeneral-regs-only -mno-outline-atomics" ;;
	esac
	[ "$arch" != "$(uname -m)" ] || tools=
	cc=${tools}gcc
	command -v "$cc" >/dev/null 2>&1 || continue
	version=$("$cc" --version | head -n 1) headers=$("$cc" -print-file-name=include)
	if [ -f new ]; then
		all_of >>new || exit 1
		{
			cat new
			grep -v "^$arch .* $(printf %s "$version" | sed 's/[][\.*^$]/\\&/g')\$" "$known" 2>/dev/null
		} | sort >merged
		cp merged "$known"
		: >new
	elif ! grep -qF " $version" "$known" || ! grep -F " $version" "$known" | grep -q "^$arch "; then
		unknown="$unknown $arch: $version;"
	else
		all_of >now || exit 1
		grep "^$arch " "$known" | grep -F " $version" | sort >then
		sort now | diff then - >difference || {
			fail "the machine code is another (<: known, >: now). If that is meant: test/golden/sel4_text.sh --record"
			cat difference
		}
		compared=$((compared + 1))
	fi
done
[ ! -f new ] || exit 0
[ ! -e "$failure" ] || exit 1
[ -z "$unknown" ] || echo "not compared:$unknown to record: KB_SRC=... KB_BUILD=... sh test/golden/sel4_text.sh --record"
[ $compared -gt 0 ] || {
	[ -n "$unknown" ] || echo "no gcc for any of the three architectures"
	exit 77
}
