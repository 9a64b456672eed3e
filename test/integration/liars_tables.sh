#!/bin/sh
# The tables of test/liars name what there is, and who judges by them can tell a lie that was caught from one that was not.
command -v python3 >/dev/null 2>&1 || {
	echo "lacks python3"
	exit 77
}
exec python3 "$KB_SRC/test/liars/check_tables.py"
