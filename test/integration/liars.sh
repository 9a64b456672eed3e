#!/bin/sh
# Plug-ins that claim what they do not do are caught, each for its reason, and their honest twins are not: two lies of each plug-in,
# once. test/liars/README.md has the rest.
set -u
command -v python3 >/dev/null 2>&1 || {
	echo "lacks python3"
	exit 77
}
code=0
"$KB_SRC/test/liars/run" --build "$KB_BUILD" --results results --short --minutes 4 || code=$?
[ $code -ne 3 ] || {
	echo "lacks time: on a quiet machine this takes a quarter of it"
	exit 77
}
exit $code
