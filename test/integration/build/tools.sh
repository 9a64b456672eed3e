#!/bin/sh
# The tools of the gate must see what they are there for: each violation is planted in a copy and expected by line.
set -eu
. "$KB_SRC/test/support/check.sh"
tree=$TMPDIR/tree

fresh() {
	rm -rf "$tree"
	mkdir -p "$tree/include" "$tree/src/os/linux" "$tree/src/arch/x86_64" "$tree/src/collect/linux" "$tree/bench/a" \
		"$tree/test/unit/base" "$tree/kmod/bench"
	for layer in base measure evidence stats store cli; do
		mkdir -p "$tree/src/$layer"
		printf 'int kb_%s(void);\n' "$layer" >"$tree/src/$layer/$layer.h"
	done
	cp "$KB_SRC/src/rooms.txt" "$tree/src/"
	printf 'int kb_types(void);\n' | tee "$tree/include/kbench.h" >"$tree/src/os/linux/types.h"
	printf 'int kb_stamp(void);\n' >"$tree/src/arch/x86_64/stamp.h"
	printf '#include <stdio.h>\n#include "kbench.h"\n' >"$tree/bench/a/b.c"
	printf '#include "store/store.h"\n#include "types.h"\n#include "stamp.h"\n' >"$tree/src/store/store.c"
	printf '#include "evidence/evidence.h"\n' >"$tree/src/collect/linux/main.c"
}

# finds TOOL FILE LINE: the tool fails and names just that place.
finds() {
	if found=$(sh "$KB_SRC/tools/$1" "$tree" 2>&1); then
		fail "$1 does not see $2:$3"
	fi
	case $found in
	"$2:$3:"*) ;;
	*) fail "$1 says '$found', expected $2:$3" ;;
	esac
	[ "$(printf '%s\n' "$found" | grep -c ':[0-9]*:')" -eq 1 ] || fail "$1 finds too much: $found"
	fresh
}

clean() {
	sh "$KB_SRC/tools/$1" "$tree" || fail "$1 complains about a clean tree"
}

# repeat COUNT TEXT
repeat() {
	awk -v n="$1" -v text="$2" 'BEGIN { while (n--) print text }'
}

layers() {
	fresh
	clean check-layers
	printf '#include "cli/cli.h"\n' >>"$tree/src/store/store.c"
	finds check-layers src/store/store.c 4
	printf '#include "stats.h"\n' >"$tree/src/base/text.c"
	finds check-layers src/base/text.c 1
	printf '  #  include   "store/store.h" /* why not */\n' >>"$tree/src/base/base.h"
	finds check-layers src/base/base.h 2
	printf '#include <store/store.h>\n' >"$tree/src/base/text.c"
	finds check-layers src/base/text.c 1
	printf '#include "../store/store.h"\n' >"$tree/src/base/text.c"
	finds check-layers src/base/text.c 1
	printf '#include "types.h"\n#include "stamp.h"\n' >"$tree/src/base/text.c"
	finds check-layers src/base/text.c 2
	printf '\n#include "base/base.h"\n' >>"$tree/bench/a/b.c"
	finds check-layers bench/a/b.c 4
	printf '#include "stats/stats.h"\n' >>"$tree/src/collect/linux/main.c"
	finds check-layers src/collect/linux/main.c 2
	printf 'int kb_out(void);\n' >"$tree/src/collect/out.h"
	printf '#include "collect/out.h"\n' >"$tree/src/cli/main.c"
	finds check-layers src/cli/main.c 1
	mkdir "$tree/src/mess"
	echo >"$tree/src/mess/a.c"
	finds check-layers src/mess/a.c 1
	mkdir -p "$tree/src/trace/points" "$tree/src/trace/func"
	printf '#include "trace/points/points.h"\n' >"$tree/src/trace/func/func.h"
	printf '\n#include "trace/func/func.h"\n' >"$tree/src/trace/points/points.h"
	finds check-layers src/trace/points/points.h 2
	mkdir -p "$tree/kmod/framework"
	cp "$KB_SRC/kmod/framework/parts.txt" "$tree/kmod/framework/"
	printf '#include "framework/queue.h"\n#include "framework/threads.h"\n' >"$tree/kmod/framework/window.c"
	finds check-layers kmod/framework/window.c 2
	mkdir -p "$tree/kmod/framework"
	cp "$KB_SRC/kmod/framework/parts.txt" "$tree/kmod/framework/"
	echo >"$tree/kmod/framework/unlisted.c"
	finds check-layers kmod/framework/unlisted.c 1
}

# function LINES LINE: a function with so many lines of body.
function_of() {
	printf 'int f(int x)\n{\n'
	repeat "$1" "$2"
	printf '}\n'
}

