#!/bin/sh
# doc/import.md: its commands run on the files of test/data/import, its first table is what the first one prints, the benchmarks that it sets
# side by side exist, and it tells of every kind of --help.
set -u
. "$KB_SRC/test/support/check.sh"
PATH=$(dirname "$KBENCH"):$PATH
export COLUMNS=100 LC_ALL=C.UTF-8
cd "$KB_SRC/test/data/import" || exit 1

listings sh import.md >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 6 ] || fail 'no commands found'
while IFS= read -r line; do
	sh -c "$line" >"$work/out" 2>"$work/err" </dev/null || fail "'$line' ended with $?: $(head -n 1 "$work/err")"
	[ -e "$work/first" ] || cp "$work/out" "$work/first"
done <"$work/commands"
cd "$work" || exit 1
sed -n '/^  hyperfine\./p' first >table
sed -n '/^  hyperfine\./p' "$KB_SRC/doc/import.md" | diff - table || fail 'the table of doc/import.md (<) is not what import prints (>)'
[ -s table ] || fail 'import prints no table'

kbench list --names >names
for name in $(sed -n 's/^  lmbench.* ns  *-  \([a-z.]*\) .*/\1/p' "$KB_SRC/doc/import.md") \
	$(sed -n 's/^\t{ "\(lmbench\|perf_bench\)\.[a-z_]*", "[^"]*", "\([a-z_.]*\)".*/\2/p' "$KB_SRC/src/workflow/runs/alongside.c"); do
	grep -qx "$name" names || fail "there is no benchmark $name"
done
kbench import --help | sed -n 's/^  \([a-z0-9-]*\)   *[a-z].*/\1/p' | grep -v '^-' >kinds
[ "$(wc -l <kinds)" -ge 9 ] || fail '--help names too few kinds'
for kind in $(cat kinds); do
	kbench import --as "$kind" /dev/null >out 2>err
	! grep -q 'must be one of\|did you mean' err || fail "--as does not know $kind"
done
