#!/bin/sh
# A file that may not grow (ulimit -f) is an error with its line, of the store and of every file that is written, and no death by a signal. What kbench
# starts has the signal's default back.
# runs: slow, 6 s
set -u
. "$KB_SRC/test/support/check.sh"

# small LIMIT COMMAND...: a file that it writes may have so many pieces of 512 bytes. Its messages are in err.
small() {
	blocks=$1
	shift
	code=0
	(ulimit -f "$blocks" && exec timeout 20 "$KBENCH" "$@") >out 2>err || code=$?
	[ $code -eq 2 ] || fail "kbench $*: exit code $code, not 2: $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] && grep -q 'File too large' err || fail "kbench $*: not the one line: $(cat err)"
}

case=store
small 128 run clock.read -p way=plain --processes 2 --budget 1s --store small.db
grep -q 'unsaved$' err && grep -q '^not saved$' out && grep -q 'clock\.read' out || fail "what was measured is not printed: $(cat out err)"
gzip -dc "$KB_SRC/test/data/old_store/store.db.gz" >old.db
small 128 runs copy old.db copied.db

case=files
gives 0 runs copy old.db whole.db sel4-circles sides-b
small 72 report sel4-circles --output page.html --store whole.db
small 72 report sel4-circles --json --output page.json --store whole.db
[ ! -e page.html ] && [ ! -e page.json ] || fail "half a file stays"
small 72 show sel4-circles --json --store whole.db
[ "$(wc -c <out)" -eq 36864 ] || fail "standard output ends at $(wc -c <out) bytes"
# It is as it was.
gives 0 show sel4-circles --store whole.db

# In the line of signals that are ignored it is the bit of 25.
case=children
printf '#!/bin/sh\ngrep "^SigIgn" /proc/self/status >>%s/ignored\nexec "%s" "$@"\n' "$PWD" "$KB_COLLECT" >collect
chmod +x collect
"$KBENCH" ab clock.read -p way=plain --b ./collect --budget 1s --no-store >out 2>err
collectors=$(wc -l <ignored)
"$KBENCH" cmd --runs 2 --budget 1s --no-store "sh -c 'grep ^SigIgn /proc/self/status >>$PWD/ignored'" >>out 2>>err
[ "$collectors" -gt 0 ] && [ "$(wc -l <ignored)" -gt "$collectors" ] || fail "nobody wrote what it ignores: $(cat out err)"
while read -r name mask; do
	[ $((0x$mask >> 24 & 1)) -eq 0 ] || fail "a child ignores SIGXFSZ: $name $mask"
done <ignored
