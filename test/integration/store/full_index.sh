#!/bin/sh
# A disk that is full when the store's index is mapped: its blocks are smaller than pages, so that the system ends an access by SIGBUS. Each
# command ends with one line, and the store is whole afterwards.
# runs: slow, 5 s
set -u
. "$KB_SRC/test/support/check.sh"

[ "$(id -u)" -eq 0 ] || skip "mounting a disk needs root"
needs mkfs.ext4 unshare
disk=$work/disk
if [ -z "${KB_MOUNTED:-}" ]; then
	unshare -m true 2>/dev/null || skip "mounting is not permitted here"
	truncate -s 4M image
	mkdir disk
	mkfs.ext4 -q -F -m 0 -b 1024 -O ^has_journal image || skip "no ext4 can be made"
	unshare -m mount -o loop image disk 2>/dev/null || skip "loop devices are not permitted here"
	KB_MOUNTED=1
	export KB_MOUNTED
	exec unshare -m sh "$0"
fi
mount -o loop,nodelalloc image disk || fail "not mounted" || exit 1

store=$disk/lab.db
gives 0 import "$KB_SRC/test/data/import/hyperfine/1.json" --store "$store"
gives 0 import "$KB_SRC/test/data/import/hyperfine/2.json" --store "$store"

# Nearly as many blocks as its index needs are left: 32 for all of its pages, 8 for a byte of each.
mapped=0
for left in 0 4 6 8 9 10 12 14 16 20 24 32; do
	case="$left KB left"
	head -c $((left * 1024)) /dev/zero >"$disk/spare"
	# The first end may be that of a group of blocks.
	for _ in 1 2 3; do
		dd if=/dev/zero bs=1k of="$disk/filler" oflag=append conv=notrunc status=none 2>/dev/null
		sync "$disk/spare" "$disk/filler"
	done
	rm "$disk/spare"
	for command in "runs" "compare last~1 last" "runs label last a"; do
		code=0
		# shellcheck disable=SC2086 # words
		"$KBENCH" $command --store "$store" >out 2>err || code=$?
		case $code in
		0) ;;
		2) [ "$(wc -l <err)" -eq 1 ] || fail "kbench $command: not one line: $(printed)" ;;
		*) fail "kbench $command: exit code $code: $(printed)" ;;
		esac
		! grep -q 'mapped into memory.*free some space' err || mapped=$((mapped + 1))
	done
	rm "$disk/filler"
done
case=
[ $mapped -gt 0 ] || fail "the index always had room: nothing was tested"
gives 0 runs --store "$store" --names
[ "$(grep -c . out)" -ge 2 ] || fail "not both runs: $(printed)"
echo "$mapped of 36 commands ended where the index was mapped"
