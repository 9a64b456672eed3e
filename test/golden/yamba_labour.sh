#!/bin/sh
# The table of labour in doc/yamba-paper.md is the one that tools/yamba-labour makes of the sources.
set -eu
. "$KB_SRC/test/support/check.sh"
sh "$KB_SRC/tools/yamba-labour" "$KB_SRC" >made
[ "$(wc -l <made)" -gt 10 ] || fail "no table"
sed -n '/^| class | what it is/,/^$/{ /^|/p; }' "$KB_SRC/doc/yamba-paper.md" >page
diff page made || fail "doc/yamba-paper.md (<) is not what tools/yamba-labour makes (>)"
