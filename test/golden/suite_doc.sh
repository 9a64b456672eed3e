#!/bin/sh
# doc/suite.md is what the descriptors say, every program of lmbench stands in it, and no row is left without its class.
set -eu
. "$KB_SRC/test/support/check.sh"

sh "$KB_SRC/tools/suite-doc" "$KBENCH" >suite.md
diff "$KB_SRC/doc/suite.md" suite.md || fail "run tools/suite-doc build/kbench >doc/suite.md"
benchmarks=$("$KBENCH" list --verbose | grep -c '^[a-z]')
rows=$(grep -c '^| `' suite.md)
[ "$benchmarks" -eq "$rows" ] || fail "$benchmarks benchmarks, $rows rows"
! grep 'assuming: |' suite.md || fail "an assumption is missing (above)"
