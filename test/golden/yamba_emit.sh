#!/bin/sh
# The C text of one program for each platform, byte for byte as it stands in test/golden/yamba/emit. A platform without
# its assembler is passed over. KB_GOLDEN=write writes the files anew.
set -eu
LC_ALL=C
export LC_ALL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
translate=$(cd "$KB_BUILD" && pwd)/kbench-translate

[ -x "$translate" ] || {
	echo "yamba_emit: skipped: this build has no Yamba programs"
	exit 77
}
cd "$KB_SRC"
emit=test/golden/yamba/emit
bad=0
for platform in x86_64 x86_32 aarch64 riscv64; do
	class=Y_pagefault_$platform
	if ! timeout 20 "$translate" "$platform" $emit yamba/lib --program "$class" >"$work/$class.c" 2>"$work/err"; then
		grep -q ' Y201: ' "$work/err" && continue
		echo "yamba_emit: $class: $(cat "$work/err")"
		bad=1
		continue
	fi
	[ "${KB_GOLDEN:-}" != write ] || cp "$work/$class.c" $emit/$class.expected
	diff $emit/$class.expected "$work/$class.c" >"$work/diff" || {
		echo "yamba_emit: $class is translated in another way (KB_GOLDEN=write keeps it): $(head -n 20 "$work/diff")"
		bad=1
	}
done
exit $bad
