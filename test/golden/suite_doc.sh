#!/bin/sh
# doc/suite.md is what the descriptors say, every program of lmbench stands in it, and no row is left without its class.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sh "$KB_SRC/tools/suite-doc" "$KBENCH" >"$work/suite.md"
diff "$KB_SRC/doc/suite.md" "$work/suite.md" || {
	echo "suite_doc: run tools/suite-doc build/kbench >doc/suite.md"
	exit 1
}
benchmarks=$("$KBENCH" list --verbose | grep -c '^[a-z]')
rows=$(grep -c '^| `' "$work/suite.md")
[ "$benchmarks" -eq "$rows" ] || {
	echo "suite_doc: $benchmarks benchmarks, $rows rows"
	exit 1
}
! grep 'assuming: |' "$work/suite.md" || {
	echo "suite_doc: an assumption is missing (above)"
	exit 1
}
