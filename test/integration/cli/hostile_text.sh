#!/bin/sh
# No text of others moves a cursor: names, values, files, stores, plug-ins and what is typed, with escape sequences, C1 controls, marks
# of direction, separators and bytes that are no UTF-8, through every command that prints for people. Output goes to pipes, where
# kbench itself writes no colours: so any such character is a failure.
# runs: slow, 10 s
set -u
. "$KB_SRC/test/support/check.sh"
needs python3
export COLUMNS=200 LC_ALL=C.UTF-8
unset HOME
plugin hostile
exec python3 "$KB_SRC/test/integration/cli/hostile_text.py" "$KBENCH" "$KB_SRC"
