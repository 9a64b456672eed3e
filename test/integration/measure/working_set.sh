#!/bin/sh
# Who says to work in 64 MiB works in them, and who says to take small faults brings no huge pages: else the row is invalid, whatever its
# own check says.
# runs: full, 22 s; nine measurements of 64 MiB; unit/evidence/test_working_set has the rules
set -u
. "$KB_SRC/test/support/check.sh"

if ! [ -w /proc/self/clear_refs ] || ! grep -q '^Referenced:' /proc/self/smaps; then
	echo "working_set: this kernel does not tell what was touched"
	exit 77
fi

plugin works_within works.so
plugin faults_in faults.so -DSAYS=false
plugin faults_in says.so -DSAYS=true

# look PLUGIN PARAMETER: its row, of one process; the number needs not be good.
look() {
	"$KBENCH" run --plugin "./$1" "plugin.${1%.so}" -p "$2" --processes 1 --precision 100% --budget 20s --json --no-store >json 2>err
	[ -s err ] && cat err
	results json >row
	[ "$(wc -l <row)" -eq 1 ] || fail "$1 $2: not one row"
}

# stands PLUGIN PARAMETER: what is claimed was seen, and is in the record of the result.
stands() {
	look "$1" "$2"
	case $(cut -f 2 row)/$(cut -f 10 row) in
	ok/* | noisy/*) ;;
	invalid/*expect* | invalid/*check* | unverified/*) fail "$1 $2 is honest: $(cat row)" ;;
	esac
	[ -z "$3" ] || grep -q "\"counter\": \"$3\"" json || fail "$1 $2: no evidence of $3"
}

# falls PLUGIN PARAMETER WORDS: invalid, and the reason has these words.
falls() {
	# Where others take the CPU, the time to look at memory may be over before enough was touched, and the result states that.
	for _ in 1 2 3; do
		look "$1" "$2"
		grep -q 'expect_unknown \[in the time there is' row || break
	done
	grep -q 'this kernel has no page of zeros' row && return
	# Not believed either: the rule that decides there is tried in unit/evidence/test_working_set.
	[ "$(cut -f 2 row)" = unverified ] && grep -q 'expect_unknown \[in the time there is' row && return
	[ "$(cut -f 2 row)" = invalid ] || fail "$1 $2 passes: $(cat row)"
	cut -f 10 row | grep -Eq -e "expect_failed \[[^]]*$3" || fail "$1 $2: no '$3' in: $(cat row)"
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
