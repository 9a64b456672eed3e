#!/bin/sh
# Who says to work in 64 MiB works in them, and who says to take small faults brings no huge pages: else the row is invalid, whatever its
# own check says.
set -u
cc=$(sed -n 's/^CC = //p' "$KB_BUILD/config.mk")
tab=$(printf '\t')
failed=0

if ! [ -w /proc/self/clear_refs ] || ! grep -q '^Referenced:' /proc/self/smaps; then
	echo "working_set: this kernel does not tell what was touched"
	exit 77
fi

build() {
	# shellcheck disable=SC2086 # words
	$cc -O2 -Wall -Wextra -Werror -shared -fPIC -I"$KB_SRC/include" $3 "$KB_SRC/test/integration/plugins/$1.c" -o "$2"
}

build works_within works.so '' && build faults_in faults.so -DSAYS=false && build faults_in says.so -DSAYS=true || exit 1

# look PLUGIN PARAMETER: its row, of one process; the number needs not be good.
look() {
	"$KBENCH" run --plugin "./$1" "plugin.${1%.so}" -p "$2" --processes 1 --precision 100% --budget 20s --json --no-store >json 2>err
	[ -s err ] && cat err
	awk -f "$KB_SRC/test/support/rows.awk" json >row
	[ "$(wc -l <row)" -eq 1 ] || { echo "working_set: $1 $2: not one row"; failed=1; }
}

# stands PLUGIN PARAMETER: what is claimed was seen, and is in the record of the result.
stands() {
	look "$1" "$2"
	case $(cut -f 2 row)/$(cut -f 10 row) in
	ok/* | noisy/*) ;;
	invalid/*expect* | invalid/*check* | unverified/*) echo "working_set: $1 $2 is honest: $(cat row)"; failed=1 ;;
	esac
	[ -z "$3" ] || grep -q "\"counter\": \"$3\"" json || { echo "working_set: $1 $2: no evidence of $3"; failed=1; }
}

# falls PLUGIN PARAMETER WORDS: invalid, and the reason has these words.
falls() {
	look "$1" "$2"
	[ "$(cut -f 2 row)" = invalid ] || { echo "working_set: $1 $2 passes: $(cat row)"; failed=1; }
	cut -f 10 row | grep -Eq -e "expect_failed \[[^]]*$3" || { echo "working_set: $1 $2: no '$3' in: $(cat row)"; failed=1; }
}

stands works.so is=honest working_set
falls works.so is=one-page 'touched 4 KiB of 64 MiB'
falls works.so is=aliases 'touched [0-9]+ (bytes|KiB) of 64 MiB' # the kernel rounds down, and that a thousand times
falls works.so is=zeros 'touched 0 bytes of 64 MiB'
# The process has more than the one page; how much more is the system's.
falls works.so is=unnamed 'touched [0-9.]+ [KM]iB of 64 MiB'

stands faults.so page=small huge_bytes
if grep -Eq '\[(always|madvise)\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null && [ "$(getconf PAGESIZE)" -eq 4096 ]; then
	falls faults.so page=huge '2 MiB on huge pages come with each fault'
	stands says.so page=huge ''
fi
exit $failed
