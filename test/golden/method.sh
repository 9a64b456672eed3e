#!/bin/sh
# Every verdict code stands in doc/method.md once, with the verdict that it leads to; and no code that does not exist.
set -eu
. "$KB_SRC/test/support/check.sh"

sed -n 's/^\tX(\([a-z_0-9]*\), *KB_\([A-Z_]*\),.*/\1 \2/p' "$KB_SRC/src/base/verdict.h" |
	sed 's/ MAKES_/ /' | tr 'A-Z' 'a-z' | sort >codes
[ "$(wc -l <codes)" -ge 50 ] || fail "method.sh: cannot read the codes of verdict.h"
sed -n '/^## Verdicts/,$s/^| `\([a-z_0-9]*\)` | \([a-z]*\) |.*/\1 \2/p' "$KB_SRC/doc/method.md" | sort >documented
diff codes documented || fail "codes of verdict.h (<) and of doc/method.md (>) differ"
