#!/bin/sh
# doc/suite.md matches the descriptors, has every program of lmbench, and the portability of every benchmark.
set -eu
. "$KB_SRC/test/support/check.sh"

sh "$KB_SRC/tools/suite-doc" "$KBENCH" >suite.md
diff "$KB_SRC/doc/suite.md" suite.md || fail "run tools/suite-doc build/kbench >doc/suite.md"
benchmarks=$("$KBENCH" list --verbose | grep -c '^[a-z]')
rows=$(grep -c '^| `' suite.md)
[ "$benchmarks" -eq "$rows" ] || fail "$benchmarks benchmarks, $rows rows"
! grep 'assuming: |' suite.md || fail "an assumption is missing (above)"
