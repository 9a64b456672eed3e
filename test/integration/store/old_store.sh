#!/bin/sh
# A store that an older version made (test/data/old_store) is shown, compared, exported and made again from its records as that version
# did it: no number changes, no member goes. What was printed then lies beside the store; compare.py says how much may be worded anew.
# Where it may not be written it is brought to today's schema in memory only, and answers the same.
# runs: slow, 10 s
set -u
. "$KB_SRC/test/support/check.sh"
needs python3
data=$KB_SRC/test/data/old_store
gzip -dc "$data/store.db.gz" >store.db && gzip -dc "$data/expected.tar.gz" | tar -xf - && mkdir actual || exit 1

# Root may write what is read-only by its capabilities.
reader=
[ "$(id -u)" -ne 0 ] || reader="setpriv --inh-caps=-all --bounding-set=-all"
# The model that was asked then: its sizes have changed since.
mkdir -p "$XDG_DATA_HOME/kbench/model" &&
	sed 's/^over .*/over size = 16K, 1M, 128M/' "$KB_SRC/model/copy.model" >"$XDG_DATA_HOME/kbench/model/copy.model" || exit 1
mkdir unwritten && cp store.db before.db && chmod 444 store.db && chmod 555 . || exit 1
$reader "$data/views.sh" "$KBENCH" store.db unwritten
code=$?
chmod 755 . && chmod 644 store.db
[ $code -eq 0 ] || fail "the views of a store that may not be written"
cmp store.db before.db || fail "it was written"
"$data/views.sh" "$KBENCH" store.db actual || fail "the views"
# The list of runs has other columns than then, and results were made again by 'kbench analyze'; their JSON has all that it had.
# Runs without a result in common are refused now. A total below a microsecond is printed in ns.
# Counts of instructions that do not vary are printed whole, and compared as what they are: two numbers that are known.
for file in compare-base-mcs compare-base-slower compare-slower-base; do
	rm expected/$file.* && grep -q '"exact": true' actual/$file.json && grep -q ' exact, [+-][0-9]* ' actual/$file.txt ||
		fail "$file: counts that do not vary are not compared exactly: $(cat actual/$file.txt)"
done
# Groups of counts: the cost is the slope now, and A/N, which it was, is the mean, as it was.
python3 - <<'END' || fail "groups of counts have another cost than their slope, or another mean"
import glob, json, shutil
changed = 0
for path in glob.glob("actual/again-*.json"):
    then = path.replace("actual/again", "expected/show")
    new, old = json.load(open(path))["results"], json.load(open(then))["results"]
    if {(r["estimate"]["method"] if "method" in r["estimate"] else r["method"], r["unit"]) for r in new} != {("kanata", "insn")}:
        continue
    for a, b in zip(new, old):
        assert abs(a["mean"]["value"] - b["estimate"]["value"]) < 1e-6 and a["estimate"]["value"] <= a["mean"]["value"], (path, a["row"])
    shutil.copy(then, path)
    changed += 1
assert changed == 7, changed
END
sed -i -E 's/ (948|968)\.0 insn/ \1 insn/' expected/show-*.table || exit 1
rm expected/runs.txt expected/compare-sel4-riscv64-1-sel4-riscv64-30.* && sed -i 's,kbench-analyze/1,kbench-maintain/1,' expected/rebuild.json &&
	sed -i -E 's/takes 0\.([0-9]{3})([0-9]) against 0\.([0-9]{3})([0-9]) us/takes \1.\2 against \3.\4 ns/' expected/compare-*.txt || exit 1
python3 "$data/compare.py" expected actual || fail "the answers differ from those of the old version"
for file in unwritten/*; do
	case $file in
	*/codes) head -n "$(wc -l <"$file")" actual/codes | cmp - "$file" || fail "$file: a store that may not be written answers otherwise" ;;
	*) cmp "$file" "actual/${file#*/}" || fail "$file: a store that may not be written answers otherwise" ;;
	esac
done
