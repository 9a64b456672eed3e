#!/bin/sh
# doc/yamba.md and doc/instructions.md: their files and commands, as a reader would type them. Skipped where nothing assembles or compiles.
# runs: slow, 15 s
set -eu
. "$KB_SRC/test/support/check.sh"
. "$KB_SRC/test/support/pages.sh"
[ "$(uname -m)" = x86_64 ] || skip "the listings are for x86-64"
command -v as >/dev/null || skip "no as (binutils)"
[ -x "$KB_BUILD/kbench-translate" ] || skip "this build has no libelf"

mkdir bin cache
ln -s "$KBENCH" bin/kbench
printf '#!/bin/sh\nexec %s "$@"\n' "$cc" >bin/cc
chmod +x bin/cc
PATH=$PWD/bin:$PATH
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
unset CC
run_pages yamba.md instructions.md
[ "$count" -ge 20 ] || fail "only $count blocks"