style() {
	fresh
	repeat 500 'int a;' >"$tree/src/base/a.c"
	repeat 100 'int a;' >"$tree/bench/a/a.c"
	function_of 80 '	x++;' >"$tree/src/base/b.c"
	function_of 200 '	case 1:' >"$tree/src/base/c.c"
	printf '#ifndef A_H\n#define A_H\n#endif\n' >"$tree/src/base/guard.h"
	printf '#if 1\n#endif\n' >"$tree/src/arch/x86_64/a.c"
	{
		echo '// SPDX-License-Identifier: MIT OR GPL-2.0-only'
		repeat 99 'int a;'
	} >"$tree/kmod/bench/a.c"
	clean check-style
	echo 'int a;' >>"$tree/kmod/bench/a.c"
	finds check-style kmod/bench/a.c 101
	echo 'int a;' >"$tree/kmod/bench/a.c"
	finds check-style kmod/bench/a.c 1
	printf '// SPDX-License-Identifier: MIT OR GPL-2.0-only\n#if 1\n#endif\n' >"$tree/kmod/bench/a.c"
	finds check-style kmod/bench/a.c 2
	repeat 501 'int a;' >"$tree/src/base/a.c"
	finds check-style src/base/a.c 501
	repeat 101 'int a;' >"$tree/bench/a/a.c"
	finds check-style bench/a/a.c 101
	function_of 81 '	x++;' >"$tree/src/base/b.c"
	finds check-style src/base/b.c 2
	printf 'int a;\n#ifdef X\nint b;\n#endif\n' >"$tree/src/base/a.c"
	finds check-style src/base/a.c 2
	printf '# if defined(X)\n#endif\n' >"$tree/src/base/guard.h"
	finds check-style src/base/guard.h 1
	printf '#ifndef A_H\nint a;\n#endif\n' >"$tree/src/base/guard.h"
	finds check-style src/base/guard.h 1
	printf 'int a; \n' >"$tree/src/base/a.c"
	finds check-style src/base/a.c 1
	printf '\nchar a[] = "/%s/someone/x";\n' home >"$tree/src/base/a.c"
	finds check-style src/base/a.c 2
}

words() {
	fresh
	mkdir -p "$tree/doc" "$tree/model"
	printf '/* A folder. */\nchar a[] = "folder", b[] = "log_circles=", c[] = "answers in a row";\n' >"$tree/src/base/a.c"
	# shellcheck disable=SC2016 # backticks of a document
	printf 'Names stay: `folder`, --lacks.\n' >"$tree/doc/a.md"
	printf '.B launch\nThe run.\n' >"$tree/doc/a.1"
	clean check-words
	printf '\nchar a[] = "no such" " Folder here";\n' >"$tree/src/base/a.c"
	finds check-words src/base/a.c 2
	printf 'struct x y = { .per = "launch" };\n' >"$tree/bench/a/b.c"
	finds check-words bench/a/b.c 1
	mkdir -p "$tree/doc" "$tree/model"
	# shellcheck disable=SC2016
	printf 'Its \n`launch` lacks it.\n' >"$tree/doc/a.md"
	finds check-words doc/a.md 2
	mkdir -p "$tree/model"
	printf 'about\n\nthree launches\n' >"$tree/model/a.model"
	finds check-words model/a.model 3
}

bench_list() {
	list=$(sh "$KB_SRC/tools/bench-list" b/z.c a/y.c b/a_1.c | grep -o '&kb_bench_.*')
	expected=$(printf '&kb_bench_%s,\n' a_y b_a_1 b_z)
	[ "$list" = "$expected" ] || fail "bench-list: $list"
	for bad in a/B.c a/b-c.c a.c a/b/c.c; do
		if sh "$KB_SRC/tools/bench-list" $bad >/dev/null 2>&1; then
			fail "bench-list takes $bad"
		fi
	done
	if sh "$KB_SRC/tools/bench-list" a_b/c.c a/b_c.c >/dev/null 2>&1; then
		fail "bench-list lets two benchmarks have one symbol"
	fi
}

# script NAME BODY: a test for the runner.
script() {
	printf '#!/bin/sh\n%s\n' "$2" >"$TMPDIR/runner/test/golden/$1.sh"
	printf 'run test/golden/%s.sh\n' "$1" >>"$TMPDIR/runner/list"
}

