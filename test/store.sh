#!/bin/sh
# Prints how long history, compare and show take over a store of many results, each as the middle of five, and how long opening it takes where
# it is of the version before. Judges nothing: test/unit/store/test_store_result.c holds that no question reads a whole table.
# store.sh [--build DIR] [--runs N] [--results N] [--store FILE]; default: 2000 runs of 500 results, 4.5 GB in $TMPDIR, ten minutes to make.
# FILE, if it is there, is taken as it is; else it is made and stays.
set -u
KB_SRC=$(cd "$(dirname "$0")/.." && pwd)
KB_BUILD=$KB_SRC/build runs=2000 results=500 store=
while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || set -- --help --help
	case $1 in
	--build) KB_BUILD=$(cd "$2" && pwd) || exit 2 ;;
	--runs) runs=$2 ;;
	--results) results=$2 ;;
	--store) store=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") || exit 2 ;;
	*)
		echo "usage: store.sh [--build DIR] [--runs N] [--results N] [--store FILE]" >&2
		exit 2
		;;
	esac
	shift 2
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
store=${store:-$work/store.db}
. "$KB_SRC/test/support/store_program.sh"
if [ ! -e "$store" ]; then
	store_program store_make && ./store_make "$store" "$runs" "$results" || exit 1
fi

# seconds COMMAND...: the middle of five.
seconds() {
	for _ in 1 2 3 4 5; do
		from=$(date +%s%N)
		"$KB_BUILD/kbench" "$@" --store "$store" >out || exit 1
		echo $((($(date +%s%N) - from) / 1000000))
	done | sort -n | sed -n 3p
}

for command in runs "history made.bench_7" "history made.bench_7 --json" "compare last~1 last" "compare last~1 last --json" "show last" \
	"show last --json" "show last made.bench_7"; do
	# shellcheck disable=SC2086 # words
	printf '%6s ms  kbench %s\n' "$(seconds $command)" "$command"
done
