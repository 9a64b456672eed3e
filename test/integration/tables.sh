#!/bin/sh
# The programs that print the tables of doc/noise.md still run, each for a moment: what they print is judged by people, its form here.
set -eu
[ "$(uname -m)" = x86_64 ] || {
	echo "their loops are of x86-64"
	exit 77
}
loops=$KB_SRC/test/loops

# prints PATTERN: that a line of the table begins so.
prints() {
	grep -q "^$1" out || {
		echo "tables: no line '$1' in:"
		cat out
		exit 1
	}
}

timeout 60 "$loops/probes.sh" 1 >out
prints 'additions and no-operations  *[0-9.]* %'
prints 'chain and no-operations  *[0-9.]* %'

timeout 100 "$loops/returns.py" --build "$KB_BUILD" --seconds 2 >out
for way in syscall function libc; do
	prints "$way  *\([0-9]* *[0-9.]*\|no uncontended cost\)"
done

# One run of what is in a state file already: nothing is measured.
printf '{"kind": "idle", "number": 1, "seconds": 5, "lmbench": {}, "results": {"sys.null": {"value": 2.0, "observed": 3.0, "unit": "ns"%s}}}\n' \
	', "headline": "uncontended", "status": "ok", "quality": 0.1, "clean": 0.5, "processes": 6' >state
"$KB_SRC/test/noise.py" --state state --print >out || [ $? -eq 1 ]
prints 'sys.null  *2 ns'
