#!/bin/sh
# A store that an older version made (test/data/old_store) is shown, compared, exported and made again from its records as that version
# did it: no number changes, no member goes. What was printed then lies beside the store; compare.py says how much may be worded anew.
set -u
command -v python3 >/dev/null 2>&1 || {
	echo "lacks python3"
	exit 77
}
data=$KB_SRC/test/data/old_store
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
gzip -dc "$data/store.db.gz" >store.db && gzip -dc "$data/expected.tar.gz" | tar -xf - && mkdir actual || exit 1
failed=0
"$data/views.sh" "$KBENCH" store.db actual || failed=1
python3 "$data/compare.py" expected actual || failed=1
exit $failed
