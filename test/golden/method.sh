#!/bin/sh
# Every verdict code stands in doc/method.md once, with the verdict that it leads to; and no code that does not exist.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^\tX(\([a-z_0-9]*\), *KB_\([A-Z_]*\),.*/\1 \2/p' "$KB_SRC/src/base/verdict.h" |
	sed 's/ MAKES_/ /' | tr 'A-Z' 'a-z' | sort >"$work/codes"
[ "$(wc -l <"$work/codes")" -ge 50 ] || {
	echo "method.sh: cannot read the codes of verdict.h"
	exit 1
}
sed -n '/^## Verdicts/,$s/^| `\([a-z_0-9]*\)` | \([a-z]*\) |.*/\1 \2/p' "$KB_SRC/doc/method.md" | sort >"$work/documented"
diff "$work/codes" "$work/documented" || {
	echo "codes of verdict.h (<) and of doc/method.md (>) differ"
	exit 1
}
