#!/bin/sh
# kbench yamba paper, short: what it must find on any machine with a device below TMPDIR, that its JSON is whole, and that the
# read-ahead is as it was, also when the command is killed with -9.
# runs: slow, 13 s
set -eu
. "$KB_SRC/test/support/check.sh"
with_settings

for words in "more" "--budget 0" "--processes 0" "--nothing" "--budget"; do
	# shellcheck disable=SC2086
	refuses 2 . yamba paper $words
done
timeout 10 "$KBENCH" yamba paper --help >help || fail "no help"
grep -q '^examples:' help || fail "the help has no examples"

# A build without an assembler has no programs.
"$KBENCH" list --names yamba >names 2>/dev/null || true
grep -q '^yamba.pagefault_' names || {
	echo "no programs in this build"
	exit 0
}

# The paper's own example is exactly these bytes; the program for Darwin is checked, and composes the same.
for class in Y_pagefault_x86_32 Y_pagefault_x86_32_Linux Y_pagefault_x86_32_Darwin; do
	timeout 10 "$KBENCH" yamba check "$class" >out 2>&1 || fail "check of $class: $(cat out)"
	timeout 10 "$KBENCH" yamba show "$class" 'pagefault_func(5)' >out 2>err || continue
	bytes=$(sed -n 's/^ *[0-9a-f]*  \(\([0-9a-f][0-9a-f] \)*[0-9a-f][0-9a-f]\)  .*/\1/p' out | tr -d ' \n')
	wanted=5589e5538b5d08
	for i in 00 04 08 0c 10; do
		wanted=${wanted}8b83${i}0000008b00
	done
	[ "$bytes" = "${wanted}5bc9c3" ] || fail "$class composes $bytes"
done

folder=${TMPDIR:-/var/tmp}
setting=
if [ "$(id -u)" -eq 0 ]; then
	device=$(stat -c '%Hd:%Ld' "$folder")
	for file in "/sys/dev/block/$device/queue/read_ahead_kb" "/sys/dev/block/$device/../queue/read_ahead_kb"; do
		[ -w "$file" ] && setting=$file && break
	done
fi
before=
[ -z "$setting" ] || before=$(cat "$setting")

timeout 60 "$KBENCH" yamba paper --budget 6s --processes 1 --seed 1 --json >json 2>err ||
	fail "exit code $?: $(cat err)"
[ -z "$setting" ] || [ "$(cat "$setting")" = "$before" ] || fail "$setting holds $(cat "$setting"), not $before"

# Rows that ran on a device: lmbench's way evicts nothing; a proven fault brings its window; what was published is there.
if command -v python3 >/dev/null 2>&1; then
	python3 - json <<'END' || fail "the document (above)"
import json, re, sys

document = json.load(open(sys.argv[1]))
rows, wrong = document["rows"], []
if document["schema"] != "kbench-yamba-paper/1":
    wrong.append("schema")
if len(document["published"]["tables_1_2"]) != 4 or len(document["published"]["figures_4_7"]) != 12:
    wrong.append("published")
if sum(row["part"] == "instruction" for row in rows) != 8:
    wrong.append("section 2.1 has not eight rows")
for row in rows:
    if row["passes"] == 0:
        if row["status"] == "ok":
            wrong.append("ok without a pass: " + row["row"])
        continue
    if row["part"] == "original" and not (row["resident_after_eviction"] == 8192 and row["status"] == "invalid"):
        wrong.append("msync evicts: %s" % row)
    if row["part"] == "fixed" and row["resident_after_eviction"] != 0:
        wrong.append("fadvise does not evict: %s" % row)
    if row["part"] == "line" and row["status"] != "invalid":
        window = int(re.search(r"window=(\d+)", row["row"])[1])
        if row["faults_per_access"] != 1 or not 0.999 * window <= row["page_ins_per_fault"] <= window:
            wrong.append("not its window: %s" % row)
print("\n".join(map(str, wrong)))
sys.exit(len(wrong) > 0)
END
fi

# The table for people: the same machine, and the paper's figures in it.
timeout 60 "$KBENCH" yamba paper --budget 2s --processes 1 --seed 2 >out 2>err || fail "as text: exit code $?: $(cat err)"
for words in 'Section 2.1' 'C1_Linux'; do
	grep -q "$words" out || fail "the text has no '$words'"
done
[ "$(wc -L <out)" -le 130 ] || fail "lines of more than 130 columns"

[ -n "$setting" ] || exit 0
# In a program of one's own a signal puts it back, too.
class=$(sed -n 's/^yamba\.\(pagefault_x86_64\|pagefault_aarch64\|pagefault_riscv64\)$/\1/p' names | head -n 1)
if "$KBENCH" yamba build --emit-c -o "$work" "$class" >/dev/null 2>&1; then
	cat >own.c <<END
#include "$class.c"
int main(void)
{
	window = 16;
	setup();
	before();
	benchmark();
	puts(check() ?: "proven");
	fflush(stdout);
	return pause();
}
END
	# shellcheck disable=SC2086 # $cc may be several words
	$cc -O1 -w -o own own.c || fail "the program for standing alone does not compile"
	rm -f out
	timeout 60 ./own >out &
	pid=$!
	at_end="kill $pid 2>/dev/null"
	await 30 [ -s out ] || :
	[ "$(cat "$setting")" = "$((16 * $(getconf PAGESIZE) / 1024))" ] || fail "alone: the read-ahead is $(cat "$setting")"
	kill "$pid"
	wait "$pid" 2>/dev/null || true
	[ "$(cat "$setting")" = "$before" ] || fail "alone: after SIGTERM $setting holds $(cat "$setting"), not $before"
	grep -q '^proven$' out || fail "alone: $(cat out)"
fi

name=$(grep '^yamba.pagefault_x86_64$\|^yamba.pagefault_aarch64$\|^yamba.pagefault_riscv64$' names | head -n 1)
"$KBENCH" run --no-store "$name" -p window=4 --budget 40s >out 2>err &
pid=$!
at_end="kill $pid 2>/dev/null"
changed=$((4 * $(getconf PAGESIZE) / 1024))
holds() {
	[ "$(cat "$setting")" = "$1" ]
}
seen=other
! await 15 holds "$changed" || seen=$changed
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
grep -q 'on a device' out && exit 0
[ "$seen" = "$changed" ] || fail "the read-ahead was not changed: $(cat out err)"
await 15 holds "$before" || fail "after kill -9 $setting holds $(cat "$setting"), not $before"
