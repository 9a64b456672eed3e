#!/bin/sh
# Plug-ins that claim what they do not do are caught, each for its reason, and their honest twins are not: two lies of each plug-in,
# once. test/liars/README.md has the rest.
# runs: alone, full; each plug-in that lies is measured, two minutes
set -u
. "$KB_SRC/test/support/check.sh"
needs python3
code=0
"$KB_SRC/test/liars/run" --build "$KB_BUILD" --results results --short --minutes 4 || code=$?
[ $code -ne 3 ] || skip "lacks time: on a quiet machine this takes a quarter of it"
exit $code
