#!/bin/sh
# Prints what the standard selection costs: time, memory, and how long `kbench list` takes. Judges nothing.
# budget.sh [BUILD-FOLDER] [ARGUMENT of kbench run...]
set -u
here=$(cd "$(dirname "$0")" && pwd)
KBENCH=$(cd "${1:-$here/../build}" 2>/dev/null && pwd)/kbench
[ $# -eq 0 ] || shift
[ -x "$KBENCH" ] || {
	echo "budget.sh: no kbench there; usage: budget.sh [BUILD-FOLDER] [ARGUMENT of kbench run...]" >&2
	exit 2
}
KB_SRC=$(dirname "$here")
. "$here/support/cost.sh"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

printf 'kbench list              %8s ms   median of 20; aim: 20 ms\n' "$(list_ms 20)"
measured_run "$@"
awk -f "$here/support/rows.awk" json >rows
printf 'kbench run               %8s s    %s rows, exit code %s; aim: 60 s\n' \
	"$(awk -v ms="$wall_ms" 'BEGIN { printf "%.1f", ms / 1000 }')" "$(wc -l <rows)" "$code"
printf 'peak memory              %8s MB   all processes; aim: 200 MB\n' "$peak_mb"
printf 'peak memory of kbench    %8s MB   without what it measures; aim: 100 MB\n' "$own_mb"
echo "rows: $(cut -f 2 rows | sort | uniq -c | awk '{ printf "%s%s %s", (NR > 1 ? ", " : ""), $1, $2 }')"
