#!/bin/sh
# No text of others moves a cursor: names, values, files, stores, plug-ins and what is typed, with escape sequences, C1 controls, marks
# of direction, separators and bytes that are no UTF-8, through every command that prints for people. Output goes to pipes, where
# kbench itself writes no colours: so any such character is a failure.
set -u
command -v python3 >/dev/null 2>&1 || {
	echo "lacks python3"
	exit 77
}
cc=$(sed -n 's/^CC = //p' "$KB_BUILD/config.mk")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
XDG_DATA_HOME=$work/data
COLUMNS=200
LC_ALL=C.UTF-8
export XDG_DATA_HOME COLUMNS LC_ALL
unset HOME

# $cc may be several words.
$cc -O2 -Wall -Wextra -Werror -shared -fPIC -I"$KB_SRC/include" "$KB_SRC/test/integration/plugins/hostile.c" -o hostile.so || exit 1
exec python3 "$KB_SRC/test/integration/hostile_text.py" "$KBENCH" "$KB_SRC"
