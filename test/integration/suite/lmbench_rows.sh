#!/bin/sh
# Benchmarks that stand for programs of lmbench: with which values, and whether their claims are seen to fail. A busy machine makes costs
# noisy, not operations invalid; one process is enough to see those.
# runs: slow, 20 s
set -eu
. "$KB_SRC/test/support/check.sh"

few="--processes 1 --precision 100% --budget 20s --no-store --json"
# of PARAMETERS...: one benchmark with its verdict, headline and reasons, as lines.
of() {
	# shellcheck disable=SC2086 # options
	"$KBENCH" run $few "$@" >json 2>err || [ $? -eq 5 ] || fail "$*: $(cat err)"
	results json
}
# good FILE: nothing in it is invalid, for anything.
good() {
	awk -F '\t' '$2 == "invalid" { print $1 ": " $10; bad = 1 } END { exit bad || NR == 0 }' "$1" || fail "$1: $(cat "$1")"
}

# ---- values -------------------------------------------------------------------------------------------------

"$KBENCH" run --suite lmbench --dry-run >plan
for row in 'mem.bw_fill size=128M value=zero call=whole pages=' 'fs.create on=disk size=4K files=8192 inodes=recycled$' \
	'fs.unlink on=disk files=2048$' 'vm.map_file size=8M touch=dense$' 'fault.file_pages folio=4K order=random$' 'sig.segv count=net$'; do
	grep -q "^  $row" plan || fail "--suite lmbench has no $row"
done
for row in 'mem.bw_fill .*call=64K' 'fs.create on=memory' 'vm.map_file .*sparse' 'sig.segv count=gross' 'vm.mmap' 'fault.major'; do
	! grep "^  $row" plan || fail "--suite lmbench has the above"
done
"$KBENCH" run --suite lmbench fs.create --defaults --dry-run >plan
grep -q '^  fs.create on=disk size=0 files=8192 inodes=recycled$' plan || fail "--defaults: $(cat plan)"
"$KBENCH" run --suite lmbench fs.create -p files=16 --dry-run >plan
grep -q '^  fs.create on=disk size=0 files=16 inodes=recycled$' plan || fail "-p files=16: $(cat plan)"

# ---- claims -------------------------------------------------------------------------------------------------

# Zeros over zeros and one call of many pieces: a cell that is left out is seen.
$cc -O1 -fno-builtin -Wall -Wextra -Werror -shared -fPIC "$KB_SRC/test/integration/preload/memset.c" -o memset.so
of mem.bw_fill -p size=16K,1M -p value=zero,changing -p call=whole,64K -p pages=small >fill
good fill
LD_PRELOAD=$PWD/memset.so of mem.bw_fill -p size=16K,1M -p value=zero,changing -p call=whole,64K -p pages=small >fill_less
[ "$(grep -c 'was not filled' fill_less)" -eq 8 ] || fail "a memset that leaves something out passes: $(cat fill_less)"

# Many files, removed or not; a process that ends in the middle leaves none of them.
of fs.create fs.unlink -p on=memory -p size=0,1K -p files=4,8192 -p inodes=recycled,fresh >files
good files
[ "$(wc -l <files)" -eq 10 ] || fail "$(cat files)"

of vm.map_file -p size=512K -p touch=dense,sparse >mapped
good mapped

# A file in folios of 2 MB is where its file system has such; then a fault maps all of one.
of fault.file_pages -p folio=4K,2M -p order=forward >pages
good pages
awk -F '\t' '{ of[NR] = $2 ~ /skipped/ ? 0 : $6 + 0 } END { exit of[1] > 0 && of[2] > 0 && of[1] < 4 * of[2] }' pages ||
	fail "folios of 2 MB are no cheaper: $(cat pages)"
TMPDIR=/dev/shm of fault.file_pages -p folio=2M -p order=forward >pages
grep -q 'skipped.*the file lies in' pages || ! grep -q '^\[never\]\|\[never\]' /sys/kernel/mm/transparent_hugepage/shmem_enabled ||
	fail "folios of 2 MB in a file system that has none: $(cat pages)"

# The delivery of a signal is a part of what a protection fault costs: most of it, but where a fault goes through a hypervisor.
for _ in 1 2 3; do
	of sig.segv >segv
	good segv
	awk -F '\t' '{ of[NR] = $6 + 0 } END { exit of[1] > 0 && of[2] > 0.9 * of[1] }' segv && below=1 && break
done
[ "${below:-0}" -eq 1 ] || fail "net is not below gross: $(cat segv)"

# ---- rings --------------------------------------------------------------------------------------------------

# Each hop is at least one switch; under a policy that lets no one preempt who woke it, it is one.
switches() {
	awk '/"counter": "switches"/ { here = 1 } here && /"per_op":/ { sub(/.*: /, ""); print $0 + 0; exit }' json
}
within() {
	awk -v x="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(x >= low && x <= high) }' || fail "$1 switches a hop, not $2 to $3"
}
for processes in 2 4 5; do
	of ctx.ring -p processes=$processes -p size=0 >ring
	good ring
	within "$(switches)" 0.99 2.05
done
! grep cache_refills ring || fail "a ring without arrays refills caches"
if chrt -b 0 true 2>/dev/null; then
	# shellcheck disable=SC2086 # options
	chrt -b 0 "$KBENCH" run ctx.ring -p processes=4 -p size=0 $few >json || [ $? -eq 5 ]
	within "$(switches)" 0.99 1.2
fi
of ctx.ring -p processes=20 -p size=1M >ring
grep -q 'cache_refills \[20 arrays of 1024 KB exceed or fill L1d ([0-9]* KB), L2' ring || [ ! -e /sys/devices/system/cpu/cpu0/cache/index2/size ] ||
	fail "no word of caches: $(cat ring)"