# What a port lacks is named, all of it, and doc/port.md has the same files.
port() {
	mkdir -p "$TMPDIR/port/src/arch/mips64" "$TMPDIR/port/src/os/none"
	cp -R "$KB_SRC/include" "$TMPDIR/port/"
	cp -R "$KB_SRC/src/base" "$KB_SRC/src/measure" "$TMPDIR/port/src/"
	cp "$KB_SRC"/src/arch/*.[ch] "$TMPDIR/port/src/arch/"
	touch "$TMPDIR/port/src/arch/mips64/mhz.c"
	cp "$KB_SRC/src/os/none/types.h" "$TMPDIR/port/src/os/none/"
	if sh "$KB_SRC/tools/check-cross" mips64 cc '' "$TMPDIR/port" "$TMPDIR/port/out" >"$TMPDIR/port/said" 2>&1; then
		fail "check-cross takes a port without files"
	fi
	sed -n 's|.* lacks src/\([^ ]*\) .*|\1|p' "$TMPDIR/port/said" | sort >"$TMPDIR/port/lacks"
	{
		for file in $(sed -n '/^## An arch/,/^## An op/s/^| `\([a-z_]*\.[ch]\)` .*/\1/p' "$KB_SRC/doc/port.md"); do
			[ "$file" = mhz.c ] || echo "arch/mips64/$file"
			for arch in x86_64 x86_32 aarch64 riscv64; do
				[ -f "$KB_SRC/src/arch/$arch/$file" ] || fail "doc/port.md: src/arch/$arch has no $file"
			done
		done
		echo os/none/string.c
	} | sort | diff - "$TMPDIR/port/lacks" || fail "doc/port.md (<) and check-cross (>) differ"
}

runner() {
	mkdir -p "$TMPDIR/runner/test/golden"
	cd "$TMPDIR/runner"
	script pass '[ -d "$TMPDIR" ] && [ -d "$XDG_DATA_HOME" ] && [ "$PWD" = "$TMPDIR" ] && [ -n "$KBENCH$KB_COLLECT" ]'
	script interrupt 'trap "exit 0" INT; kill -INT $$; exit 1'
	script skip 'echo noise; echo lacks a PMU; exit 77'
	script input 'read line && exit 1; exit 0'
	printf 'skip check-moon lacks a moon\n' >>list
	exits 0 sh "$KB_SRC/tools/run-tests" --source=. --build=. list
	[ "$(tail -n 1 out)" = "3 passed, 0 failed, 2 skipped" ] || fail "run-tests: $(cat out)"
	grep -q '^SKIP golden/skip: lacks a PMU$' out || fail "run-tests hides why: $(cat out)"
	grep -q '^PASS golden/pass [0-9.]* s$' out || fail "run-tests: $(cat out)"
	script fail 'echo the reason; exit 3'
	script slow 'sleep 100 & wait'
	KB_TEST_SECONDS=1 exits 1 sh "$KB_SRC/tools/run-tests" --source=. --build=. list
	[ "$(tail -n 1 out)" = "3 passed, 2 failed, 2 skipped" ] || fail "run-tests: $(cat out)"
	grep -q 'the reason' out || fail "run-tests hides the output of a failure"
	[ "$(find . -name 'tmp.*' | wc -l)" -eq 0 ] || fail "run-tests leaves files"
	[ "$(nproc)" -gt 1 ] || return 0
	# Two at once: each waits until the other has begun. One alone: nobody else runs meanwhile, and those that take long come first.
	mv list list.before
	for me in one two; do
		script $me "touch ../../../$me.began; for i in 1 2 3 4 5 6 7 8 9; do [ \$(ls ../../../*.began | wc -l) -eq 2 ] && exit 0; sleep 0.2; done; exit 1"
	done
	script lonely '# runs: alone
[ "$(ls -d ../../../tmp.*/dir | wc -l)" -eq 1 ]'
	script long '# runs: slow, 5 s; not in full words
sleep 0.1'
	script endless '# runs: full; it never ends
exit 1'
	cp list list.together
	cat list.before >>list
	KB_TEST_SECONDS=3 exits 1 sh "$KB_SRC/tools/run-tests" --source=. --build=. list
	[ "$(tail -n 1 out)" = "7 passed, 2 failed, 2 skipped" ] || fail "run-tests side by side: $(cat out)"
	[ "$(head -n 1 out | cut -d ' ' -f 1,2)" = 'PASS golden/lonely' ] || fail "what runs alone is not the first: $(cat out)"
	! grep -q endless out && grep -qx '1 left out: full' out || fail "run-tests without --full: $(cat out)"
	rm ./*.began
	sh "$KB_SRC/tools/run-tests" --source=. --build=. --quick list.together >out || fail "run-tests --quick: $(cat out)"
	! grep -q 'long\|endless' out && grep -qx '2 left out: slow full' out || fail "run-tests --quick: $(cat out)"
	! KB_TEST_SECONDS=3 sh "$KB_SRC/tools/run-tests" --source=. --build=. --full list.together >out && grep -q '^FAIL golden/endless' out || fail "run-tests --full: $(cat out)"
	cd "$TMPDIR"
}

layers
style
words
bench_list
port
runner
