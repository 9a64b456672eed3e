#!/bin/sh
# Traces ten million kernel entries of one command, and prints how many were lost, what memory it took, and by what factor the
# command was slowed down. Judges nothing. Needs root.
# entries.sh [--build DIR] [--entries N] [--slowdown N]; default: 10,000,000 entries, 5 pairs of runs
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../build entries=10000000 pairs=5
usage() {
	echo "usage: entries.sh [--build DIR] [--entries N] [--slowdown N]" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	[ $# -ge 2 ] || usage
	case $1 in
	--build) build=$2 ;;
	--entries) entries=$2 ;;
	--slowdown) pairs=$2 ;;
	*) usage ;;
	esac
	shift 2
done
[ -x "$build/kbench" ] || {
	echo "entries.sh: no kbench in $build; build it or say --build DIR" >&2
	exit 2
}
# dd makes two system calls for each block.
exec "$build/kbench" trace entries --slowdown "$pairs" -- dd if=/dev/zero of=/dev/null bs=1 count=$((entries / 2)) status=none
