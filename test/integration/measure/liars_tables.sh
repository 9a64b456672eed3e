#!/bin/sh
# The tables of test/liars name what there is, and who judges by them can tell a lie that was caught from one that was not.
set -u
. "$KB_SRC/test/support/check.sh"
needs python3
exec python3 "$KB_SRC/test/liars/check_tables.py"
