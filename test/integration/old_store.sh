#!/bin/sh
# A store that an older version made (test/data/old_store) is shown, compared, exported and made again from its records as that version
# did it: no number changes, no member goes. What was printed then lies beside the store; compare.py says how much may be worded anew.
# Where it may not be written it is brought to today's schema in memory only, and answers the same.
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

# Root may write what is read-only by its capabilities.
reader=
[ "$(id -u)" -ne 0 ] || reader="setpriv --inh-caps=-all --bounding-set=-all"
mkdir unwritten && cp store.db before.db && chmod 444 store.db && chmod 555 . || exit 1
$reader "$data/views.sh" "$KBENCH" store.db unwritten || failed=1
cmp store.db before.db || failed=1
chmod 755 . && chmod 644 store.db
"$data/views.sh" "$KBENCH" store.db actual || failed=1
python3 "$data/compare.py" expected actual || failed=1
for file in unwritten/*; do
	case $file in
	*/codes) head -n "$(wc -l <"$file")" actual/codes | cmp - "$file" || failed=1 ;;
	*) cmp "$file" "actual/${file#*/}" || failed=1 ;;
	esac
done
exit $failed
