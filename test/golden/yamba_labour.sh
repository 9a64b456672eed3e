#!/bin/sh
# The table of labour in doc/yamba-paper.md is the one that tools/yamba-labour makes of the sources.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$KB_SRC/tools/yamba-labour" "$KB_SRC" >"$work/made"
[ "$(wc -l <"$work/made")" -gt 10 ] || { echo "yamba_labour: no table"; exit 1; }
sed -n '/^| class | what it is/,/^$/{ /^|/p; }' "$KB_SRC/doc/yamba-paper.md" >"$work/page"
diff "$work/page" "$work/made" || {
	echo "yamba_labour: doc/yamba-paper.md (<) is not what tools/yamba-labour makes (>)"
	exit 1
}
