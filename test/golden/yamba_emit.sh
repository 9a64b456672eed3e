#!/bin/sh
# The C text of one program for each platform, byte for byte as it stands in test/golden/yamba/emit. A platform without
# its assembler is passed over. KB_GOLDEN=write writes the files anew.
set -eu
. "$KB_SRC/test/support/check.sh"
translate=$(cd "$KB_BUILD" && pwd)/kbench-translate

[ -x "$translate" ] || skip "this build has no Yamba programs"
cd "$KB_SRC"
emit=test/golden/yamba/emit
for platform in x86_64 x86_32 aarch64 riscv64; do
	class=Y_pagefault_$platform
	if ! timeout 20 "$translate" "$platform" $emit yamba/lib --program "$class" >"$work/$class.c" 2>"$work/err"; then
		grep -q ' Y201: ' "$work/err" && continue
		fail "$class: $(cat "$work/err")"
	fi
	[ "${KB_GOLDEN:-}" != write ] || cp "$work/$class.c" $emit/$class.expected
	diff $emit/$class.expected "$work/$class.c" >"$work/diff" ||
		fail "$class is translated in another way (KB_GOLDEN=write keeps it): $(head -n 20 "$work/diff")"
done
