#!/bin/sh
# kbench yamba paper, short: what it must find on any machine with a device below TMPDIR, that its JSON is whole, and that the
# read-ahead is as it was, also when the command is killed with -9.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "yamba_paper: $1"
	exit 1
}

for words in "more" "--budget 0" "--processes 0" "--nothing" "--budget"; do
	code=0
	# shellcheck disable=SC2086
	timeout 10 "$KBENCH" yamba paper $words >"$work/out" 2>"$work/err" || code=$?
	[ "$code" -eq 2 ] || fail "kbench yamba paper $words: exit code $code"
	[ "$(wc -l <"$work/err")" -eq 1 ] || fail "kbench yamba paper $words: not one line: $(cat "$work/err")"
done
timeout 10 "$KBENCH" yamba paper --help >"$work/help" || fail "no help"
grep -q '^examples:' "$work/help" || fail "the help has no examples"

# A build without an assembler has no programs.
"$KBENCH" list --names yamba >"$work/names" 2>/dev/null || true
grep -q '^yamba.pagefault_' "$work/names" || {
	echo "no programs in this build"
	exit 0
}

# The paper's own example is exactly these bytes; the program for Darwin is checked, and composes the same.
for class in Y_pagefault_x86_32 Y_pagefault_x86_32_Linux Y_pagefault_x86_32_Darwin; do
	timeout 10 "$KBENCH" yamba check "$class" >"$work/out" 2>&1 || fail "check of $class: $(cat "$work/out")"
	timeout 10 "$KBENCH" yamba show "$class" 'pagefault_func(5)' >"$work/out" 2>"$work/err" || continue
	bytes=$(sed -n 's/^ *[0-9a-f]*  \(\([0-9a-f][0-9a-f] \)*[0-9a-f][0-9a-f]\)  .*/\1/p' "$work/out" | tr -d ' \n')
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

timeout 60 "$KBENCH" yamba paper --budget 6s --processes 1 --seed 1 --json >"$work/json" 2>"$work/err" ||
	fail "exit code $?: $(cat "$work/err")"
[ -z "$setting" ] || [ "$(cat "$setting")" = "$before" ] || fail "$setting holds $(cat "$setting"), not $before"

# Rows that ran on a device: lmbench's way evicts nothing; a proven fault brings its window; what was published is there.
if command -v python3 >/dev/null 2>&1; then
	python3 - "$work/json" <<'END' || fail "the document (above)"
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
timeout 60 "$KBENCH" yamba paper --budget 2s --processes 1 --seed 2 >"$work/out" 2>"$work/err" || fail "as text: exit code $?: $(cat "$work/err")"
for words in 'Section 2.1' 'C1_Linux'; do
	grep -q "$words" "$work/out" || fail "the text has no '$words'"
done
[ "$(wc -L <"$work/out")" -le 130 ] || fail "lines of more than 130 columns"

[ -n "$setting" ] || exit 0
# In a program of one's own a signal puts it back, too.
cc=$(sed -n 's/^CC = //p' "$KB_BUILD/config.mk")
class=$(sed -n 's/^yamba\.\(pagefault_x86_64\|pagefault_aarch64\|pagefault_riscv64\)$/\1/p' "$work/names" | head -n 1)
if "$KBENCH" yamba build --emit-c -o "$work" "$class" >/dev/null 2>&1; then
	cat >"$work/own.c" <<END
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
	$cc -O1 -w -o "$work/own" "$work/own.c" || fail "the program for standing alone does not compile"
	timeout 60 "$work/own" >"$work/out" &
	pid=$!
	for _ in $(seq 600); do
		[ -s "$work/out" ] && break
		sleep 0.05
	done
	[ "$(cat "$setting")" = "$((16 * $(getconf PAGESIZE) / 1024))" ] || fail "alone: the read-ahead is $(cat "$setting")"
	kill "$pid"
	wait "$pid" 2>/dev/null || true
	[ "$(cat "$setting")" = "$before" ] || fail "alone: after SIGTERM $setting holds $(cat "$setting"), not $before"
	grep -q '^proven$' "$work/out" || fail "alone: $(cat "$work/out")"
fi

name=$(grep '^yamba.pagefault_x86_64$\|^yamba.pagefault_aarch64$\|^yamba.pagefault_riscv64$' "$work/names" | head -n 1)
"$KBENCH" run --no-store "$name" -p window=4 --budget 40s >"$work/out" 2>"$work/err" &
pid=$!
changed=$((4 * $(getconf PAGESIZE) / 1024))
for _ in $(seq 300); do
	[ "$(cat "$setting")" = "$changed" ] && break
	sleep 0.05
done
seen=$(cat "$setting")
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
grep -q 'on a device' "$work/out" && exit 0
[ "$seen" = "$changed" ] || fail "the read-ahead was not changed: $(cat "$work/out" "$work/err")"
for _ in $(seq 300); do
	[ "$(cat "$setting")" = "$before" ] && exit 0
	sleep 0.05
done
fail "after kill -9 $setting holds $(cat "$setting"), not $before"
